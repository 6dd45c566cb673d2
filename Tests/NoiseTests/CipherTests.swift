import CryptoPrimitives
import Noise
import Testing

@Suite("Noise: ciphers of the transport")
struct CipherTests {
    /// A cipher as an object, for the macros.
    private final class Cipher {
        private var state: CipherState

        init(_ key: UInt8 = 3, nonce: UInt64 = 0) throws {
            let key = try secretKey([UInt8](repeating: key, count: 32))
            state = CipherState(key: key, nonce: nonce)
        }

        var nonce: UInt64 { state.nonce }

        func encrypt(_ bytes: [UInt8], _ data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
            try state.encrypt(bytes.span, authenticating: data.span)
        }

        func decrypt(_ bytes: [UInt8], _ data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
            try state.decrypt(bytes.span, authenticating: data.span)
        }

        func rekey() throws(NoiseError) { try state.rekey() }
    }

    private func expectDead(
        _ cipher: Cipher, after error: NoiseError,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ call: (Cipher) throws -> [UInt8]
    ) {
        #expect(throws: error, sourceLocation: sourceLocation) { try call(cipher) }
        #expect(throws: NoiseError.failedBefore, sourceLocation: sourceLocation) {
            try cipher.decrypt([UInt8](repeating: 0, count: 20))
        }
        #expect(throws: NoiseError.failedBefore, sourceLocation: sourceLocation) {
            try cipher.encrypt([])
        }
        #expect(throws: NoiseError.failedBefore, sourceLocation: sourceLocation) {
            try cipher.rekey()
        }
    }

    @Test func messagesInOrder() throws {
        let (sender, receiver) = (try Cipher(), try Cipher())
        for count in [0, 1, 16, 17, 65_519] {
            let bytes = [UInt8](repeating: 4, count: count)
            let message = try sender.encrypt(bytes)
            #expect(message.count == count + 16)
            #expect(try receiver.decrypt(message) == bytes)
        }
        #expect(sender.nonce == 5 && receiver.nonce == 5)
    }

    @Test func repeatedAndMissingMessages() throws {
        let sender = try Cipher()
        let messages = try (0..<3).map { try sender.encrypt([UInt8($0)]) }
        let repeated = try Cipher()
        #expect(try repeated.decrypt(messages[0]) == [0])
        expectDead(repeated, after: .messageNotAuthentic) { try $0.decrypt(messages[0]) }
        let missing = try Cipher()
        expectDead(missing, after: .messageNotAuthentic) { try $0.decrypt(messages[1]) }
    }

    /// Not even the message that would have been right is read afterwards.
    @Test func changedMessages() throws {
        let message = try Cipher().encrypt([1, 2, 3], [9])
        for bit in 0..<8 * message.count {
            let receiver = try Cipher()
            var changed = message
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            expectDead(receiver, after: .messageNotAuthentic) { try $0.decrypt(changed, [9]) }
            #expect(throws: NoiseError.failedBefore) { try receiver.decrypt(message, [9]) }
        }
        expectDead(try Cipher(), after: .messageNotAuthentic) { try $0.decrypt(message, [8]) }
        expectDead(try Cipher(), after: .messageNotAuthentic) { try $0.decrypt(message) }
        expectDead(try Cipher(4), after: .messageNotAuthentic) { try $0.decrypt(message, [9]) }
        #expect(try Cipher().decrypt(message, [9]) == [1, 2, 3])
    }

    @Test func cutMessages() throws {
        let message = try Cipher().encrypt([1, 2, 3])
        for length in 0..<message.count {
            let error: NoiseError =
                length < 16 ? .messageTooShort(bytes: length) : .messageNotAuthentic
            expectDead(try Cipher(), after: error) {
                try $0.decrypt(Array(message.prefix(length)))
            }
        }
    }

    /// To be asked for too much changes nothing, to receive it does.
    @Test func messagesThatAreTooLong() throws {
        let cipher = try Cipher()
        #expect(throws: NoiseError.messageTooLong(bytes: 65_536)) {
            try cipher.encrypt([UInt8](repeating: 0, count: 65_520))
        }
        #expect(cipher.nonce == 0)
        #expect(try Cipher().decrypt(cipher.encrypt([5])) == [5])
        expectDead(cipher, after: .messageTooLong(bytes: 65_536)) {
            try $0.decrypt([UInt8](repeating: 0, count: 65_536))
        }
    }

    @Test func theLastNumberIsNotUsed() throws {
        let (sender, receiver) = (try Cipher(nonce: .max - 1), try Cipher(nonce: .max - 1))
        let message = try sender.encrypt([1])
        #expect(try receiver.decrypt(message) == [1])
        #expect(throws: NoiseError.nonceExhausted) { try sender.encrypt([1]) }
        // A new key does not begin at zero again: both sides would have to agree.
        try sender.rekey()
        #expect(throws: NoiseError.nonceExhausted) { try sender.encrypt([1]) }
        #expect(sender.nonce == .max)
        expectDead(receiver, after: .nonceExhausted) { try $0.decrypt(message) }
    }

    @Test func rekeyOnBothSides() throws {
        let (sender, receiver) = (try Cipher(), try Cipher())
        for round in 0..<5 {
            #expect(try receiver.decrypt(sender.encrypt([1, UInt8(round)])) == [1, UInt8(round)])
            try sender.rekey()
            try receiver.rekey()
            #expect(try receiver.decrypt(sender.encrypt([2, UInt8(round)])) == [2, UInt8(round)])
        }
        #expect(sender.nonce == 10)
    }

    @Test func rekeyOnOneSide() throws {
        let (sender, receiver) = (try Cipher(), try Cipher())
        try sender.rekey()
        let message = try sender.encrypt([1])
        expectDead(receiver, after: .messageNotAuthentic) { try $0.decrypt(message) }
    }

    /// Noise §4.2: the first 32 bytes of 32 zeros encrypted under the last number.
    @Test func theNextKeyIsMadeFromTheLastNumber() throws {
        let cipher = try Cipher()
        try cipher.rekey()
        let old = try secretKey([UInt8](repeating: 3, count: 32))
        var next = [UInt8](repeating: 0, count: 32)
        var bytes = next.mutableSpan
        _ = ChaCha20Poly1305.seal(
            &bytes, authenticating: Span(), key: old, nonce: .init(counter: .max))
        var other = CipherState(key: try secretKey(next))
        let expected = try other.encrypt([6, 6].span)
        #expect(try cipher.encrypt([6, 6]) == expected)
    }

    /// Each direction has a key of its own, so that a message can't be sent back.
    @Test func messagesCantBeReflected() throws {
        let pair = try Pair()
        try pair.run()
        let (left, right) = try pair.split()
        let message = try left.send([1])
        _ = try right.send([1])
        #expect(throws: NoiseError.messageNotAuthentic) { try left.receive(message) }
        #expect(try right.receive(message) == [1])
        #expect(throws: NoiseError.failedBefore) { try left.receive(right.send([2])) }
    }
}
