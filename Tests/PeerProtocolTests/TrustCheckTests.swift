import PeerProtocol
import Testing

@Suite("Whether a peer is accepted")
struct TrustCheckTests {
    private let own = PeerIdentity(key: deviceKey(100), id: PeerID(rawValue: 1))

    private func check(_ policy: TrustPolicy, canAsk: Bool = true) -> TrustCheck {
        TrustCheck(policy: policy, own: own, run: RunNumber(rawValue: 1), canAsk: canAsk)
    }

    /// Key 1 is trusted as Anna, 2 pinned as Bert, 3 blocked.
    private func store() throws -> TrustStore {
        var store = TrustStore()
        store.set(.trusted, for: deviceKey(1), basis: .firstUse, at: 1)
        store.note(try peer(1, name: "Anna"), at: 1)
        store.set(.pinned, for: deviceKey(2), basis: .fingerprint, at: 1)
        store.note(try peer(2, name: "Bert"), at: 1)
        store.set(.blocked, for: deviceKey(3), basis: .person, at: 1)
        store.note(try peer(3, name: "Mallory"), at: 1)
        return store
    }

    @Test(arguments: TrustPolicy.allCases)
    func blockedKeysAreRefusedUnderEveryPolicy(_ policy: TrustPolicy) throws {
        let decision = check(policy).decision(
            on: try peer(3), expected: .key(deviceKey(3)), provedSecret: true, store: try store())
        #expect(decision.outcome == .refuse(.blocked))
    }

    @Test func trustedKeys() throws {
        let anna = try peer(1)
        for policy in [TrustPolicy.ask, .firstUse] {
            let decision = check(policy).decision(on: anna, store: try store())
            #expect(decision.outcome == .accept(.known(.trusted, .firstUse)))
            #expect(decision.events.isEmpty)
        }
        #expect(
            check(.pinned).decision(on: anna, store: try store()).outcome == .refuse(.notPinned))
        #expect(
            check(.secret).decision(on: anna, store: try store()).outcome
                == .refuse(.secretMissing))
        #expect(
            check(.pinned).decision(on: try peer(2, name: "Bert"), store: try store()).outcome
                == .accept(.known(.pinned, .fingerprint)))
    }

    @Test func strangers() throws {
        let carl = try peer(9, name: "Carl")
        let store = try store()
        #expect(
            check(.ask).decision(on: carl, store: store).outcome
                == .ask(
                    try #require(
                        check(.ask).decision(on: carl, store: store).outcome.question)))
        #expect(
            check(.ask, canAsk: false).decision(on: carl, store: store).outcome
                == .refuse(.nobodyToAsk))
        let first = check(.firstUse).decision(on: carl, store: store)
        #expect(first.outcome == .accept(.new(.firstUse)))
        #expect(first.events == [.firstUse(carl)])
        #expect(check(.pinned).decision(on: carl, store: store).outcome == .refuse(.notPinned))
        #expect(check(.secret).decision(on: carl, store: store).outcome == .refuse(.secretMissing))
        #expect(
            check(.secret).decision(on: carl, provedSecret: true, store: store).outcome
                == .accept(.new(.secret)))
    }

    @Test func aKnownNameUnderANewKeyIsLoud() throws {
        let false1 = try peer(9, name: "Anna")
        let event = TrustEvent.knownNameUnderNewKey(false1, known: [deviceKey(1)])
        #expect(event.isWarning)
        for policy in TrustPolicy.allCases {
            let decision = check(policy).decision(
                on: false1, provedSecret: true, store: try store())
            #expect(decision.events.first == event, "\(policy)")
        }
        #expect(
            check(.ask).decision(on: false1, store: try store()).outcome.question?
                .keysUnderItsName == [deviceKey(1)])
        #expect(
            check(.pinned).decision(on: false1, store: try store()).outcome
                == .refuse(.changedKey))
        #expect(
            check(.firstUse).decision(on: false1, store: try store()).outcome
                == .accept(.new(.firstUse)))
        // A trusted peer that takes the name of another one.
        let renamed = try peer(2, name: "Anna")
        #expect(
            check(.firstUse).decision(on: renamed, store: try store()).events
                == [.knownNameUnderNewKey(renamed, known: [deviceKey(1)])])
    }

    @Test func anotherPeerThanDialledIsRefusedAndNothingStored() throws {
        let carl = try peer(9, id: 4, name: "Anna")
        let wrong: [ExpectedPeer] = [
            .key(deviceKey(1)), .fingerprint(deviceKey(1).fingerprint),
            .peer(PeerIdentity(key: deviceKey(9), id: PeerID(rawValue: 5))),
            .peer(PeerIdentity(key: deviceKey(1), id: PeerID(rawValue: 4))),
        ]
        for expected in wrong {
            for policy in TrustPolicy.allCases {
                let decision = check(policy).decision(
                    on: carl, expected: expected, provedSecret: true, store: try store())
                #expect(decision.outcome == .refuse(.wrongPeer))
                #expect(decision.events == [.wrongPeer(expected: expected, found: carl)])
            }
        }
        let right: [ExpectedPeer] = [
            .anyone, .key(deviceKey(9)), .peer(carl.identity),
            .fingerprint(deviceKey(9).fingerprint),
        ]
        for expected in right {
            let decision = check(.firstUse).decision(
                on: carl, expected: expected, store: try store())
            #expect(decision.outcome != .refuse(.wrongPeer))
        }
    }

    @Test func aStrangerByNameNeedsAPerson() throws {
        let carl = try peer(9, name: "Carl")
        let expected = ExpectedPeer.stranger(carl.name)
        let store = try store()
        for policy in [TrustPolicy.ask, .firstUse] {
            let asked = check(policy).decision(on: carl, expected: expected, store: store)
            #expect(asked.outcome.question?.peer == carl)
            let alone = check(policy, canAsk: false).decision(
                on: carl, expected: expected, store: store)
            #expect(alone.outcome == .refuse(.nobodyToAsk))
        }
    }

    @Test func aFingerprintNeedsNoPerson() throws {
        let carl = try peer(9, name: "Carl")
        let expected = ExpectedPeer.fingerprint(deviceKey(9).fingerprint)
        let store = try store()
        for policy in [TrustPolicy.ask, .firstUse] {
            let decision = check(policy, canAsk: false).decision(
                on: carl, expected: expected, store: store)
            #expect(decision.outcome == .accept(.new(.fingerprint)))
        }
        #expect(
            check(.pinned).decision(on: carl, expected: expected, store: store).outcome
                == .refuse(.notPinned))
    }

    @Test func oneselfCloneAndOtherPeersOfOneDevice() throws {
        let store = try store()
        for policy in TrustPolicy.allCases {
            let check = check(policy)
            let same = try peer(100, id: 1, run: 1)
            #expect(check.decision(on: same, store: store).outcome == .refuse(.oneself))
            let copy = try peer(100, id: 1, run: 2)
            let decision = check.decision(on: copy, provedSecret: true, store: store)
            #expect(decision.outcome == .refuse(.cloned))
            #expect(
                decision.events == [
                    .cloned(own, own: RunNumber(rawValue: 1), other: RunNumber(rawValue: 2))
                ])
            let second = try peer(100, id: 2, run: 1)
            #expect(
                check.decision(on: second, provedSecret: true, store: store).outcome
                    == .accept(.ownDevice))
        }
    }

    @Test func answersOfAPerson() throws {
        let carl = try peer(9, name: "Carl")
        let outcome = check(.ask).decision(on: carl, store: try store()).outcome
        let question = try #require(outcome.question)
        #expect(question.outcome(.once) == .accept(.once))
        #expect(question.outcome(.always) == .accept(.new(.person)))
        #expect(question.outcome(.no) == .refuse(.personRefused))
        #expect(question.outcome(.block) == .refuse(.blocked))
        #expect(question.outcome(.none) == .refuse(.noAnswer))
    }

    @Test func acceptancesAreStored() throws {
        var store = try store()
        let carl = try peer(9, name: "Carl")
        #expect(store.apply(.once, to: carl, at: 5) == false)
        let second = try peer(100, id: 2)
        #expect(store.apply(.ownDevice, to: second, at: 5) == false)
        #expect(store == (try self.store()))
        #expect(store.apply(.new(.person), to: carl, at: 5) == true)
        #expect(store[deviceKey(9)]?.basis == .person)
        #expect(store[deviceKey(9)]?.names == [carl.name])
        #expect(store.apply(.known(.trusted, .person), to: carl, at: 9) == true)
        #expect(store[deviceKey(9)]?.lastSeen == 9)
    }

    @Test func withoutAFileTheDecisionIsMarked() throws {
        let carl = try peer(9, name: "Carl")
        let decision = check(.firstUse).decision(on: carl, store: TrustStore(isEphemeral: true))
        #expect(decision.events == [.firstUse(carl), .notStored(deviceKey(9))])
    }

    @Test func oneSidedTrustIsShown() {
        #expect(!MutualTrust(ours: .trusted).isOneSided)
        #expect(MutualTrust(ours: .trusted, theirs: .accepted).isOneSided)
        #expect(!MutualTrust(ours: .verified, theirs: .verified).isOneSided)
        #expect(TrustStanding(.once) == .accepted)
        #expect(TrustStanding(.new(.firstUse)) == .trusted)
        #expect(TrustStanding(.new(.secret)) == .verified)
        #expect(TrustStanding(.known(.pinned, .person)) == .verified)
    }
}

extension TrustOutcome {
    /// The question, where there is one.
    var question: TrustQuestion? {
        if case .ask(let question) = self { return question }
        return nil
    }
}
