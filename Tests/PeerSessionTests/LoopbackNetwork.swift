import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import Testing

/// A network of its own with nothing but a loopback, for the thread of a loop.
actor LoopbackNetwork {
    private let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(_ loop: EventLoop) { self.loop = loop }

    func enter() async throws {
        try NetworkNamespace.enterNew()
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-c", "ip link set lo up"], limit: .seconds(20)), on: loop)
        try #require(outcome.status.isSuccess)
    }

    /// How many TCP sockets there are in this network once it is `expected`, or after a while: a
    /// child that another test starts has copies of all of them until it is another program.
    func socketCount(_ expected: Int) async throws -> Int {
        let limit = SystemClock.now.advanced(by: .seconds(20))
        while true {
            let count = try count("sockstat", "TCP:") + count("sockstat6", "TCP6:")
            if count == expected || SystemClock.now >= limit { return count }
            await Task.yield()
        }
    }

    /// The number in "TCP: inuse 4 orphan 0 …".
    private func count(_ file: String, _ start: String) throws -> Int {
        let bytes = try SystemFile.read("/proc/thread-self/net/\(file)")
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(start) }
        return try #require(line?.split(separator: " ").dropFirst(2).first.flatMap { Int($0) })
    }
}
