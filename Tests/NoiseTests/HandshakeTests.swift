import CryptoPrimitives
import Noise
import Testing

@Suite("Noise handshakes")
struct HandshakeTests {
    private static let secret = [UInt8](repeating: 31, count: 32)

    private static func settings(_ sharing: Bool) -> (Side.Setting, Side.Setting) {
        sharing
            ? (Side.Setting.initiator.sharing(secret), Side.Setting.responder.sharing(secret))
            : (.initiator, .responder)
    }

    private func pair(_ sharing: Bool) throws -> Pair {
        let (initiator, responder) = Self.settings(sharing)
        return try Pair(initiator, responder)
    }

    @Test(arguments: [false, true])
    func bothSidesAgree(_ sharing: Bool) throws {
        let pair = try pair(sharing)
        #expect(pair.initiator.isWriting && !pair.responder.isWriting)
        let messages = try pair.run()
        // The bytes of 32 are keys, those of 16 are tags; payloads have 0, 5 and 10.
        #expect(messages.map { $0.count } == [sharing ? 48 : 32, 32 + 48 + 21, 48 + 26])
        #expect(pair.initiator.isComplete && pair.responder.isComplete)
        let hash = try #require(pair.initiator.handshakeHash)
        #expect(hash.count == 32 && pair.responder.handshakeHash == hash)
        #expect(pair.initiator.remoteStatic == Side.Setting.responder.staticKey.publicKey)
        #expect(pair.responder.remoteStatic == Side.Setting.initiator.staticKey.publicKey)
        let (left, right) = try pair.split()
        #expect(left.handshakeHash == hash && right.handshakeHash == hash)
        #expect(left.remoteStatic == Side.Setting.responder.staticKey.publicKey)
        for round in 0..<100 {
            let payload = [UInt8](repeating: UInt8(round), count: round)
            #expect(try right.receive(left.send(payload)) == payload)
            #expect(try left.receive(right.send(payload, data: [7]), data: [7]) == payload)
        }
    }

    /// The static keys are shown under encryption, the initiator's to the responder only.
    @Test func staticKeysAreNotReadable() throws {
        let pair = try pair(false)
        let sent = try pair.run().flatMap { $0 }
        for setting in [Side.Setting.initiator, .responder] {
            let key = setting.staticKey.publicKey
            #expect(!sent.indices.contains { sent[$0...].starts(with: key) })
        }
    }

    @Test(arguments: [false, true])
    func aHashIsOfOneHandshake(_ sharing: Bool) throws {
        var (initiator, responder) = Self.settings(sharing)
        let first = try Pair(initiator, responder)
        try first.run()
        responder.ephemeralKey = TestKey(42)
        initiator.ephemeralKey = TestKey(41)
        let second = try Pair(initiator, responder)
        try second.run()
        #expect(first.initiator.handshakeHash != second.initiator.handshakeHash)
    }

    @Test func staticKeyAndHashAreTakenOnceProven() throws {
        let pair = try pair(false)
        #expect(pair.initiator.remoteStatic == nil)
        try pair.run(to: 2)
        #expect(pair.initiator.remoteStatic != nil && pair.responder.remoteStatic == nil)
        #expect(pair.initiator.handshakeHash == nil && pair.responder.handshakeHash == nil)
        #expect(throws: NoiseError.handshakeIncomplete) { _ = try pair.initiator.split() }
    }

    @Test func anotherPrologue() throws {
        var (initiator, responder) = Self.settings(false)
        responder.prologue = initiator.prologue + [0]
        let pair = try Pair(initiator, responder)
        try pair.run(to: 1)
        let reply = try pair.responder.write()
        expectDead(pair.initiator, after: .handshakeNotAuthentic(.staticKey)) {
            try $0.read(reply)
        }
        initiator.prologue = []
        responder.prologue = []
        #expect(throws: Never.self) { try Pair(initiator, responder).run() }
    }

    /// With the key in the third message, it is the responder who sees that it is another.
    @Test func anotherPreSharedKey() throws {
        var (initiator, responder) = Self.settings(true)
        responder.preSharedKey?[31] ^= 0x80
        let pair = try Pair(initiator, responder)
        try pair.run(to: 2)
        let last = try pair.initiator.write()
        expectDead(pair.responder, after: .handshakeNotAuthentic(.payload)) { try $0.read(last) }
        initiator.preSharedKey = nil
        #expect(throws: NoiseError.preSharedKeyCount(needed: 1, given: 0)) {
            _ = try Side(.initiator, initiator)
        }
        initiator = .initiator
        initiator.preSharedKey = Self.secret
        #expect(throws: NoiseError.preSharedKeyCount(needed: 0, given: 1)) {
            _ = try Side(.initiator, initiator)
        }
    }

    /// One side without the secret does not fall back: the names of the protocols differ.
    @Test func onlyOneSideHasAPreSharedKey() throws {
        let pair = try Pair(Side.Setting.initiator.sharing(Self.secret), .responder)
        let first = try pair.initiator.write()
        // What is 16 bytes longer is a payload to a responder of XX.
        #expect(try pair.responder.read(first).count == 16)
        let reply = try pair.responder.write()
        expectDead(pair.initiator, after: .handshakeNotAuthentic(.staticKey)) {
            try $0.read(reply)
        }
    }

    @Test func ownStaticKeyIsRefusedIfTheCallerSaysSo() throws {
        var (initiator, responder) = Self.settings(false)
        responder.staticKey = initiator.staticKey
        #expect(throws: Never.self) { try Pair(initiator, responder).run() }
        responder.refusesOwnStaticKey = true
        let first = try Pair(initiator, responder)
        try first.run(to: 2)
        let last = try first.initiator.write()
        expectDead(first.responder, after: .ownStaticKey) { try $0.read(last) }
        initiator.refusesOwnStaticKey = true
        let second = try Pair(initiator, responder)
        try second.run(to: 1)
        let reply = try second.responder.write()
        expectDead(second.initiator, after: .ownStaticKey) { try $0.read(reply) }
        responder.staticKey = TestKey(43)
        #expect(throws: Never.self) { try Pair(initiator, responder).run() }
    }

    /// A point of low order: the responder gets none of it, in particular no known key.
    @Test(arguments: [UInt8(0), 1])
    func secretsThatAreZero(_ first: UInt8) throws {
        let point = [first] + [UInt8](repeating: 0, count: 31)
        let pair = try pair(false)
        #expect(try pair.responder.read(point) == [])
        expectDead(pair.responder, after: .secretIsZero(.ee)) { try $0.write() }
        let other = try self.pair(false)
        _ = try other.initiator.write()
        let reply = point + [UInt8](repeating: 0, count: 48 + 16)
        expectDead(other.initiator, after: .secretIsZero(.ee)) { try $0.read(reply) }
    }
}

/// That a call fails as expected, and everything after it as well.
func expectDead<Value>(
    _ side: Side, after error: NoiseError, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: (Side) throws -> Value
) {
    #expect(throws: error, sourceLocation: sourceLocation) { _ = try call(side) }
    #expect(!side.isComplete && !side.isWriting, sourceLocation: sourceLocation)
    #expect(side.remoteStatic == nil && side.handshakeHash == nil, sourceLocation: sourceLocation)
    #expect(throws: NoiseError.failedBefore, sourceLocation: sourceLocation) {
        _ = try side.write()
    }
    #expect(throws: NoiseError.failedBefore, sourceLocation: sourceLocation) {
        _ = try side.read([UInt8](repeating: 9, count: 32))
    }
    #expect(throws: NoiseError.failedBefore, sourceLocation: sourceLocation) {
        _ = try side.split()
    }
}
