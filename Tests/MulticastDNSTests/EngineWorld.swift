import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

// The world of the engine's tests: names, addresses and records, all invented.

extension IPAddress {
    static let device = IPAddress.v4(IPv4Address(192, 0, 2, 1))
    static let device6 = IPAddress.v6(IPv6Address(rawValue: 0xFE80 << 112 | 1))
    static let deviceSecond = IPAddress.v4(IPv4Address(198, 51, 100, 1))
    static let tester = IPAddress.v4(IPv4Address(192, 0, 2, 2))
    static let other = IPAddress.v4(IPv4Address(192, 0, 2, 3))
    static let tester6 = IPAddress.v6(IPv6Address(rawValue: 0xFE80 << 112 | 2))
    static let testerSecond = IPAddress.v4(IPv4Address(198, 51, 100, 2))
    static let stranger = IPAddress.v4(IPv4Address(203, 0, 113, 9))
}

extension InterfaceIndex {
    static let first = InterfaceIndex(rawValue: 1)
    static let second = InterfaceIndex(rawValue: 2)
}

extension NetworkInterface {
    private static let upAndRunning: Flags = [.up, .running, .multicast]

    static let lan = NetworkInterface(
        name: "eth0", index: .first, flags: upAndRunning,
        addresses: [.init(NetworkPrefix(.device, length: 24))])
    /// The same link with both families.
    static let dual = NetworkInterface(
        name: "eth0", index: .first, flags: upAndRunning,
        addresses: [
            .init(NetworkPrefix(.device, length: 24)), .init(NetworkPrefix(.device6, length: 64)),
        ])
    /// The same link without its cable.
    static let lanWithoutCarrier = NetworkInterface(
        name: "eth0", index: .first, flags: [.up, .multicast],
        addresses: [.init(NetworkPrefix(.device, length: 24))])
    static let secondLAN = NetworkInterface(
        name: "eth1", index: .second, flags: upAndRunning,
        addresses: [.init(NetworkPrefix(.deviceSecond, length: 24))])
}

/// A name that is known to be fine.
func named(_ text: String) -> DomainName {
    do {
        return try DomainName(text)
    } catch {
        Issue.record("\(text): \(error)")
        return .root
    }
}

func text(_ strings: String...) -> TextStrings {
    TextStrings(strings.map { Array($0.utf8) }) ?? .empty
}

enum World {
    static let host = named("device.local")
    static let type = named("_ipp._tcp.local")
    static let instance = named("Printer._ipp._tcp.local")
    static let otherInstance = named("Scanner._ipp._tcp.local")
    static let otherHost = named("other.local")

    static let address = ResourceRecord(host, .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host)
    static let address6 = ResourceRecord(
        host, .aaaa(IPv6Address(rawValue: 0xFE80 << 112 | 1)), timeToLive: .host)
    static let pointer = ResourceRecord(type, .ptr(instance), timeToLive: .standard)
    static let location = ResourceRecord(
        instance, .srv(ServiceLocation(target: host, port: 631)), timeToLive: .host)
    static let attributes = ResourceRecord(instance, .txt(text("txtvers=1")), timeToLive: .standard)

    /// Another host's records: what a browse finds.
    static let foundPointer = ResourceRecord(type, .ptr(otherInstance), timeToLive: .standard)
    static let foundLocation = ResourceRecord(
        otherInstance, .srv(ServiceLocation(target: otherHost, port: 9)), timeToLive: .host,
        cacheFlush: true)
    static let foundAddress = ResourceRecord(
        otherHost, .a(IPv4Address(192, 0, 2, 2)), timeToLive: .host, cacheFlush: true)

    static let hostSet: [RecordSet.Member] = [.init(address, .unique)]
    static let dualHostSet: [RecordSet.Member] = [
        .init(address, .unique), .init(address6, .unique),
    ]
    static let serviceSet: [RecordSet.Member] = [
        .init(pointer, .shared), .init(location, .unique), .init(attributes, .unique),
    ]
    static let all = hostSet + serviceSet

    /// Some record of that name that is not ours.
    static func rival(_ name: DomainName, lastByte: UInt8 = 99) -> ResourceRecord {
        ResourceRecord(
            name, .a(IPv4Address(192, 0, 2, lastByte)), timeToLive: .host, cacheFlush: true)
    }

    static func rivalLocation(port: UInt16 = 9999) -> ResourceRecord {
        ResourceRecord(
            instance, .srv(ServiceLocation(target: otherHost, port: port)), timeToLive: .host,
            cacheFlush: true)
    }
}

extension ResourceRecord {
    func lasting(_ seconds: UInt32) -> ResourceRecord {
        var record = self
        record.timeToLive = .seconds(seconds)
        return record
    }

    func flushing(_ cacheFlush: Bool = true) -> ResourceRecord {
        var record = self
        record.cacheFlush = cacheFlush
        return record
    }
}

extension Instant {
    /// The time since `earlier`.
    static func - (later: Instant, earlier: Instant) -> Duration { earlier.duration(to: later) }
}

/// The gaps between times.
func gaps(_ times: [Instant]) -> [Duration] {
    zip(times.dropFirst(), times).map { $0 - $1 }
}
