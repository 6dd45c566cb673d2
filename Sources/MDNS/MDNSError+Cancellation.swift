import LinuxDiscovery

extension MDNSError {
    /// A task that was cancelled while it did something.
    static func cancelled(_ action: String) -> MDNSError {
        MDNSError(.cancelled, "\(action) was cancelled")
    }
}
