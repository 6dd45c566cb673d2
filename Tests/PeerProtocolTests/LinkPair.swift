import CryptoPrimitives
import NetworkPrimitives

@testable import Noise
@testable import PeerProtocol

/// Two links and what is on its way between them.
struct LinkPair: ~Copyable {
    var first: PeerLink
    var second: PeerLink
    var now = Instant.zero
    /// Bytes on their way, from the first and from the second.
    private var flights = [ByteQueue(), ByteQueue()]
    /// Events of each side that were taken.
    var events: [[PeerLink.Event]] = [[], []]
    /// How many bytes each side has been given.
    var delivered = [0, 0]
    /// Whether `answerWanted` is followed by `answer`.
    var answers = true

    init(
        _ setup: HandshakeSetup = HandshakeSetup(), keys: [UInt8] = [1, 2, 3, 4],
        change: (inout PeerLink.Configuration) -> Void = { _ in }
    ) throws {
        let initiator = try setup.configuration(.initiator, change)
        let responder = try setup.configuration(.responder, change)
        first = setup.link(
            initiator, staticKey: privateKey(keys[0]),
            ephemeralKey: privateKey(keys[1]))
        second = setup.link(
            responder, staticKey: privateKey(keys[2]),
            ephemeralKey: privateKey(keys[3]))
    }

    /// A pair whose handshake is not run, so that its keys do not matter.
    private init(
        _ setup: HandshakeSetup, unusedKey: borrowing X25519PrivateKey,
        change: (inout PeerLink.Configuration) -> Void
    ) throws {
        let initiator = try setup.configuration(.initiator, change)
        let responder = try setup.configuration(.responder, change)
        first = setup.link(
            initiator, staticKey: unusedKey.duplicate(),
            ephemeralKey: unusedKey.duplicate())
        second = setup.link(
            responder, staticKey: unusedKey.duplicate(),
            ephemeralKey: unusedKey.duplicate())
    }

    /// A pair behind its handshake, which was not run: with keys of the test's own. A handshake
    /// takes half a second where nothing is optimized.
    static func established(
        _ setup: HandshakeSetup = HandshakeSetup(),
        change: (inout PeerLink.Configuration) -> Void = { _ in }
    ) throws -> LinkPair {
        try established(setup, unusedKey: privateKey(0), change: change)
    }

    /// The same with a key that was made before, which takes longer than all the rest.
    static func established(
        _ setup: HandshakeSetup = HandshakeSetup(), unusedKey: borrowing X25519PrivateKey,
        change: (inout PeerLink.Configuration) -> Void
    ) throws -> LinkPair {
        var pair = try LinkPair(setup, unusedKey: unusedKey, change: change)
        pair.first.establish(try setup.connection(.initiator))
        pair.second.establish(try setup.connection(.responder))
        // The preface.
        _ = pair.first.nextOutput(now: .zero)
        pair.exchange()
        return pair
    }

    /// A pair whose sides trust each other and are connected, with no event left.
    static func connected(
        _ setup: HandshakeSetup = HandshakeSetup(),
        change: (inout PeerLink.Configuration) -> Void = { _ in }
    ) throws -> LinkPair {
        var pair = try LinkPair.established(setup, change: change)
        try pair.connect()
        pair.events = [[], []]
        return pair
    }

    mutating func connect() throws {
        try first.trust(.trusted, now: now)
        try second.trust(.trusted, now: now)
        try first.invite(try Invitation(), number: 1, now: now)
        exchange()
        try second.accept(number: 1, now: now)
        exchange()
    }

    var isOver: [Bool] { [first.end != nil, second.end != nil] }

    /// The only event of a side that is an end.
    func end(_ side: Int) -> LinkEnd? {
        let ends = events[side].compactMap {
            if case .ended(let end) = $0 { end } else { nil }
        }
        return ends.count == 1 ? ends[0] : nil
    }

    mutating func takeEvents() {
        while let event = first.nextEvent() {
            events[0].append(event)
            if event == .answerWanted, answers { try? first.answer(now: now) }
        }
        while let event = second.nextEvent() {
            events[1].append(event)
            if event == .answerWanted, answers { try? second.answer(now: now) }
        }
    }

    /// Puts what is due on its way, `records` at most from each side.
    mutating func send(records: Int = .max) {
        var count = 0
        while count < records, let bytes = first.nextOutput(now: now) {
            flights[0].append(bytes)
            count += 1
        }
        count = 0
        while count < records, let bytes = second.nextOutput(now: now) {
            flights[1].append(bytes)
            count += 1
        }
        takeEvents()
    }

    /// Hands over what was sent by a side, `size` bytes at most.
    mutating func deliver(from side: Int, upTo size: Int = .max) {
        let piece = flights[side].take(upTo: size)
        guard !piece.isEmpty else { return }
        delivered[1 - side] += piece.count
        if side == 0 {
            second.receive(piece, now: now)
        } else {
            first.receive(piece, now: now)
        }
        takeEvents()
    }

    /// What a side sends next, and the frames in it if it is a record.
    mutating func nextRecord(_ side: Int) -> (text: [UInt8]?, bytes: [UInt8])? {
        defer { takeEvents() }
        let isClear = side == 0 ? first.clear.count > 0 : second.clear.count > 0
        if isClear {
            let bytes = side == 0 ? first.nextOutput(now: now) : second.nextOutput(now: now)
            return bytes.map { (nil, $0) }
        }
        let text = side == 0 ? first.nextText() : second.nextText()
        return text.isEmpty ? nil : (text, seal(text, from: side))
    }

    /// A record of a side with any text.
    mutating func seal(_ text: [UInt8], from side: Int) -> [UInt8] {
        if side == 0 { return (try? first.cipher?.seal(text, now: now)) ?? [] }
        return (try? second.cipher?.seal(text, now: now)) ?? []
    }

    /// Hands bytes over that a side has sent, or somebody in its name.
    mutating func hand(_ bytes: [UInt8], from side: Int) {
        if side == 0 {
            second.receive(bytes, now: now)
        } else {
            first.receive(bytes, now: now)
        }
        takeEvents()
    }

    /// Hands over a record with those frames.
    mutating func hand(_ frames: [Frame], from side: Int) {
        var text: [UInt8] = []
        for frame in frames { frame.append(to: &text) }
        hand(seal(text, from: side), from: side)
    }

    /// Passes bytes on in both directions until none is left.
    mutating func exchange(pieceSize: Int = .max) {
        takeEvents()
        repeat {
            send()
            deliver(from: 0, upTo: pieceSize)
            deliver(from: 1, upTo: pieceSize)
            if flights[0].isEmpty, flights[1].isEmpty { send() }
        } while !flights[0].isEmpty || !flights[1].isEmpty
    }

    /// Lets time pass, each side being woken when it wants to be; what is sent arrives at once.
    mutating func pass(_ duration: Duration, isCut: Bool = false) {
        let end = now.advanced(by: duration)
        while true {
            let next = [first.deadline, second.deadline].compactMap(\.self).min() ?? .never
            guard next <= end else { break }
            now = max(now, next)
            advance(isCut: isCut)
        }
        now = end
        advance(isCut: isCut)
    }

    private mutating func advance(isCut: Bool) {
        first.advance(to: now)
        second.advance(to: now)
        takeEvents()
        if isCut {
            send()
            flights = [ByteQueue(), ByteQueue()]
        } else {
            exchange()
        }
    }
}

extension HandshakeSetup {
    func configuration(
        _ role: ConnectionRole, _ change: (inout PeerLink.Configuration) -> Void
    ) throws -> PeerLink.Configuration {
        let isInitiator = role == .initiator
        var configuration = PeerLink.Configuration(
            role: role, serviceType: isInitiator ? initiatorService : responderService,
            encryption: isInitiator ? initiatorEncryption : responderEncryption,
            payload: try isInitiator ? payload(1, "Anna") : payload(2, "Bert"),
            comparisonNonce: [UInt8](repeating: isInitiator ? 1 : 2, count: 32))
        change(&configuration)
        return configuration
    }

    /// What a handshake would have left.
    func connection(_ role: ConnectionRole) throws -> EstablishedConnection {
        let isInitiator = role == .initiator
        let preface = Preface(role: role, encryption: .required, wantsSecret: false)
        let other = Preface(role: role.other, encryption: .required, wantsSecret: false)
        let payload = try isInitiator ? payload(2, "Bert") : payload(1, "Anna")
        let key = DeviceKey([UInt8](repeating: isInitiator ? 2 : 1, count: 32))
        guard let key else { throw PeerHandshakeError.outOfTurn }
        return EstablishedConnection(
            role: role,
            peer: PeerDescription(
                identity: PeerIdentity(key: key, id: payload.id), run: payload.run,
                name: payload.name),
            payload: payload, negotiation: try Negotiation(ours: preface, theirs: other),
            transport: TransportState(
                role: isInitiator ? .initiator : .responder,
                symmetric: SymmetricState(protocolName: "test"), remoteStatic: nil))
    }

    func link(
        _ configuration: PeerLink.Configuration, staticKey: consuming X25519PrivateKey,
        ephemeralKey: consuming X25519PrivateKey
    ) -> PeerLink {
        let secret = configuration.role == .initiator ? initiatorSecret : responderSecret
        return PeerLink(
            configuration, staticKey: staticKey, ephemeralKey: ephemeralKey,
            secret: secret.map { secretKey($0) }, now: .zero)
    }
}
