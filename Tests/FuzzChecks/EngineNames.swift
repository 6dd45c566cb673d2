import DNSMessages
import DNSSD
import NetworkPrimitives

/// The few names, services and addresses of scripts: few, so that they meet.
struct EngineNames {
    let host: Label
    private let types: [ServiceType]
    private let instances: [ServiceInstanceName]

    /// `nil` where the names can't be made, which does not happen.
    init?() {
        guard let http = try? ServiceType("_http._tcp"), let ipp = try? ServiceType("_ipp._tcp"),
            let host = try? Label("fuzz")
        else { return nil }
        self.host = host
        types = [http, ipp]
        instances = [("One", http), ("Two", http), ("One", ipp)].compactMap {
            try? ServiceInstanceName($0.0, type: $0.1)
        }
        guard instances.count == 3 else { return nil }
    }

    static func linkLocal(_ low: UInt64) -> IPAddress {
        .v6(IPv6Address(high: 0xFE80 << 48, low: low))
    }

    static func selection(_ number: UInt8) -> InterfaceSelection {
        switch number % 4 {
        case 0, 1: .all
        case 2: .index(InterfaceIndex(rawValue: 1))
        default: .named(["eth2"])
        }
    }

    /// Where a datagram comes from: by the bits the interface, the family, whether from another
    /// host, from another port, to us alone.
    static func info(_ how: UInt8) -> DatagramInfo {
        let number = UInt32(how & 1) + 1
        let index = InterfaceIndex(rawValue: number)
        let host: UInt8 = how & 4 == 0 ? 7 : 1
        let port: UInt16 = how & 8 == 0 ? 5353 : 40_000
        if how & 2 == 0 {
            let link = UInt8(truncatingIfNeeded: number)
            let own = IPAddress.v4(IPv4Address(10, link, 0, 1))
            return DatagramInfo(
                source: SocketAddress(.v4(IPv4Address(10, link, 0, host)), port: port),
                destination: how & 16 == 0 ? .multicastDNS(.ipv4) : own, interface: index,
                hopLimit: 255)
        }
        let address = linkLocal(UInt64(number) << 32 | UInt64(host))
        return DatagramInfo(
            source: SocketAddress(address, port: port, scope: index),
            destination: how & 16 == 0
                ? .multicastDNS(.ipv6) : linkLocal(UInt64(number) << 32 | 1),
            interface: index, hopLimit: 255)
    }

    /// Data of the same type that is not the same.
    static func other(_ data: RecordData, _ number: UInt8) -> RecordData {
        switch data {
        case .a: .a(IPv4Address(10, 0, 77, number))
        case .srv(let location):
            .srv(ServiceLocation(target: location.target, port: UInt16(number)))
        default: data
        }
    }

    func type(_ number: UInt8) -> ServiceType { types[Int(number) % types.count] }

    func instance(_ number: UInt8) -> ServiceInstanceName {
        instances[Int(number) % instances.count]
    }

    /// Attributes, now and then so many that they need a datagram of their own.
    func text(_ number: UInt8) -> TXTRecord {
        let value = String(repeating: "v", count: Int(number & 7) * 16)
        let count = number & 8 == 0 ? 1 : 20
        let attributes = (0..<count).map { TXTRecord.Attribute("k\($0)", .text(value)) }
        return (try? TXTRecord(attributes)) ?? TXTRecord()
    }

    func subtypes(_ number: UInt8) -> [ServiceSubtype] {
        ["_a", "_b"].enumerated().compactMap {
            number >> UInt8($0.offset) & 1 == 0 ? nil : try? ServiceSubtype($0.element)
        }
    }

    func service(_ step: EngineStep, on selection: InterfaceSelection) -> ServiceDescription {
        let name = instance(step.first)
        return ServiceDescription(
            name: name.instance, type: name.type, port: 80, txt: text(step.second),
            subtypes: subtypes(step.second >> 4), interfaces: selection,
            renamesOnConflict: step.third & 0x80 == 0)
    }

    func records(_ step: EngineStep, on selection: InterfaceSelection) -> RecordRegistration {
        let name = instance(step.first).domainName
        let record = ResourceRecord(
            name, .txt(text(step.second).textStrings), timeToLive: .standard)
        return RecordRegistration(
            [.init(record, step.third & 0x80 == 0 ? .unique : .shared)], on: selection)
    }
}
