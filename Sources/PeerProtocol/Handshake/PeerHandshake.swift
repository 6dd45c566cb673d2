package import CryptoPrimitives
package import NetworkPrimitives
import Noise

/// The beginning of a connection: both prefaces in clear, then the three messages of Noise's XX
/// (or XXpsk3 with a shared secret), each with two bytes of length before it.
///
/// | | initiator | responder |
/// | --- | --- | --- |
/// | 1 | preface | |
/// | 2 | | preface |
/// | 3 | message 1: no payload | |
/// | 4 | | message 2: `HandshakePayload` |
/// | 5 | message 3: `HandshakePayload` | |
///
/// The initiator knows the responder's key before it shows its own: it goes on only if that is
/// the one it dialled. The responder computes nothing before it is allowed to. No more bytes are
/// taken than the current step needs, so a stranger occupies little; what follows the handshake
/// stays with the caller. Whatever goes wrong ends it; there is no second attempt with less.
package struct PeerHandshake: ~Copyable {
    /// How long a handshake may take.
    package static let time: Duration = .seconds(10)

    /// What is to be done next.
    package enum Step: Hashable, Sendable {
        /// Read on.
        case more
        /// Call `answer`, or close the connection: the responder's turn to compute.
        case answer
        /// Call `proceed`, or close the connection: the initiator knows who answered, and has not
        /// shown who it is.
        case identified(PeerDescription)
        /// Call `finish`.
        case complete(PeerDescription)
    }

    private enum Phase {
        case preface
        case messageOne
        case answering
        case messageTwo
        case proceeding
        case messageThree
        case complete
        case failed
    }

    private let role: ConnectionRole
    private let serviceType: String
    private let ours: Preface
    private let payload: HandshakePayload
    private var keys: HandshakeSecrets?
    private var noise: HandshakeState?
    private var phase = Phase.preface
    private var buffer: [UInt8] = []
    private var output: [UInt8] = []
    private var negotiation: Negotiation?
    private var theirs: (peer: PeerDescription, payload: HandshakePayload)?

    /// When it has to be complete.
    package let deadline: Instant

    /// A handshake on a new connection. The initiator's first bytes are in the output at once.
    ///
    /// - Parameters:
    ///   - serviceType: What both sides must mean, as `_chat._tcp`.
    ///   - payload: What this side says of itself.
    ///   - staticKey: The device key.
    ///   - ephemeralKey: Drawn at random for this handshake and never used again.
    ///   - secret: The shared secret, if one is to be proved.
    package init(
        role: ConnectionRole, serviceType: String, encryption: EncryptionPreference,
        payload: HandshakePayload, staticKey: consuming X25519PrivateKey,
        ephemeralKey: consuming X25519PrivateKey, secret: consuming SecretKey? = nil, now: Instant
    ) {
        self.role = role
        self.serviceType = serviceType
        self.payload = payload
        let keys = HandshakeSecrets(staticKey, ephemeralKey, secret)
        ours = Preface(role: role, encryption: encryption, wantsSecret: keys.hasSecret)
        self.keys = consume keys
        deadline = now.advanced(by: Self.time)
        if role == .initiator { output = ours.bytes }
    }

    /// How many bytes should be read for the current step at most.
    package var wantedCount: Int {
        switch phase {
        case .preface:
            guard buffer.count >= Preface.headerSize else {
                return Preface.headerSize - buffer.count
            }
            // A length that is too large was refused when the header came.
            let count = Int(buffer[8]) << 8 | Int(buffer[9])
            return Preface.headerSize + count - buffer.count
        case .messageOne, .messageTwo, .messageThree:
            guard buffer.count >= 2 else { return 2 - buffer.count }
            return 2 + messageSize - buffer.count
        case .answering, .proceeding, .complete, .failed: return 0
        }
    }

    /// What is to be sent, also after an error: it tells the other side what does not fit.
    package mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes bytes of the connection, `wantedCount` of them at most.
    package mutating func receive(
        _ bytes: [UInt8], now: Instant
    ) throws(PeerHandshakeError) -> Step {
        do throws(PeerHandshakeError) {
            guard now < deadline else { throw .timedOut }
            guard bytes.count <= wantedCount else { throw .outOfTurn }
            buffer += bytes
            switch phase {
            case .preface: return try readPreface()
            case .messageOne: return try readMessageOne()
            case .messageTwo: return try readPayload(then: .proceeding)
            case .messageThree: return try readPayload(then: .complete)
            case .answering, .proceeding, .complete, .failed: throw .outOfTurn
            }
        } catch { throw failed(error) }
    }

    /// The responder reads message 1 and writes message 2: to be called after the step `answer`.
    package mutating func answer() throws(PeerHandshakeError) {
        do throws(PeerHandshakeError) {
            guard phase == .answering else { throw .outOfTurn }
            let message = takeMessage()
            let text = payload.bytes
            do throws(NoiseError) {
                guard try noise?.readMessage(message.span) == [] else { throw .outOfTurn }
                send(try noise?.writeMessage(text.span) ?? [])
            } catch { throw .noise(error) }
            phase = .messageThree
        } catch { throw failed(error) }
    }

    /// The initiator writes message 3, which shows who it is: to be called after the step
    /// `identified`, if the other side is the one it dialled.
    package mutating func proceed() throws(PeerHandshakeError) {
        do throws(PeerHandshakeError) {
            guard phase == .proceeding else { throw .outOfTurn }
            let text = payload.bytes
            do throws(NoiseError) {
                send(try noise?.writeMessage(text.span) ?? [])
            } catch { throw .noise(error) }
            phase = .complete
        } catch { throw failed(error) }
    }

    /// What the handshake leaves, once it is complete.
    package consuming func finish() throws(PeerHandshakeError) -> EstablishedConnection {
        guard phase == .complete, let negotiation, let theirs, let noise = noise.take() else {
            throw .outOfTurn
        }
        do throws(NoiseError) {
            return EstablishedConnection(
                role: role, peer: theirs.peer, payload: theirs.payload, negotiation: negotiation,
                transport: try noise.split())
        } catch { throw .noise(error) }
    }

    // MARK: Steps

    private mutating func readPreface() throws(PeerHandshakeError) -> Step {
        let preface: Preface?
        do throws(PrefaceError) {
            preface = try Preface(startOf: buffer)
        } catch { throw .preface(error) }
        guard let preface else { return .more }
        buffer = []
        // Before anything is refused: the other side has to see why.
        if role == .responder { output += ours.bytes }
        do throws(NegotiationError) {
            negotiation = try Negotiation(ours: ours, theirs: preface)
        } catch { throw .negotiation(error) }
        let isInitiator = role == .initiator
        guard
            let prologue = Prologue.bytes(
                serviceType: serviceType, initiator: isInitiator ? ours : preface,
                responder: isInitiator ? preface : ours)
        else { throw .serviceTypeTooLong }
        do throws(NoiseError) {
            try beginNoise(prologue)
            if isInitiator { send(try noise?.writeMessage() ?? []) }
        } catch { throw .noise(error) }
        phase = isInitiator ? .messageTwo : .messageOne
        return .more
    }

    private mutating func beginNoise(_ prologue: [UInt8]) throws(NoiseError) {
        guard let keys = keys.take() else { throw .failedBefore }
        noise = try keys.begin(role, prologue)
    }

    private mutating func readMessageOne() throws(PeerHandshakeError) -> Step {
        guard try isMessageWhole() else { return .more }
        phase = .answering
        return .answer
    }

    private mutating func readPayload(then next: Phase) throws(PeerHandshakeError) -> Step {
        guard try isMessageWhole() else { return .more }
        let message = takeMessage()
        let text: [UInt8]
        do throws(NoiseError) {
            text = try noise?.readMessage(message.span) ?? []
        } catch { throw .noise(error) }
        let payload: HandshakePayload
        do throws(HandshakePayloadError) {
            payload = try HandshakePayload(decoding: text)
        } catch { throw .payload(error) }
        guard let key = noise?.remoteStatic else { throw .outOfTurn }
        let peer = PeerDescription(
            identity: PeerIdentity(key: DeviceKey(key), id: payload.id), run: payload.run,
            name: payload.name)
        theirs = (peer, payload)
        phase = next
        return next == .complete ? .complete(peer) : .identified(peer)
    }

    // MARK: Messages

    /// How many bytes follow, as the first two bytes of the buffer say.
    private var messageSize: Int { Int(buffer[0]) << 8 | Int(buffer[1]) }

    private func isMessageWhole() throws(PeerHandshakeError) -> Bool {
        guard buffer.count >= 2 else { return false }
        guard sizes.contains(messageSize) else { throw .invalidMessageSize(messageSize) }
        return buffer.count == 2 + messageSize
    }

    /// What the message of the phase may have: keys of 32 bytes, tags of 16, and the payload.
    private var sizes: ClosedRange<Int> {
        switch phase {
        case .messageTwo: 96...(96 + HandshakePayload.maximumSize)
        case .messageThree: 64...(64 + HandshakePayload.maximumSize)
        default: negotiation?.usesSecret == true ? 48...48 : 32...32
        }
    }

    private mutating func takeMessage() -> [UInt8] {
        defer { buffer = [] }
        return Array(buffer.dropFirst(2))
    }

    private mutating func send(_ message: [UInt8]) {
        output += message.withLength
    }

    /// Overwrites the keys.
    ///
    /// - Returns: The error that is thrown.
    private mutating func failed(_ error: PeerHandshakeError) -> PeerHandshakeError {
        phase = .failed
        keys = nil
        noise = nil
        buffer = []
        return error
    }
}
