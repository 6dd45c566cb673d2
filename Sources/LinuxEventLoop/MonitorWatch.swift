package import LinuxNetworking
package import NetworkPrimitives

/// A loop's wait for changes of the interfaces: until the kernel reports one, or until it is time
/// to look where it reports none.
///
/// Used on the loop's thread only, but for its end.
package final class MonitorWatch {
    private let monitor: InterfaceMonitor
    private var watch: Watch?
    private var timer: DeadlineTimer?

    /// Has the loop call `onReady` when something may have changed; call `update` then. Call it
    /// on the loop.
    package init(
        _ monitor: InterfaceMonitor, on loop: EventLoop, onReady: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.monitor = monitor
        if let number = monitor.number {
            watch = try loop.watch(number: number, for: .readable) { _ in onReady() }
        } else {
            timer = loop.makeTimer(onDeadline: onReady)
            timer?.setDeadline(monitor.due)
        }
    }

    /// The snapshots that are new, in their order.
    package func update() throws(SystemError) -> [[NetworkInterface]] {
        defer { timer?.setDeadline(monitor.due) }
        return try monitor.update()
    }

    /// Ends the wait.
    package func cancel() {
        watch?.cancel()
        timer?.cancel()
    }
}
