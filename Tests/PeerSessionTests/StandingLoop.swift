import LinuxEventLoop
import LinuxNetworking
import ProcessSupport

/// A loop that can be made to stand still, as a process does that is stopped.
final class StandingLoop: Sendable {
    let loop: EventLoop
    /// What its thread reads from while it stands still.
    private let pipe: Pipe

    init() throws {
        loop = try EventLoop(name: "standing")
        pipe = try Pipe()
    }

    /// Has the thread of the loop do nothing until `goOn`.
    func stand() {
        loop.perform { [self] in _ = try? pipe.reading.read(upTo: 1) }
    }

    func goOn() throws { try pipe.writing.writeAll([1].span) }
}
