import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import TestSupport
import Testing

@Suite("Strangers and faults at a session's port", .serialized, .timeLimit(.minutes(10)))
struct HostileTests {
    @Test("Silent connections make room for each other, and a peer gets in all the same")
    func silent() async throws {
        try await SessionPair.with { pair in
            var raw: [RawPeer] = []
            for _ in 0..<150 {
                let peer = RawPeer(pair.loop)
                try await peer.connect(pair.port)
                raw.append(peer)
            }
            _ = try await pair.connect()
            let counters = await pair.bert.counters
            #expect(counters.evicted >= 150 - 64)
            // The oldest was cut, the youngest is still waited for.
            _ = try await raw[0].readToEnd()
            #expect(await pair.bert.linkCount <= 65)
            for peer in raw { await peer.close() }
        }
    }

    @Test(
        "What is no handshake ends its own connection and nothing else",
        arguments: [
            Array("GET / HTTP/1.1\r\n\r\n".utf8), [0], Array("VICINITY".utf8) + [0xFF, 0xFF],
            Array("VICINITY".utf8) + [0, 7, 0, 1, 1, 1, 0, 1, 1] + [0xFF, 0xFF],
            Array("VICINITY".utf8) + [0, 7, 0, 1, 1, 1, 0, 1, 1, 0, 32]
                + [UInt8](repeating: 0, count: 32),
        ] as [[UInt8]])
    func garbage(_ bytes: [UInt8]) async throws {
        try await SessionPair.with { pair in
            let raw = RawPeer(pair.loop)
            try await raw.connect(pair.port)
            try await raw.write(bytes)
            _ = try await raw.readToEnd()
            #expect(await pair.bert.counters.failedHandshakes >= 1)
            _ = try await pair.connect()
        }
    }

    @Test("Something else than a peer that answers is told as that, and the next address is tried")
    func notAPeer() async throws {
        try await SessionPair.with { pair in
            let raw = RawPeer(pair.loop)
            let port = try await raw.listen()
            let attempt = Task {
                try await pair.anna.connect(to: "127.0.0.1", port: port)
            }
            try await raw.accept()
            try await raw.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            let error = await #expect(throws: PeerSessionError.self) { try await attempt.value }
            #expect(error?.code == .notAPeer)
            #expect(error?.attempts.count == 1)
        }
    }

    @Test("A peer that hangs up in the handshake is told as that")
    func hangsUp() async throws {
        try await SessionPair.with { pair in
            let raw = RawPeer(pair.loop)
            let port = try await raw.listen()
            let attempt = Task {
                try await pair.anna.connect(to: "127.0.0.1", port: port)
            }
            try await raw.accept()
            await raw.close()
            let error = await #expect(throws: PeerSessionError.self) { try await attempt.value }
            #expect(error?.code == .disconnected)
        }
    }

    @Test("A peer that accepts and is silent is given up with the time of the invitation")
    func silentPeer() async throws {
        try await SessionPair.with { pair in
            let raw = RawPeer(pair.loop)
            let port = try await raw.listen()
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(
                    to: "127.0.0.1", port: port, timeout: .milliseconds(300))
            }
            #expect(error?.code == .timedOut)
            await raw.close()
        }
    }

    @Test("A peer that says nothing any more is noticed, and told as silent")
    func stops() async throws {
        let stopped = try StandingLoop()
        try await SessionPair.with(
            bert: {
                $0.linkTiming.idle = .milliseconds(100)
                $0.linkTiming.dead = .milliseconds(400)
            }
        ) { pair in
            let anna = try await PeerSession(SessionPair.options("Anna"), loop: stopped.loop)
            var berts = await EventLog(pair.bert)
            async let accepted = acceptNext(pair.bert)
            let one = try await anna.connect(to: "127.0.0.1", port: pair.port)
            let two = try await accepted
            let reading = Task { for try await _ in two.messages {} }
            stopped.stand()
            #expect(try await berts.disconnection() == .silent)
            let error = await #expect(throws: PeerSessionError.self) { try await reading.value }
            #expect(error?.code == .disconnected)
            try stopped.goOn()
            // The other side finds the connection cut when it goes on.
            #expect(await one.end() == .cut)
            await anna.close()
        }
        await stopped.loop.stop()
    }

    @Test("All sockets are closed with the session", .makesNetworks)
    func sockets() async throws {
        let loop = try EventLoop(name: "sockets")
        let network = LoopbackNetwork(loop)
        try await network.enter()
        #expect(try await network.socketCount(0) == 0)
        for _ in 0..<3 {
            let anna = try await PeerSession(SessionPair.options("Anna"), loop: loop)
            let bert = try await PeerSession(SessionPair.options("Bert"), loop: loop)
            let port = try await bert.listen()
            async let accepted = acceptNext(bert)
            _ = try await anna.connect(to: "127.0.0.1", port: port)
            _ = try await accepted
            #expect(try await network.socketCount(4) == 4)
            await anna.close()
            await bert.close()
            #expect(try await network.socketCount(0) == 0)
        }
        await loop.stop()
    }
}
