import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import TestSupport
import Testing

@Suite("Whom a session accepts", .serialized, .timeLimit(.minutes(10)))
struct TrustTests {
    private func refusal(
        _ pair: SessionPair, expecting expected: ExpectedPeer = .anyone
    ) async -> PeerSessionError? {
        do {
            _ = try await pair.anna.connect(
                to: "127.0.0.1", port: pair.port, expecting: expected)
            return nil
        } catch { return error }
    }

    @Test("Without anybody to ask a stranger is refused, and each side says so")
    func nobodyToAsk() async throws {
        try await SessionPair.with(bert: { $0.trust = .ask }) { pair in
            var berts = await EventLog(pair.bert)
            #expect(await refusal(pair)?.code == .notTrustedByPeer)
            let (peer, reason) = try await berts.first {
                if case .refused(let peer, let reason, _) = $0 { (peer, reason) } else { nil }
            }
            #expect(peer.identity == pair.anna.identity && reason == .nobodyToAsk)
            #expect(try await pair.bert.store.trust().entries.isEmpty)
        }
        try await SessionPair.with(anna: { $0.trust = .ask }) { pair in
            #expect(await refusal(pair)?.code == .notTrusted)
            // Nothing was learned by it.
            let trust = try await pair.anna.store.trust()
            #expect(trust.entries.isEmpty)
        }
    }

    @Test(
        "A person is asked, and what is said is kept or not",
        arguments: [
            TrustQuestion.Answer.once, .always, .no, .block, .none,
        ])
    func asks(_ answer: TrustQuestion.Answer) async throws {
        let store = try await PeerStore.open(.ephemeral)
        try await SessionPair.with(
            bert: {
                $0.trust = .ask
                $0.ask = { question in
                    #expect(question.peer.name.text == "Anna")
                    return answer
                }
            }, stores: (nil, store)
        ) { pair in
            switch answer {
            case .once, .always:
                let (one, two) = try await pair.connect()
                // It is written off the session's thread; the end of both comes behind it.
                await one.disconnect()
                _ = await two.end()
            default: #expect(await refusal(pair)?.code == .notTrustedByPeer)
            }
            let key = pair.anna.identity.key
            let level = try await level(of: key, in: store) {
                $0 == (answer == .always ? .trusted : answer == .block ? .blocked : nil)
            }
            #expect(level == (answer == .always ? .trusted : answer == .block ? .blocked : nil))
        }
    }

    /// Waits until the level is as expected: a decision is written beside what follows from it.
    private func level(
        of key: DeviceKey, in store: PeerStore, _ isExpected: (TrustLevel?) -> Bool
    ) async throws -> TrustLevel? {
        for _ in 0..<10_000 {
            let level = try await store.trust()[key]?.level
            if isExpected(level) { return level }
            await Task.yield()
        }
        return try await store.trust()[key]?.level
    }

    @Test("What another program has decided meanwhile counts at once")
    func rereads() async throws {
        let store = try await PeerStore.open(.ephemeral)
        try await SessionPair.with(stores: (nil, store)) { pair in
            let (one, _) = try await pair.connect()
            await one.disconnect()
            let key = pair.anna.identity.key
            try await store.change { _ = $0.set(.blocked, for: key, basis: .person, at: 1) }
            #expect(await refusal(pair)?.code == .notTrustedByPeer)
            try await store.change { _ = $0.forget(key) }
            _ = try await pair.connect()
        }
    }

    @Test("Only pinned keys are accepted where the policy says so")
    func pinned() async throws {
        let store = try await PeerStore.open(.ephemeral)
        try await SessionPair.with(bert: { $0.trust = .pinned }, stores: (nil, store)) { pair in
            #expect(await refusal(pair)?.code == .notTrustedByPeer)
            let key = pair.anna.identity.key
            try await store.change { _ = $0.set(.pinned, for: key, basis: .fingerprint, at: 1) }
            let (_, two) = try await pair.connect()
            #expect(await pair.bert.peers.first?.trust.ours == .verified)
            #expect(two.peer.identity == pair.anna.identity)
        }
    }

    @Test("A fingerprint that a person gave is trusted and verified; the other side's is not")
    func oneSided() async throws {
        try await SessionPair.with { pair in
            var annas = await EventLog(pair.anna)
            async let accepted = acceptNext(pair.bert)
            _ = try await pair.anna.connect(
                to: "127.0.0.1", port: pair.port,
                expecting: .fingerprint(pair.bert.identity.key.fingerprint))
            _ = try await accepted
            let trust = try await annas.first {
                if case .standing(_, let trust) = $0 { trust } else { nil }
            }
            #expect(trust == MutualTrust(ours: .verified, theirs: .trusted))
            #expect(trust.isOneSided)
        }
    }

    @Test("Who knows the secret is accepted by both, others by none")
    func secret() async throws {
        let secret = [UInt8](repeating: 7, count: 16)
        func change(_ secret: [UInt8]) -> (inout PeerSessionOptions) -> Void {
            {
                $0.trust = .secret
                $0.secret = secret
            }
        }
        try await SessionPair.with(anna: change(secret), bert: change(secret)) { pair in
            let (one, two) = try await pair.connect()
            try await one.send([1])
            for try await message in two.messages {
                #expect(message.bytes == [1])
                break
            }
            #expect(await pair.anna.peers.first?.trust.ours == .verified)
        }
        let other = [UInt8](repeating: 8, count: 16)
        try await SessionPair.with(anna: change(secret), bert: change(other)) { pair in
            let code = await refusal(pair)?.code
            #expect(code == .authenticationFailed || code == .disconnected)
        }
        try await SessionPair.with(bert: change(secret)) { pair in
            #expect(await refusal(pair)?.code == .authenticationFailed)
        }
    }

    @Test("Options that contradict each other are refused with what is wrong")
    func options() async throws {
        var options = try SessionPair.options("Anna")
        options.secret = [UInt8](repeating: 1, count: 16)
        await expectInvalid(options)
        options.trust = .secret
        options.secret = [UInt8](repeating: 1, count: 15)
        await expectInvalid(options)
        options.secret = nil
        await expectInvalid(options)
        options = try SessionPair.options("Anna")
        options.service = try ServiceType("_test._udp")
        await expectInvalid(options)
        options = try SessionPair.options("Anna")
        options.maximumPeers = 0
        await expectInvalid(options)
    }

    private func expectInvalid(_ options: PeerSessionOptions) async {
        let error = await #expect(throws: PeerSessionError.self) {
            _ = try await PeerSession(options)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("A peer that was started anew takes the place of its former run")
    func restarts() async throws {
        let store = try await PeerStore.open(.ephemeral)
        let id = PeerID(rawValue: 5)
        try await SessionPair.with(
            anna: {
                $0.id = id
                // Its first run is stopped, as far as Bert can see.
                $0.linkTiming.idle = .seconds(60)
            }, stores: (store, nil)
        ) { pair in
            var berts = await EventLog(pair.bert)
            // The first run is on a loop that stands still, as if its process were stopped.
            var options = try SessionPair.options("Anna")
            options.id = id
            let stopped = try StandingLoop()
            let first = try await PeerSession(options, loop: stopped.loop, store: store)
            async let accepted = acceptNext(pair.bert)
            _ = try await first.connect(to: "127.0.0.1", port: pair.port)
            _ = try await accepted
            stopped.stand()
            let (_, two) = try await pair.connect()
            #expect(two.peer.run == pair.anna.run)
            _ = try await berts.first { if case .restarted = $0 { true } else { nil } }
            #expect(try await berts.disconnection() == .cut)
            try stopped.goOn()
            await first.close()
            await stopped.loop.stop()
        }
    }

    @Test("A copy of a device that is alive too is refused, and both are told")
    func clones() async throws {
        let store = try await PeerStore.open(.ephemeral)
        let id = PeerID(rawValue: 5)
        try await SessionPair.with(anna: { $0.id = id }, stores: (store, nil)) { pair in
            var berts = await EventLog(pair.bert)
            let (one, _) = try await pair.connect()
            var options = try SessionPair.options("Anna")
            options.id = id
            let copy = try await PeerSession(options, loop: pair.loop, store: store)
            let error = await #expect(throws: PeerSessionError.self) {
                try await copy.connect(to: "127.0.0.1", port: pair.port)
            }
            #expect(error?.code == .cloned)
            let event = try await berts.first {
                if case .trust(.cloned(let peer, _, _)) = $0 { peer } else { nil }
            }
            #expect(event == pair.anna.identity)
            // The one that was there first stays.
            try await one.send([1])
            #expect(await pair.bert.peers.map(\.peer.run) == [pair.anna.run])
            await copy.close()
        }
    }

    @Test("Two peers of one user are each other's own")
    func ownDevice() async throws {
        let store = try await PeerStore.open(.ephemeral)
        try await SessionPair.with(
            anna: { $0.trust = .ask }, bert: { $0.trust = .ask }, stores: (store, store)
        ) { pair in
            let (one, two) = try await pair.connect()
            #expect(one.peer.identity.key == two.peer.identity.key)
            #expect(one.peer.identity != two.peer.identity)
        }
    }
}
