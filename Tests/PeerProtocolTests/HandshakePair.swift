import CryptoPrimitives
import NetworkPrimitives
import PeerProtocol
import Testing

/// Private keys whose bytes follow from a number.
func privateKey(_ number: UInt8) -> X25519PrivateKey {
    X25519PrivateKey(secretKey(number))
}

func secretKey(_ number: UInt8) -> SecretKey {
    SecretKey { bytes in
        for index in bytes.indices { bytes[index] = number &+ UInt8(index) }
    }
}

/// What the two sides of a handshake are made with.
struct HandshakeSetup {
    var initiatorService = "_chat._tcp"
    var responderService = "_chat._tcp"
    var initiatorEncryption = EncryptionPreference.required
    var responderEncryption = EncryptionPreference.required
    var initiatorSecret: UInt8?
    var responderSecret: UInt8?

    func payload(_ number: UInt64, _ name: String) throws -> HandshakePayload {
        HandshakePayload(
            id: PeerID(rawValue: number), run: RunNumber(rawValue: 0x100 + number),
            capabilities: Capabilities(rawValue: 0), session: SessionID(rawValue: 0x200 + number),
            name: try PeerName(name))
    }

    func initiator() throws -> PeerHandshake {
        PeerHandshake(
            role: .initiator, serviceType: initiatorService, encryption: initiatorEncryption,
            payload: try payload(1, "Anna"), staticKey: privateKey(1),
            ephemeralKey: privateKey(2),
            secret: initiatorSecret.map { secretKey($0) }, now: .zero)
    }

    func responder() throws -> PeerHandshake {
        PeerHandshake(
            role: .responder, serviceType: responderService, encryption: responderEncryption,
            payload: try payload(2, "Bert"), staticKey: privateKey(3),
            ephemeralKey: privateKey(4),
            secret: responderSecret.map { secretKey($0) }, now: .zero)
    }
}

/// What was sent, who said so, and how each side's handshake ended.
struct HandshakeRun {
    /// Flights in order, each with whether it is the initiator's.
    var flights: [(isInitiator: Bool, bytes: [UInt8])] = []
    var initiatorError: PeerHandshakeError?
    var responderError: PeerHandshakeError?
    var seenByInitiator: PeerDescription?
    var seenByResponder: PeerDescription?

    var isComplete: Bool { seenByInitiator != nil && seenByResponder != nil }

    /// Runs it to its end, handing over `pieceSize` bytes at a time at most; `change` may alter
    /// each flight on its way.
    init(
        _ initiator: inout PeerHandshake, _ responder: inout PeerHandshake,
        pieceSize: Int = .max, change: (Int, [UInt8]) -> [UInt8] = { $1 }
    ) {
        var isInitiator = true
        while initiatorError == nil || responderError == nil {
            let bytes = isInitiator ? initiator.takeOutput() : responder.takeOutput()
            if bytes.isEmpty {
                let other = isInitiator ? responder.takeOutput() : initiator.takeOutput()
                guard !other.isEmpty else { return }
                isInitiator.toggle()
                deliver(other, isInitiator, &initiator, &responder, pieceSize, change)
            } else {
                deliver(bytes, isInitiator, &initiator, &responder, pieceSize, change)
            }
            isInitiator.toggle()
        }
    }

    private mutating func deliver(
        _ bytes: [UInt8], _ isInitiator: Bool, _ initiator: inout PeerHandshake,
        _ responder: inout PeerHandshake, _ pieceSize: Int, _ change: (Int, [UInt8]) -> [UInt8]
    ) {
        flights.append((isInitiator, bytes))
        var rest = change(flights.count - 1, bytes)[...]
        while !rest.isEmpty {
            let wanted = isInitiator ? responder.wantedCount : initiator.wantedCount
            let count = min(wanted, pieceSize, rest.count)
            guard count > 0 else { return }
            let piece = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            do throws(PeerHandshakeError) {
                if isInitiator {
                    try step(try responder.receive(piece, now: .zero), &responder, false)
                } else {
                    try step(try initiator.receive(piece, now: .zero), &initiator, true)
                }
            } catch {
                if isInitiator { responderError = error } else { initiatorError = error }
                return
            }
        }
    }

    private mutating func step(
        _ step: PeerHandshake.Step, _ handshake: inout PeerHandshake, _ isInitiator: Bool
    ) throws(PeerHandshakeError) {
        switch step {
        case .more: break
        case .answer: try handshake.answer()
        case .identified(let peer):
            try handshake.proceed()
            seenByInitiator = peer
        case .complete(let peer): seenByResponder = peer
        }
    }
}
