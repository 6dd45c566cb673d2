import DNSMessages
import DNSSD
import NetworkPrimitives

/// Writes what a hostile host says.
struct HostileHost: Sendable {
    /// The kinds of things it says.
    enum Kind: String, Hashable, Sendable {
        case randomNames = "random names"
        case floodFromOne = "of the browsed type from one source"
        case floodFromMany = "of the browsed type from many sources"
        case forgedGoodbyes = "forged goodbyes"
        case maximal = "maximal packets"
        case tinyLifetimes = "tiny lifetimes"
        case endlessTruncation = "endless TC"
    }

    /// A true service as everyone receives it.
    struct Victim: Sendable {
        let instance: DomainName
        let host: DomainName
        let location: ServiceLocation
        let address: IPv4Address
    }

    /// `_ipp._tcp`, which the user looks for.
    static let browsedType = "_ipp._tcp"
    private static let sourceCount: UInt32 = 2_000
    private static let largestPayload = 8_972

    var host = HostID(rawValue: 0)
    var victims: [Victim] = []
    private let type: DomainName
    private var generator: SeededGenerator
    private var floods = 0
    /// The bytes of the largest packet, written once.
    private var maximalPayload: [UInt8] = []

    /// `nil` where the names can't be made, which does not happen.
    init?(seed: UInt64) {
        guard let service = try? ServiceType(Self.browsedType),
            let type = try? service.domainName(in: .local)
        else { return nil }
        self.type = type
        generator = SeededGenerator(seed: seed)
        maximalPayload = maximal()
    }

    /// The next thing to say.
    mutating func next(on link: LinkID) -> (kind: Kind, datagram: Datagram)? {
        let own = AddressPlan.ipv4(host, on: link).address
        let draw = generator.integer(in: 0..<100)
        switch draw {
        case 0..<35: return said(.randomNames, from: own, randomName())
        case 35..<53: return said(.floodFromOne, from: own, flood())
        case 53..<71: return said(.floodFromMany, from: anySource(), flood())
        case 71..<76: return forgedGoodbye(from: own)
        case 76..<77:
            return (.maximal, datagram(maximalPayload, from: anySource()))
        case 77..<90: return said(.tinyLifetimes, from: own, tiny())
        default: return said(.endlessTruncation, from: anySource(), truncated())
        }
    }

    /// How long after a millisecond's start it speaks.
    mutating func pause() -> Duration {
        generator.duration(in: .zero...(.microseconds(999)))
    }

    private func said(
        _ kind: Kind, from source: IPAddress, _ message: Message?
    ) -> (kind: Kind, datagram: Datagram)? {
        guard let message, let bytes = try? message.encoded(limit: Self.largestPayload) else {
            return nil
        }
        return (kind, datagram(bytes, from: source))
    }

    private func datagram(_ bytes: [UInt8], from source: IPAddress) -> Datagram {
        Datagram(
            bytes, from: SocketAddress(source, port: 5353),
            to: SocketAddress(.multicastDNS(.ipv4), port: 5353))
    }

    /// One of many addresses of the link's subnet at which nobody is.
    private mutating func anySource() -> IPAddress {
        let number = UInt32.random(in: 0..<Self.sourceCount, using: &generator)
        return .v4(IPv4Address(rawValue: 10 << 24 | 0x4000 + number))
    }

    private mutating func name(_ prefix: String, _ number: some BinaryInteger) -> DomainName? {
        guard let label = try? Label("\(prefix) \(number)") else { return nil }
        return try? type.prepending(label)
    }

    // MARK: Messages

    private mutating func randomName() -> Message? {
        let number = UInt64.random(in: 0 ... .max, using: &generator)
        guard let label = try? Label(String(number, radix: 36)),
            let host = try? DomainName.local.prepending(label)
        else { return nil }
        let address = IPv4Address(rawValue: 10 << 24 | UInt32(truncatingIfNeeded: number) & 0xFFFF)
        return Message(
            header: .response,
            answers: [ResourceRecord(host, .a(address), timeToLive: .host, cacheFlush: true)])
    }

    /// An instance that is new each time, with all that belongs to it; every other one claims to
    /// be the only one of the type.
    private mutating func flood() -> Message? {
        floods += 1
        guard let instance = name("Flood", floods) else { return nil }
        let location = ServiceLocation(target: instance, port: 9)
        return Message(
            header: .response,
            answers: [
                ResourceRecord(
                    type, .ptr(instance), timeToLive: .standard, cacheFlush: floods % 2 == 0)
            ],
            additionals: [
                ResourceRecord(instance, .srv(location), timeToLive: .host, cacheFlush: true),
                ResourceRecord(
                    instance, .a(IPv4Address(10, 0, 9, 9)), timeToLive: .host, cacheFlush: true),
            ])
    }

    /// A goodbye for one of the records of a true service.
    private mutating func forgedGoodbye(
        from own: IPAddress
    ) -> (kind: Kind, datagram: Datagram)? {
        guard let record = stolen(lasting: .goodbye) else { return nil }
        return said(.forgedGoodbyes, from: own, Message(header: .response, answers: [record]))
    }

    /// One of the records of a true service, with another lifetime.
    private mutating func stolen(lasting lifetime: TimeToLive) -> ResourceRecord? {
        guard let victim = generator.element(of: victims) else { return nil }
        switch generator.integer(in: 0..<3) {
        case 0: return ResourceRecord(type, .ptr(victim.instance), timeToLive: lifetime)
        case 1:
            return ResourceRecord(
                victim.instance, .srv(victim.location), timeToLive: lifetime, cacheFlush: true)
        default:
            return ResourceRecord(
                victim.host, .a(victim.address), timeToLive: lifetime, cacheFlush: true)
        }
    }

    /// Instances that come and go by the second, and a second to live for true ones.
    private mutating func tiny() -> Message? {
        let number = generator.integer(in: 0..<400)
        if number >= 200 {
            return stolen(lasting: .seconds(1)).map {
                Message(header: .response, answers: [$0])
            }
        }
        guard let instance = name("Tiny", number) else { return nil }
        return Message(
            header: .response,
            answers: [ResourceRecord(type, .ptr(instance), timeToLive: .seconds(1))])
    }

    private func truncated() -> Message {
        var header = MessageHeader.query
        header.isTruncated = true
        return Message(header: header, questions: [Question(type, .ptr)])
    }

    private mutating func maximal() -> [UInt8] {
        var records: [ResourceRecord] = []
        for number in 0..<380 {
            guard let instance = name("Big", number) else { continue }
            records.append(ResourceRecord(type, .ptr(instance), timeToLive: .standard))
        }
        let message = Message(header: .response, answers: records)
        return (try? message.encoded(limit: Self.largestPayload)) ?? []
    }
}
