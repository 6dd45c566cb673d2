package import LinuxEventLoop
package import LinuxNetworking

extension EventLoop {
    /// Waits until a file is ready.
    ///
    /// - Throws: `CancellationError`: who is cancelled is not ready, and would ask again and again.
    package func ready(_ number: Int32, _ interest: Readiness) async throws {
        let stream = AsyncStream<Void>.makeStream()
        let watch = try watch(number: number, for: interest) { _ in
            stream.continuation.yield()
        }
        for await _ in stream.stream { break }
        watch.cancel()
        try Task.checkCancellation()
    }
}
