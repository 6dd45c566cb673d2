import NetworkPrimitives
import PeerProtocol
import Testing

private let hash = [UInt8](repeating: 0x5A, count: 32)

private func nonce(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

private func comparison(
    _ role: ConnectionRole, hash: [UInt8] = hash, nonce number: UInt8
) throws -> ShortStringComparison {
    try #require(ShortStringComparison(role: role, handshakeHash: hash, nonce: nonce(number)))
}

extension [ShortStringComparison.Effect] {
    fileprivate var messages: [ShortStringMessage] {
        compactMap { if case .send(let message) = $0 { message } else { nil } }
    }

    fileprivate var shown: ShortString? {
        compactMap { if case .compare(let digits) = $0 { digits } else { nil } }.first
    }
}

/// Both sides, with what passes between them.
private struct Pair {
    var initiator: ShortStringComparison
    var responder: ShortStringComparison
    var initiatorEffects: [ShortStringComparison.Effect] = []
    var responderEffects: [ShortStringComparison.Effect] = []

    init() throws {
        initiator = try comparison(.initiator, nonce: 1)
        responder = try comparison(.responder, nonce: 2)
    }

    /// Passes messages on until none is left.
    mutating func deliver(
        _ fromInitiator: [ShortStringComparison.Effect],
        _ fromResponder: [ShortStringComparison.Effect] = []
    ) {
        var fromInitiator = fromInitiator
        var fromResponder = fromResponder
        initiatorEffects += fromInitiator
        responderEffects += fromResponder
        while !fromInitiator.messages.isEmpty || !fromResponder.messages.isEmpty {
            let toResponder = fromInitiator.messages
            let toInitiator = fromResponder.messages
            fromResponder = toResponder.flatMap { responder.receive($0) }
            fromInitiator = toInitiator.flatMap { initiator.receive($0) }
            initiatorEffects += fromInitiator
            responderEffects += fromResponder
        }
    }
}

@Suite("Comparing a short string")
struct ShortStringComparisonTests {
    @Test func bothSeeTheSameAndBothYesVerify() throws {
        var pair = try Pair()
        pair.deliver(pair.initiator.begin())
        let digits = try #require(pair.initiatorEffects.shown)
        #expect(pair.responderEffects.shown == digits)
        pair.deliver(pair.initiator.answer(true))
        #expect(!pair.initiatorEffects.contains(.verified))
        #expect(!pair.responderEffects.contains(.verified))
        pair.deliver([], pair.responder.answer(true))
        #expect(pair.initiatorEffects.last == .verified)
        #expect(pair.responderEffects.last == .verified)
        #expect(pair.initiator.isFinished && pair.responder.isFinished)
        #expect(pair.initiator.close().isEmpty)
    }

    /// Computed with Python's `hmac` and `hashlib`.
    @Test func digitsAreAsSpecified() throws {
        var pair = try Pair()
        pair.deliver(pair.initiator.begin())
        #expect(pair.initiatorEffects.shown?.description == "432 376")
        #expect(
            pair.initiatorEffects.messages.first?.bytes.dropFirst()
                == Hexadecimal.bytes(
                    "0be0ced7c7ae9a50965f0c4f00581010dabab8437710da3a448fa1b0cbe06af9")?[...])
    }

    @Test func eitherPersonMayBegin() throws {
        var pair = try Pair()
        pair.deliver([], pair.responder.begin())
        #expect(pair.initiatorEffects.shown != nil)
        #expect(pair.initiatorEffects.shown == pair.responderEffects.shown)
        #expect(pair.initiator.begin().isEmpty)
        var crossed = try Pair()
        crossed.deliver(crossed.initiator.begin(), crossed.responder.begin())
        #expect(crossed.initiatorEffects.shown != nil)
        #expect(crossed.initiatorEffects.shown == crossed.responderEffects.shown)
    }

    @Test(arguments: [true, false], [true, false])
    func oneNoIsEnough(_ isInitiator: Bool, _ answersFirst: Bool) throws {
        var pair = try Pair()
        pair.deliver(pair.initiator.begin())
        if answersFirst {
            pair.deliver(
                isInitiator ? [] : pair.initiator.answer(true),
                isInitiator ? pair.responder.answer(true) : [])
        }
        pair.deliver(
            isInitiator ? pair.initiator.answer(false) : [],
            isInitiator ? [] : pair.responder.answer(false))
        let here = isInitiator ? pair.initiatorEffects : pair.responderEffects
        let there = isInitiator ? pair.responderEffects : pair.initiatorEffects
        #expect(here.last == .failed(.refusedHere))
        #expect(there.last == .failed(.refusedThere))
        #expect(pair.initiator.answer(true).isEmpty && pair.responder.answer(true).isEmpty)
        #expect(pair.responder.receive(.answer(true)).isEmpty)
    }

    @Test func anotherNonceThanCommittedFails() throws {
        var responder = try comparison(.responder, nonce: 2)
        var initiator = try comparison(.initiator, nonce: 1)
        let commitment = try #require(initiator.begin().messages.first)
        #expect(responder.receive(commitment) == [.send(.nonce(nonce(2)))])
        #expect(responder.receive(.reveal(nonce(3))) == [.failed(.wrongReveal)])
    }

    /// The man in the middle has a handshake with each, so a hash with each. It must send the
    /// responder a commitment before it sees the responder's nonce, and the initiator a nonce
    /// before it sees the initiator's: what it sends is fixed, what they show is not.
    @Test func aManInTheMiddleCannotChoose() throws {
        var generator = SeededGenerator(seed: 5)
        func bytes() -> [UInt8] {
            (0..<32).map { _ in .random(in: 0...255, using: &generator) }
        }
        var equal = 0
        for _ in 0..<200 {
            let hashes = (bytes(), bytes())
            var initiator = try #require(
                ShortStringComparison(
                    role: .initiator, handshakeHash: hashes.0, nonce: bytes()))
            var responder = try #require(
                ShortStringComparison(
                    role: .responder, handshakeHash: hashes.1, nonce: bytes()))
            var towardsResponder = try #require(
                ShortStringComparison(
                    role: .initiator, handshakeHash: hashes.1, nonce: bytes()))
            var towardsInitiator = try #require(
                ShortStringComparison(
                    role: .responder, handshakeHash: hashes.0, nonce: bytes()))
            let answer = responder.receive(try #require(towardsResponder.begin().messages.first))
            let nonceForInitiator = towardsInitiator.receive(
                try #require(initiator.begin().messages.first))
            let reveal = towardsResponder.receive(try #require(answer.messages.first))
            let shownToInitiator = initiator.receive(
                try #require(nonceForInitiator.messages.first)
            ).shown
            let shownToResponder = responder.receive(try #require(reveal.messages.first)).shown
            #expect(shownToInitiator != nil && shownToResponder != nil)
            if shownToInitiator == shownToResponder { equal += 1 }
        }
        #expect(equal == 0)
    }

    /// Once it has committed, no other nonce of its own will do, and passing the true one on
    /// does not help, because the hashes of the two handshakes differ.
    @Test func messagesCannotBePassedOn() throws {
        var initiator = try comparison(.initiator, nonce: 1)
        var responder = try comparison(
            .responder, hash: [UInt8](repeating: 0x5B, count: 32), nonce: 2)
        let answer = responder.receive(try #require(initiator.begin().messages.first))
        let reveal = initiator.receive(try #require(answer.messages.first))
        #expect(
            responder.receive(try #require(reveal.messages.first)) == [.failed(.wrongReveal)])
    }

    /// Every message in every state, but the one that belongs there.
    @Test func messagesOutOfTurnEndIt() throws {
        let all: [ShortStringMessage] = [
            .request, .commitment(nonce(7)), .nonce(nonce(7)), .reveal(nonce(7)), .answer(true),
        ]
        func tryAll(
            _ name: String, except allowed: [Int],
            _ make: () throws -> ShortStringComparison
        ) throws {
            for (index, message) in all.enumerated() where !allowed.contains(index) {
                var comparison = try make()
                #expect(comparison.receive(message) == [.failed(.outOfTurn)], "\(name) \(index)")
                #expect(comparison.isFinished)
            }
        }
        try tryAll("idle initiator", except: [0]) { try comparison(.initiator, nonce: 1) }
        try tryAll("idle responder", except: [1]) { try comparison(.responder, nonce: 1) }
        try tryAll("requested", except: [1]) {
            var responder = try comparison(.responder, nonce: 1)
            _ = responder.begin()
            return responder
        }
        try tryAll("committed", except: [0, 2]) {
            var initiator = try comparison(.initiator, nonce: 1)
            _ = initiator.begin()
            return initiator
        }
        try tryAll("answered", except: [3]) {
            var responder = try comparison(.responder, nonce: 1)
            _ = responder.receive(.commitment(nonce(7)))
            return responder
        }
        try tryAll("comparing", except: [4]) {
            var pair = try Pair()
            pair.deliver(pair.initiator.begin())
            return pair.responder
        }
        try tryAll("their answer is known", except: []) {
            var pair = try Pair()
            pair.deliver(pair.initiator.begin())
            pair.deliver(pair.initiator.answer(true))
            return pair.responder
        }
    }

    @Test func aClosedConnectionIsAFailure() throws {
        var pair = try Pair()
        #expect(pair.initiator.close().isEmpty)
        pair.deliver(pair.initiator.begin())
        #expect(pair.initiator.answer(true).count == 1)
        #expect(pair.initiator.close() == [.failed(.closed)])
        #expect(pair.responder.close() == [.failed(.closed)])
        #expect(pair.responder.close().isEmpty)
    }

    @Test func lengthsAreChecked() {
        #expect(
            ShortStringComparison(role: .initiator, handshakeHash: [1], nonce: nonce(1)) == nil)
        #expect(ShortStringComparison(role: .initiator, handshakeHash: hash, nonce: []) == nil)
    }
}

@Suite("Messages of the short string")
struct ShortStringMessageTests {
    private let all: [ShortStringMessage] = [
        .request, .commitment(nonce(1)), .nonce(nonce(2)), .reveal(nonce(3)), .answer(true),
        .answer(false),
    ]

    @Test func roundTrip() {
        for message in all { #expect(ShortStringMessage(message.bytes) == message) }
    }

    @Test func anythingElseIsRefused() {
        for message in all {
            let bytes = message.bytes
            for count in 0..<bytes.count {
                #expect(ShortStringMessage(Array(bytes.prefix(count))) == nil)
            }
            #expect(ShortStringMessage(bytes + [0]) == nil)
        }
        for type: UInt8 in [0, 6, 255] {
            #expect(ShortStringMessage([type]) == nil)
            #expect(ShortStringMessage([type] + nonce(1)) == nil)
        }
        #expect(ShortStringMessage([5, 2]) == nil)
    }
}

@Suite("Tries of the short string")
struct ShortStringAttemptsTests {
    @Test func triesWithOneKeyAreFew() {
        var attempts = ShortStringAttempts()
        let begun = (0..<5).map { _ in attempts.begin(with: deviceKey(1)) }
        #expect(begun == [true, true, true, false, false])
        #expect(attempts.begin(with: deviceKey(2)) == true)
    }

    @Test func aNewKeyEachTimeDoesNotHelp() {
        var attempts = ShortStringAttempts()
        let begun = (0..<20).map { attempts.begin(with: deviceKey($0)) }
        #expect(begun.count { $0 } == ShortStringAttempts.maximumTotal)
        #expect(begun.prefix(10).allSatisfy { $0 })
        attempts.reset()
        #expect(attempts.begin(with: deviceKey(1)) == true)
    }

    @Test func whatIsVerifiedNoLongerCounts() {
        var attempts = ShortStringAttempts()
        for _ in 0..<100 {
            #expect(attempts.begin(with: deviceKey(1)) == true)
            attempts.verified(deviceKey(1))
        }
        #expect(attempts.total == 0)
        _ = attempts.begin(with: deviceKey(1))
        _ = attempts.begin(with: deviceKey(1))
        attempts.verified(deviceKey(1))
        // The one that failed before still counts.
        #expect(attempts.count(for: deviceKey(1)) == 1)
        attempts.verified(deviceKey(9))
        #expect(attempts.total == 1)
    }
}
