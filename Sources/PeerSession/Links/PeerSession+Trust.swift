import LinuxNetworking
import PeerProtocol

extension PeerSession {
    /// Questions to a person that may be open at the same time; who comes beyond is refused.
    private static let maximumQuestions = 16

    /// Decides whether to go on with a peer whose key was proved just now. What is stored is read
    /// anew, because another program may have changed it.
    func decide(
        on peer: PeerDescription, _ transport: LinkTransport, provedSecret: Bool
    ) {
        transport.isDeciding = true
        let number = transport.number
        Task { [weak self, store] in
            let trust: Result<TrustStore, PeerStoreError>
            do throws(PeerStoreError) {
                trust = .success(try await store.trust())
            } catch { trust = .failure(error) }
            await self?.decide(on: peer, number, provedSecret, trust)
        }
    }

    private func decide(
        on peer: PeerDescription, _ number: UInt64, _ provedSecret: Bool,
        _ trust: Result<TrustStore, PeerStoreError>
    ) {
        guard let transport = links[number], transport.link.end == nil, !isClosed else { return }
        switch trust {
        case .failure(let error):
            // Nobody is accepted on the ground of what can't be read.
            report(.notStored(error.description))
            refuse(peer, transport, .nobodyToAsk)
        case .success(let trust):
            let decision = check.decision(
                on: peer, expected: transport.expected, provedSecret: provedSecret, store: trust)
            for event in decision.events { report(.trust(event)) }
            follow(decision.outcome, peer, transport)
        }
        settle()
    }

    private func follow(
        _ outcome: TrustOutcome, _ peer: PeerDescription, _ transport: LinkTransport
    ) {
        switch outcome {
        case .accept(let acceptance): accept(peer, transport, acceptance)
        case .refuse(let refusal): refuse(peer, transport, refusal)
        case .ask(let question): ask(question, transport)
        }
    }

    private func ask(_ question: TrustQuestion, _ transport: LinkTransport) {
        let open = links.values.count { $0.isDeciding && $0 !== transport }
        guard let ask = options.ask, open < Self.maximumQuestions else {
            return refuse(question.peer, transport, .nobodyToAsk)
        }
        let number = transport.number
        Task.detached { [weak self] in
            let answer = await ask(question)
            await self?.answered(question, answer, number)
        }
    }

    private func answered(
        _ question: TrustQuestion, _ answer: TrustQuestion.Answer, _ number: UInt64
    ) {
        if answer == .block {
            let key = question.peer.identity.key
            store(for: question.peer) {
                $0.set(.blocked, for: key, basis: .person, at: SystemClock.secondsSince1970)
            }
        }
        guard let transport = links[number], transport.link.end == nil, !isClosed else { return }
        follow(question.outcome(answer), question.peer, transport)
        settle()
    }

    private func refuse(
        _ peer: PeerDescription, _ transport: LinkTransport, _ refusal: TrustRefusal
    ) {
        transport.isDeciding = false
        transport.refusal = refusal
        if refusal != .oneself { report(.refused(peer, refusal, transport.remote)) }
        let reason: CloseReason = refusal == .cloned ? .cloned : .notTrusted
        transport.link.close(reason, now: SystemClock.now)
        mark(transport)
    }

    private func accept(
        _ peer: PeerDescription, _ transport: LinkTransport, _ acceptance: TrustAcceptance
    ) {
        transport.isDeciding = false
        transport.standing = TrustStanding(acceptance)
        switch acceptance {
        case .known, .new:
            store(for: peer) {
                $0.apply(acceptance, to: peer, at: SystemClock.secondsSince1970)
            }
        case .ownDevice, .once: break
        }
        addRun(transport, peer)
    }

    /// Writes a decision, off the session's thread; it holds for the connection in any case.
    private func store(
        for peer: PeerDescription, _ change: @escaping @Sendable (inout TrustStore) -> Bool
    ) {
        Task { [weak self, store] in
            do throws(PeerStoreError) {
                let isStored = try await store.change(change)
                if !isStored { await self?.tell(.trust(.notStored(peer.identity.key))) }
            } catch { await self?.tell(.notStored(error.description)) }
        }
    }

    private func tell(_ event: PeerSessionEvent) { report(event) }
}

extension SystemClock {
    fileprivate static var secondsSince1970: Int64 { nanosecondsSince1970 / 1_000_000_000 }
}

extension PeerSessionError {
    /// Why this side has refused a peer.
    init(_ refusal: TrustRefusal) {
        switch refusal {
        case .oneself: self.init(.wrongPeer, "The address leads back to this very peer.")
        case .cloned:
            self.init(
                .cloned,
                "Two devices have the same key and number, as after copying a disk; delete the "
                    + "key on one of them.")
        case .wrongPeer: self.init(.wrongPeer, "Another peer answered than was meant.")
        case .blocked: self.init(.notTrusted, "The peer's key is blocked here.")
        case .notPinned:
            self.init(.notTrusted, "Only pinned keys are accepted, and the peer's is not pinned.")
        case .changedKey:
            self.init(
                .notTrusted,
                "The peer shows another key than the one that is pinned under its name.")
        case .secretMissing:
            self.init(.authenticationFailed, "The peer did not prove the shared secret.")
        case .nobodyToAsk:
            self.init(
                .notTrusted,
                "The peer is a stranger and there is nobody to ask; trust its fingerprint first.")
        case .personRefused: self.init(.notTrusted, "The peer was refused by a person here.")
        case .noAnswer:
            self.init(.notTrusted, "Nobody here said in time whether to trust the peer.")
        }
    }
}
