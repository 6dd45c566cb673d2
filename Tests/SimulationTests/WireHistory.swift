import DNSMessages
import NetworkPrimitives
import Testing

@testable import NetworkSimulation

/// A history of what hosts sent on one link, written by hand and held against the watches.
struct WireHistory {
    static let link = LinkID(rawValue: 0)
    static let first = HostID(rawValue: 0)
    static let second = HostID(rawValue: 1)
    static let instance = Offer.named("Printer._ipp._tcp.local")
    static let type = Offer.named("_ipp._tcp.local")

    var invariants = Invariants()

    init() {
        for _ in 0..<2 { invariants.addHost() }
    }

    var breaches: [String] { invariants.violations.map(\.what) }

    static func time(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    static func location(_ port: UInt16 = 631, _ flush: Bool = true) -> ResourceRecord {
        ResourceRecord(
            instance, .srv(ServiceLocation(target: Offer.named("a.local"), port: port)),
            timeToLive: .host, cacheFlush: flush)
    }

    static func text(_ text: String) throws -> ResourceRecord {
        ResourceRecord(
            instance, .txt(try #require(TextStrings([Array(text.utf8)]))), timeToLive: .standard,
            cacheFlush: true)
    }

    static func pointer(_ lifetime: TimeToLive = .standard) -> ResourceRecord {
        ResourceRecord(type, .ptr(instance), timeToLive: lifetime)
    }

    static func datagram(
        _ message: Message, by host: HostID, port: UInt16 = 5353, to destination: IPAddress? = nil
    ) throws -> Datagram {
        let source = AddressPlan.ipv4(host, on: link).address
        return Datagram(
            try message.encoded(limit: 9_000), from: SocketAddress(source, port: 5353),
            to: SocketAddress(destination ?? .multicastDNS(.ipv4), port: port))
    }

    /// A host sends a message.
    mutating func send(
        _ message: Message, by host: HostID = first, at milliseconds: Int64, port: UInt16 = 5353,
        to destination: IPAddress? = nil
    ) throws {
        let datagram = try Self.datagram(message, by: host, port: port, to: destination)
        invariants.sent(datagram, by: host, on: Self.link, at: Self.time(milliseconds))
    }

    /// A script sends a query.
    mutating func ask(_ message: Message, by host: HostID = second, at milliseconds: Int64) throws {
        invariants.processForeign(
            try Self.datagram(message, by: host), by: host, on: Self.link,
            at: Self.time(milliseconds))
    }

    /// A host receives a message of the other one.
    mutating func receive(
        _ message: Message, by host: HostID = first, at milliseconds: Int64
    ) throws {
        let sender = host == Self.first ? Self.second : Self.first
        let datagram = try Self.datagram(message, by: sender)
        let observed = ObservedMessage(message, datagram, by: sender, on: Self.link)
        invariants.claims.received(observed, by: host, at: Self.time(milliseconds))
        invariants.caches.received(observed, by: host, at: Self.time(milliseconds))
    }

    static func probe(_ records: ResourceRecord...) -> Message {
        Message(
            questions: [Question(instance, .any)],
            authorities: records.map {
                var record = $0
                record.cacheFlush = false
                return record
            })
    }

    static func response(_ records: ResourceRecord...) -> Message {
        Message(header: .response, answers: records)
    }

    /// Three probes and an announcement.
    mutating func claim(
        _ record: ResourceRecord = location(), by host: HostID = first, from milliseconds: Int64
    ) throws {
        for number in 0..<3 as Range<Int64> {
            try send(Self.probe(record), by: host, at: milliseconds + number * 250)
        }
        try send(Self.response(record), by: host, at: milliseconds + 750)
    }
}
