import LinuxNetworking
import NetworkPrimitives
import Testing

@Suite("The files that one thread waits for")
struct PollSetTests {
    private let loopback = SocketAddress(.v4(.loopback), port: 0)

    private func send(to socket: DatagramSocket) throws {
        let sender = try DatagramSocket(.ipv4)
        let bytes: [UInt8] = [1]
        let target = SocketAddress(.v4(.loopback), port: socket.port)
        let result = sender.send(bytes.span, to: target, on: nil)
        try #require(result == .sent)
    }

    @Test("Each ready file is named, as long as it is a member")
    func members() throws {
        let set = try PollSet()
        let one = try DatagramSocket(.ipv4)
        let two = try DatagramSocket(.ipv4)
        var members = [set.add(one.number, token: 1), set.add(two.number, token: 2)]
        try send(to: two)
        #expect(try set.wait(until: nil).map(\.token) == [2])
        try send(to: one)
        let ready = try set.wait(until: nil)
        #expect(ready.map(\.token) == [1, 2])
        #expect(ready.allSatisfy { $0.readiness == .readable })
        members.removeLast()
        #expect(try set.wait(until: nil).map(\.token) == [1])
        members.removeAll()
        #expect(try set.wait(until: .zero).isEmpty)
    }

    @Test("What a file is waited for can be changed, and changed back")
    func interest() throws {
        let set = try PollSet()
        let socket = try DatagramSocket(.ipv4)
        let member = set.add(socket.number, token: 7)
        #expect(try set.wait(until: .zero).isEmpty)
        member.setInterest([.readable, .writable])
        #expect(try set.wait(until: nil).map(\.readiness) == [.writable])
        member.setInterest(.readable)
        #expect(try set.wait(until: .zero).isEmpty)
    }

    @Test(
        "It waits until the deadline, also when that is moved, and for no time once it has passed")
    func deadlines() throws {
        let set = try PollSet()
        let start = SystemClock.now
        let late = start.advanced(by: .milliseconds(60))
        let early = start.advanced(by: .milliseconds(20))
        for deadline in [early, late] {
            while SystemClock.now < deadline { _ = try set.wait(until: deadline) }
            #expect(SystemClock.now >= deadline)
        }
        #expect(set.waitCount <= 4)
        let far = SystemClock.now.advanced(by: .seconds(1000))
        let near = SystemClock.now.advanced(by: .milliseconds(20))
        #expect(try set.wait(until: .zero).isEmpty)
        let socket = try DatagramSocket(.ipv4)
        let member = set.add(socket.number, token: 1)
        try send(to: socket)
        #expect(try set.wait(until: far).map(\.token) == [1])
        withExtendedLifetime(member) {}
        var waiting = [UInt8](repeating: 0, count: 0)
        _ = try socket.receive { info, _ in waiting.append(UInt8(info.hopLimit ?? 0)) }
        #expect(waiting.count == 1)
        // The timer was far off.
        #expect(try set.wait(until: near).isEmpty)
        #expect(SystemClock.now >= near)
    }
}
