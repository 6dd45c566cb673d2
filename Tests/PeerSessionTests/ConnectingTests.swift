import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import TestSupport
import Testing

@Suite("Sessions connect", .serialized, .timeLimit(.minutes(10)))
struct ConnectingTests {
    @Test("Both are told who the other is", arguments: ["127.0.0.1", "::1", "localhost"])
    func connects(_ host: String) async throws {
        try await SessionPair.with { pair in
            var annas = await EventLog(pair.anna)
            var berts = await EventLog(pair.bert)
            let (one, two) = try await pair.connect(host: host)
            #expect(one.peer.identity == pair.bert.identity)
            #expect(two.peer.identity == pair.anna.identity)
            #expect(one.peer.name.text == "Bert" && two.peer.name.text == "Anna")
            #expect(one.peer.run == pair.bert.run)
            #expect(await pair.anna.peers.map(\.peer) == [one.peer])
            #expect(await pair.bert.peers.map(\.peer) == [two.peer])
            for session in [pair.anna, pair.bert] {
                #expect(await session.peers.first?.trust.ours == .trusted)
            }
            // Nobody compared anything, which is said.
            let first = try await annas.first {
                if case .trust(.firstUse(let peer)) = $0 { peer } else { nil }
            }
            #expect(first == one.peer)
            // The address is that of the connection, not one that the peer gave.
            let address = try await berts.first {
                if case .connected(_, let address) = $0 { address } else { nil }
            }
            #expect(address.address.isLoopback)
        }
    }

    @Test("The context arrives, and a refusal comes back with its reason")
    func declines() async throws {
        try await SessionPair.with { pair in
            let refusal = Task {
                try await pair.anna.connect(
                    to: "127.0.0.1", port: pair.port, context: [1, 2, 3])
            }
            for await invitation in pair.bert.invitations {
                #expect(invitation.context == [1, 2, 3])
                #expect(invitation.peer.identity == pair.anna.identity)
                await invitation.decline()
                // A second answer changes nothing.
                await invitation.decline()
                await #expect(throws: PeerSessionError.self) { try await invitation.accept() }
                break
            }
            let error = await #expect(throws: PeerSessionError.self) { try await refusal.value }
            #expect(error?.code == .declined)
            #expect(await pair.anna.peers.isEmpty)
            #expect(await pair.bert.peers.isEmpty)
        }
    }

    @Test("An invitation that nobody holds is declined")
    func drops() async throws {
        try await SessionPair.with { pair in
            let refusal = Task {
                try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            }
            for await _ in pair.bert.invitations { break }
            let error = await #expect(throws: PeerSessionError.self) { try await refusal.value }
            #expect(error?.code == .declined)
        }
    }

    @Test("An invitation that nobody answers ends with its time, on both sides")
    func timesOut() async throws {
        try await SessionPair.with { pair in
            var annas = await EventLog(pair.anna)
            var berts = await EventLog(pair.bert)
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(
                    to: "127.0.0.1", port: pair.port, timeout: .milliseconds(4_900))
            }
            #expect(error?.code == .noAnswer)
            let isShort = try await annas.first {
                if case .shortInvitation = $0 { true } else { nil }
            }
            #expect(isShort)
            let reason = try await berts.first {
                if case .invitationOver(_, let reason) = $0 { reason } else { nil }
            }
            #expect(reason == .noAnswer)
        }
    }

    @Test("A task that is cancelled takes its invitation back")
    func cancels() async throws {
        try await SessionPair.with { pair in
            var berts = await EventLog(pair.bert)
            let task = Task {
                try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            }
            _ = try await berts.first { if case .invited = $0 { true } else { nil } }
            task.cancel()
            let error = await #expect(throws: PeerSessionError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            let reason = try await berts.first {
                if case .invitationOver(_, let reason) = $0 { reason } else { nil }
            }
            #expect(reason == .withdrawn)
        }
    }

    @Test("Both invite at once and get one connection")
    func crosses() async throws {
        try await SessionPair.with { pair in
            let other = try await pair.anna.listen()
            async let one = pair.anna.connect(to: "127.0.0.1", port: pair.port)
            async let two = pair.bert.connect(to: "127.0.0.1", port: other)
            async let three: PeerConnection? = try? acceptNext(pair.anna)
            async let four: PeerConnection? = try? acceptNext(pair.bert)
            let (first, second) = try await (one, two)
            #expect(await pair.anna.peers.count == 1)
            #expect(await pair.bert.peers.count == 1)
            try await first.send([1])
            for try await message in second.messages {
                #expect(message.bytes == [1])
                break
            }
            await first.disconnect()
            await pair.anna.close()
            await pair.bert.close()
            _ = await (three, four)
        }
    }

    @Test("A port where nobody listens is told with the address")
    func unreachable() async throws {
        try await SessionPair.with { pair in
            await pair.bert.close()
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .unreachable)
            let attempt = try #require(error?.attempts.first)
            #expect(attempt.address == SocketAddress(.v4(.loopback), port: pair.port))
            #expect(error?.description.contains("nobody listens") == true)
        }
    }

    @Test("Another peer than the one that is meant is told nothing")
    func wrongPeer() async throws {
        try await SessionPair.with { pair in
            let key = try #require(DeviceKey([UInt8](repeating: 9, count: 32)))
            var berts = await EventLog(pair.bert)
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(
                    to: "127.0.0.1", port: pair.port, expecting: .key(key))
            }
            #expect(error?.code == .wrongPeer)
            #expect(error?.description.contains("\(pair.bert.identity.key.fingerprint)") == true)
            #expect(try await pair.anna.store.trust().entries.isEmpty)
            // The right one comes in afterwards, and is the first whom Bert sees.
            async let accepted = acceptNext(pair.bert)
            _ = try await pair.anna.connect(
                to: "127.0.0.1", port: pair.port, expecting: .key(pair.bert.identity.key))
            _ = try await accepted
            let first = try await berts.first {
                if case .trust(.firstUse(let peer)) = $0 { peer } else { nil }
            }
            #expect(first.identity == pair.anna.identity)
        }
    }

    @Test("It does not connect to itself")
    func oneself() async throws {
        try await SessionPair.with { pair in
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.bert.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .wrongPeer)
        }
    }

    @Test("Another service, and other wishes about encryption, are told apart")
    func mismatches() async throws {
        try await SessionPair.with(anna: { $0.encryption = .none }) { pair in
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .encryptionMismatch)
        }
        let other = try ServiceType("_other._tcp")
        try await SessionPair.with(anna: { $0.service = other }) { pair in
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .authenticationFailed || error?.code == .disconnected)
        }
    }

    @Test("Session in clear only if both ask, and then it works")
    func clear() async throws {
        try await SessionPair.with(
            anna: { $0.encryption = .none }, bert: { $0.encryption = .none }
        ) { pair in
            let (one, two) = try await pair.connect()
            try await one.send([5])
            for try await message in two.messages {
                #expect(message.bytes == [5])
                break
            }
        }
    }

    @Test("A session that is full declines")
    func full() async throws {
        try await SessionPair.with(bert: { $0.maximumPeers = 1 }) { pair in
            _ = try await pair.connect()
            let third = try await PeerSession(SessionPair.options("Cleo"), loop: pair.loop)
            let error = await #expect(throws: PeerSessionError.self) {
                try await third.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .full)
            await third.close()
        }
    }

    @Test("Disconnecting is told to the other side, after all that was sent")
    func disconnects() async throws {
        try await SessionPair.with { pair in
            var berts = await EventLog(pair.bert)
            let (one, two) = try await pair.connect()
            for number in 0..<10 { try await one.send([UInt8(number)]) }
            await one.disconnect()
            #expect(await one.end() == .closedHere(.left, unsent: 0))
            #expect(try await berts.disconnection() == .closedByPeer(.left, text: ""))
            // They can be read after the end.
            var received: [UInt8] = []
            for try await message in two.messages { received += message.bytes }
            #expect(received == Array(0..<10))
            #expect(await pair.bert.peers.isEmpty)
            await #expect(throws: PeerSessionError.self) { try await one.send([1]) }
            // The same two can meet again.
            _ = try await pair.connect()
        }
    }

    @Test("A closed session throws and ends what waits for it")
    func closes() async throws {
        try await SessionPair.with { pair in
            let (_, two) = try await pair.connect()
            let events = await pair.anna.events()
            await pair.anna.close()
            for await _ in events {}
            for await _ in pair.anna.invitations {}
            for await _ in await pair.anna.peerUpdates() {}
            let error = await #expect(throws: PeerSessionError.self) {
                try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .sessionClosed)
            #expect(await two.end() == .closedByPeer(.left, text: ""))
        }
    }
}
