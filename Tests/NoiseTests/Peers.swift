import CryptoPrimitives
import NetworkPrimitives

@testable import Noise

/// A value of a vector has another length than its kind has.
struct WrongLength: Error {
    let count: Int
}

/// A key of 32 bytes.
func secretKey(_ bytes: [UInt8]) throws -> SecretKey {
    guard let key = SecretKey(copying: bytes.span) else { throw WrongLength(count: bytes.count) }
    return key
}

func privateKey(_ bytes: [UInt8]) throws -> X25519PrivateKey {
    X25519PrivateKey(try secretKey(bytes))
}

/// A key of tests, whose public key is computed once.
final class TestKey: @unchecked Sendable {
    private let key: X25519PrivateKey

    init(_ byte: UInt8) {
        key = X25519PrivateKey(
            SecretKey { bytes in
                for index in bytes.indices { bytes[index] = byte }
            })
    }

    func copy() -> X25519PrivateKey { key.duplicate() }

    var publicKey: [UInt8] { key.publicKey.bytes }
}

/// The transport of one side, as an object: noncopyable values can't stand in arrays.
final class Duplex {
    private var state: TransportState

    init(_ state: consuming TransportState) { self.state = state }

    var handshakeHash: [UInt8] { state.handshakeHash }
    var remoteStatic: [UInt8]? { state.remoteStatic?.bytes }

    func send(_ payload: [UInt8], data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        try state.sending.encrypt(payload.span, authenticating: data.span)
    }

    func receive(_ message: [UInt8], data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        try state.receiving.decrypt(message.span, authenticating: data.span)
    }

    func rekeySending() throws(NoiseError) { try state.sending.rekey() }
    func rekeyReceiving() throws(NoiseError) { try state.receiving.rekey() }
}

/// One side of a handshake, as an object that the testing macros can capture.
final class Side {
    private var state: HandshakeState?

    /// What a side is made with; the defaults differ between the roles.
    struct Setting {
        var pattern = HandshakePattern.xx
        var prologue: [UInt8] = [1, 2, 3]
        var staticKey: TestKey
        var ephemeralKey: TestKey
        var preSharedKey: [UInt8]?
        var refusesOwnStaticKey = false

        static let initiator = Setting(staticKey: TestKey(11), ephemeralKey: TestKey(12))
        static let responder = Setting(staticKey: TestKey(21), ephemeralKey: TestKey(22))

        /// The same for XXpsk3.
        func sharing(_ key: [UInt8]) -> Setting {
            var setting = self
            setting.pattern = .xxPSK3
            setting.preSharedKey = key
            return setting
        }
    }

    init(_ role: HandshakeRole, _ setting: Setting) throws {
        let staticKey = setting.staticKey.copy()
        let ephemeralKey = setting.ephemeralKey.copy()
        let shared: SecretKey? =
            if let key = setting.preSharedKey { try secretKey(key) } else { nil }
        state = try .begin(
            as: role, pattern: setting.pattern, prologue: setting.prologue.span,
            staticKey: staticKey, ephemeralKey: ephemeralKey, preSharedKey: shared,
            refusesOwnStaticKey: setting.refusesOwnStaticKey)
    }

    func write(_ payload: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        try state?.writeMessage(payload.span) ?? []
    }

    func read(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        try state?.readMessage(message.span) ?? []
    }

    func split() throws(NoiseError) -> Duplex {
        guard let state = state.take() else { throw .failedBefore }
        return Duplex(try state.split())
    }

    var isComplete: Bool { state?.isComplete ?? false }
    var isWriting: Bool { state?.isWriting ?? false }
    var remoteStatic: [UInt8]? { state?.remoteStatic?.bytes }
    var handshakeHash: [UInt8]? { state?.handshakeHash ?? nil }
}

/// Both sides of a handshake and what they said.
struct Pair {
    let initiator: Side
    let responder: Side

    init(
        _ initiator: Side.Setting = .initiator, _ responder: Side.Setting = .responder
    ) throws {
        self.initiator = try Side(.initiator, initiator)
        self.responder = try Side(.responder, responder)
    }

    /// The side that writes message `index`, and the one that reads it.
    func sides(of index: Int) -> (writer: Side, reader: Side) {
        index.isMultiple(of: 2) ? (initiator, responder) : (responder, initiator)
    }

    /// Sends messages up to but not including `end`, each with a payload of some bytes.
    @discardableResult
    func run(to end: Int = 3) throws -> [[UInt8]] {
        try (0..<end).map { index in
            let (writer, reader) = sides(of: index)
            let message = try writer.write(Self.payload(index))
            guard try reader.read(message) == Self.payload(index) else {
                throw PayloadDiffers(index: index)
            }
            return message
        }
    }

    func split() throws -> (Duplex, Duplex) { (try initiator.split(), try responder.split()) }

    static func payload(_ index: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(index), count: 5 * index)
    }

    struct PayloadDiffers: Error {
        let index: Int
    }
}
