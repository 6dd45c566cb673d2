import CryptoPrimitives
import LinuxNetworking
import Noise

/// One side of a Noise session on standard input and output, for peers written elsewhere.
///
/// A message is two bytes of length, big-endian, and so many bytes. The peer gets this side's
/// static key in clear, then the handshake runs, then comes the handshake hash in clear. After
/// that each message is opened and its plaintext sealed and sent back; after one that says
/// "rekey" both keys are replaced. The end of the input ends it.
struct NoisePeer: ~Copyable {
    private let input: SystemFile.Reader
    private var pending: [UInt8] = []

    init() throws(SystemError) {
        input = try .standardInput()
    }

    mutating func run(_ role: HandshakeRole, secret: [UInt8]?) throws {
        let staticKey = try Self.drawnKey()
        try send(staticKey.publicKey.bytes)
        var handshake = try Self.handshake(role, staticKey, secret)
        var count: UInt8 = 0
        while !handshake.isComplete {
            if handshake.isWriting {
                let payload = [UInt8](repeating: count, count: Int(count))
                try send(handshake.writeMessage(payload.span))
            } else {
                guard let message = try receive() else { return }
                let payload = try handshake.readMessage(message.span)
                guard payload == [UInt8](repeating: count, count: Int(count)) else {
                    throw UnexpectedPayload()
                }
            }
            count += 1
        }
        var transport = try handshake.split()
        try send(transport.handshakeHash)
        try send(transport.remoteStatic?.bytes ?? [])
        while let message = try receive() {
            let plaintext = try transport.receiving.decrypt(message.span)
            try send(transport.sending.encrypt(plaintext.span))
            guard plaintext == Array("rekey".utf8) else { continue }
            try transport.sending.rekey()
            try transport.receiving.rekey()
        }
    }

    private struct UnexpectedPayload: Error {}

    private static func handshake(
        _ role: HandshakeRole, _ staticKey: borrowing X25519PrivateKey, _ secret: [UInt8]?
    ) throws -> HandshakeState {
        let shared: SecretKey? = if let secret { SecretKey(copying: secret.span) } else { nil }
        let pattern: HandshakePattern = secret == nil ? .xx : .xxPSK3
        let prologue = Array("CryptoProbe".utf8)
        let key = staticKey.duplicate()
        let ephemeralKey = try drawnKey()
        return try .begin(
            as: role, pattern: pattern, prologue: prologue.span, staticKey: key,
            ephemeralKey: ephemeralKey, preSharedKey: shared)
    }

    private static func drawnKey() throws(SystemError) -> X25519PrivateKey {
        X25519PrivateKey(
            try SecretKey { bytes throws(SystemError) in try SystemRandom.fill(&bytes) })
    }

    private func send(_ message: [UInt8]) throws {
        let framed = [UInt8(message.count >> 8), UInt8(message.count & 255)] + message
        try StandardStream.output.write(framed.span)
    }

    /// The next message; nil at the end of the input.
    private mutating func receive() throws -> [UInt8]? {
        guard let length = try take(2) else { return nil }
        return try take(Int(length[0]) << 8 | Int(length[1]))
    }

    private mutating func take(_ count: Int) throws(SystemError) -> [UInt8]? {
        while pending.count < count {
            let bytes = try input.next()
            guard !bytes.isEmpty else { return nil }
            pending += bytes
        }
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }
}
