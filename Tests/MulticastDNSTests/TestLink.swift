import DNSMessages
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation

/// Some bare engines on one link of the virtual network: every datagram reaches every host a
/// millisecond later.
struct TestLink {
    struct Event {
        let host: Int
        let time: Duration
        let output: Output
    }

    private var network = VirtualNetwork(seed: 1)
    private let link: LinkID

    init(hosts: Int, configuration: Configuration = Configuration(families: [.ipv4])) {
        let delay: Duration = .milliseconds(1)
        let conditions = LinkConditions(delay: delay...delay)
        _ = network.addLink(conditions)
        link = network.addLink(conditions)
        network.transmissions = []
        for number in 0..<hosts {
            let host = network.addHost(.engine(configuration), on: [])
            let address = IPAddress.v4(IPv4Address(10, 0, 0, UInt8(number + 1)))
            let interface = NetworkInterface(
                name: "eth0", index: AddressPlan.index(of: link),
                flags: [.up, .running, .multicast],
                addresses: [.init(NetworkPrefix(address, length: 24))])
            network.setRecordsEvents(true, of: host)
            network.start(host)
            network.setInterfaces([interface], of: host)
        }
    }

    var engines: [Engine] { network.hosts.compactMap(\.engine) }

    mutating func with<Value, Failure: Error>(
        _ host: Int, _ body: (inout Engine, Instant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let value = try network.withEngine(of: HostID(rawValue: host), body) else {
            preconditionFailure("the host is not running")
        }
        return value
    }

    /// Lets time pass.
    mutating func run(_ duration: Duration) { network.run(for: duration) }

    /// Puts a datagram of nobody's engine on the link.
    mutating func inject(_ message: Message, from source: SocketAddress) throws {
        network.inject(
            Datagram(
                try message.encoded(), from: source,
                to: SocketAddress(.multicastDNS(source.address.family), port: 5353)),
            on: link)
    }

    /// What the hosts' engines reported: each host's events in their order.
    var events: [Event] {
        network.hosts.flatMap { host in
            (host.recordedEvents ?? []).compactMap { recorded in
                guard case .engine(let output) = recorded.event else { return nil }
                return Event(
                    host: host.id.rawValue, time: Instant.zero.duration(to: recorded.time),
                    output: output)
            }
        }
    }

    var sent: [(host: Int, time: Duration, message: Message, to: SocketAddress)] {
        (network.transmissions ?? []).compactMap { sent in
            guard let decoded = try? Message.decode(sent.datagram.payload.span) else { return nil }
            return (
                sent.host.rawValue, Instant.zero.duration(to: sent.time), decoded.message,
                sent.datagram.destination
            )
        }
    }
}

func name(_ text: String) throws -> DomainName { try DomainName(text) }

/// The records of a service as a publisher would publish them.
func serviceSet(_ instance: String, host: String, port: UInt16 = 80) throws -> RecordSet {
    let type = try name("_http._tcp.local")
    let full = try type.prepending(Label(instance))
    return RecordSet([
        .init(ResourceRecord(type, .ptr(full), timeToLive: .standard), .shared),
        .init(
            ResourceRecord(
                full, .srv(ServiceLocation(target: try name(host), port: port)), timeToLive: .host),
            .unique),
        .init(ResourceRecord(full, .txt(.empty), timeToLive: .standard), .unique),
    ])
}

func hostSet(_ host: String, _ address: IPv4Address) throws -> RecordSet {
    RecordSet([.init(ResourceRecord(try name(host), .a(address), timeToLive: .host), .unique)])
}
