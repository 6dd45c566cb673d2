import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// Some engines on one link in virtual time: every datagram reaches every host, its sender too,
/// a millisecond later.
struct TestLink {
    struct Event {
        let host: Int
        let time: Duration
        let output: Output
    }

    private(set) var engines: [Engine] = []
    private(set) var interfaces: [NetworkInterface] = []
    private(set) var now = Instant.zero
    private var inFlight: [(time: Instant, from: Int, transmission: Transmission)] = []
    private(set) var events: [Event] = []
    private(set) var sent: [(host: Int, time: Duration, message: Message, to: SocketAddress)] = []

    init(hosts: Int, configuration: Configuration = Configuration(families: [.ipv4])) {
        for host in 0..<hosts {
            var engine = Engine(
                configuration: configuration, generator: SeededGenerator(seed: UInt64(host)))
            let address = IPAddress.v4(IPv4Address(10, 0, 0, UInt8(host + 1)))
            let interface = NetworkInterface(
                name: "eth0", index: InterfaceIndex(rawValue: 2),
                flags: [.up, .running, .multicast],
                addresses: [.init(NetworkPrefix(address, length: 24))])
            engine.update(interfaces: [interface], at: now)
            engines.append(engine)
            interfaces.append(interface)
        }
    }

    mutating func with<Result>(
        _ host: Int, _ body: (inout Engine, Instant) throws -> Result
    ) rethrows -> Result {
        let result = try body(&engines[host], now)
        drain(host)
        return result
    }

    /// Lets time pass.
    mutating func run(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let deadlines = engines.compactMap(\.deadline) + inFlight.map(\.time)
            guard let next = deadlines.min(), next <= end else { break }
            now = max(now, next)
            let arriving = inFlight.filter { $0.time <= now }
            inFlight.removeAll { $0.time <= now }
            for packet in arriving { deliver(packet.transmission, from: packet.from) }
            for host in engines.indices where engines[host].deadline.map({ $0 <= now }) ?? false {
                engines[host].advance(to: now)
                drain(host)
            }
        }
        now = end
    }

    /// Puts a datagram of nobody's engine on the link.
    mutating func inject(
        _ message: Message, from source: SocketAddress,
        to destination: IPAddress = .multicastDNS(.ipv4)
    ) throws {
        let bytes = try message.encoded()
        for host in engines.indices
        where destination.isMulticast || interfaces[host].owns(destination) {
            let info = DatagramInfo(
                source: source, destination: destination, interface: interfaces[host].index,
                hopLimit: 255)
            engines[host].receive(bytes.span, with: info, at: now)
            drain(host)
        }
    }

    private mutating func deliver(_ transmission: Transmission, from sender: Int) {
        let destination = transmission.destination.address
        for host in engines.indices
        where destination.isMulticast || interfaces[host].owns(destination) {
            let source = SocketAddress(interfaces[sender].addresses[0].address, port: 5353)
            let info = DatagramInfo(
                source: source, destination: destination, interface: interfaces[host].index,
                hopLimit: 255)
            engines[host].receive(transmission.bytes.span, with: info, at: now)
            drain(host)
        }
    }

    private mutating func drain(_ host: Int) {
        let time = Instant.zero.duration(to: now)
        while let output = engines[host].nextOutput() {
            if case .transmit(let transmission) = output {
                inFlight.append((now.advanced(by: .milliseconds(1)), host, transmission))
                if let decoded = try? Message.decode(transmission.bytes.span) {
                    sent.append((host, time, decoded.message, transmission.destination))
                }
            } else {
                events.append(Event(host: host, time: time, output: output))
            }
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
