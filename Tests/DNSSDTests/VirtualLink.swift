import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

/// A few hosts on one link in virtual time: what one multicasts all receive, itself included.
struct VirtualLink {
    /// One host: its discovery, its interface, and its events.
    struct Host {
        var discovery: Discovery
        var interfaces: [NetworkInterface]
        var events: [(at: Instant, id: OperationID, event: Discovery.Event)] = []
        var nameEvents: [HostNameStatus] = []
        /// Whether its packets pass, and others' reach it.
        var isConnected = true
    }

    /// A datagram as it went out.
    struct Sent {
        var at: Instant
        var host: Int
        var interface: InterfaceIndex
        var message: Message
    }

    var hosts: [Host] = []
    var now = Instant(nanoseconds: 1_000_000_000)
    var sent: [Sent] = []
    /// Whether all interfaces of all hosts are on one wire.
    var isBridged = false
    private var flights: [(due: Instant, from: Int, transmission: Transmission)] = []
    private let delay: Duration = .milliseconds(1)

    static let interface = InterfaceIndex(rawValue: 2)

    static func ethernet(
        _ addresses: [String], index: InterfaceIndex = Self.interface, name: String = "eth0"
    ) -> NetworkInterface {
        NetworkInterface(
            name: name, index: index, flags: [.up, .running, .multicast],
            addresses: addresses.compactMap { text in
                IPAddress(text).map {
                    .init(NetworkPrefix($0, length: $0.family == .ipv4 ? 24 : 64))
                }
            })
    }

    /// Adds a host with the label `name` and an address for each family.
    mutating func add(
        _ name: String, hostPublication: DiscoveryConfiguration.HostPublication = .whenNeeded,
        addresses: [String]? = nil, on selection: InterfaceSelection = .all,
        multicastsAnyName: Bool = false
    ) throws -> Int {
        let number = hosts.count + 1
        let interface = Self.ethernet(addresses ?? ["192.0.2.\(number)", "fe80::\(number)"])
        let configuration = DiscoveryConfiguration(
            engine: Configuration(interfaces: selection), hostLabel: try Label(name),
            defaultInstanceName: "Service of \(name)",
            hostPublication: hostPublication, multicastsAnyName: multicastsAnyName)
        let discovery = Discovery(
            configuration: configuration, generator: SeededGenerator(seed: UInt64(number)))
        hosts.append(Host(discovery: discovery, interfaces: [interface]))
        update(number - 1, interfaces: [interface])
        return number - 1
    }

    mutating func update(_ host: Int, interfaces: [NetworkInterface]) {
        hosts[host].interfaces = interfaces
        perform(host) { $0.update(interfaces: interfaces, at: $1) }
    }

    /// Calls one method of a host's discovery and takes what comes out.
    @discardableResult
    mutating func perform<Result, Failure: Error>(
        _ host: Int, _ body: (inout Discovery, Instant) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { drain(host) }
        return try body(&hosts[host].discovery, now)
    }

    private mutating func drain(_ host: Int) {
        while let output = hosts[host].discovery.nextOutput() {
            switch output {
            case .transmit(let transmission):
                if let decoded = try? Message.decode(transmission.bytes.span) {
                    sent.append(
                        Sent(
                            at: now, host: host, interface: transmission.interface,
                            message: decoded.message))
                }
                if hosts[host].isConnected {
                    flights.append((now.advanced(by: delay), host, transmission))
                }
            case .event(let id, let event):
                hosts[host].events.append((now, id, event))
            case .hostName(let status):
                hosts[host].nameEvents.append(status)
            }
        }
    }

    /// Lets that much time pass.
    mutating func run(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let next = nextInstant, next <= end {
            now = max(now, next)
            let landing = flights.filter { $0.due <= now }
            flights.removeAll { $0.due <= now }
            for flight in landing { deliver(flight.transmission, from: flight.from) }
            for host in hosts.indices {
                if let deadline = hosts[host].discovery.deadline, deadline <= now {
                    perform(host) { $0.advance(to: $1) }
                }
            }
        }
        now = end
    }

    private var nextInstant: Instant? {
        (hosts.compactMap(\.discovery.deadline) + flights.map(\.due)).min()
    }

    private mutating func deliver(_ transmission: Transmission, from sender: Int) {
        let family = transmission.family
        guard
            let source = hosts[sender].interfaces
                .first(where: { $0.index == transmission.interface })?.addresses
                .first(where: { $0.address.family == family })?.address
        else { return }
        for host in hosts.indices where hosts[host].isConnected {
            // Interfaces of one number are on one wire.
            for interface in hosts[host].interfaces
            where isBridged || interface.index == transmission.interface {
                let destination = transmission.destination.address
                guard interface.has(family),
                    destination.isMulticast || interface.owns(destination)
                else { continue }
                let info = DatagramInfo(
                    source: SocketAddress(source, port: 5353), destination: destination,
                    interface: interface.index, hopLimit: 255)
                perform(host) { $0.receive(transmission.bytes.span, with: info, at: $1) }
            }
        }
    }

    /// Puts a response on the wire that no host of ours made.
    mutating func inject(
        _ message: Message, from source: String = "192.0.2.99",
        on interface: InterfaceIndex = Self.interface
    ) throws {
        let bytes = try message.encoded()
        guard let address = IPAddress(source) else { return }
        for host in hosts.indices {
            let info = DatagramInfo(
                source: SocketAddress(address, port: 5353),
                destination: .multicastDNS(address.family), interface: interface,
                hopLimit: 255)
            perform(host) { $0.receive(bytes.span, with: info, at: $1) }
        }
    }

    // MARK: Events

    func events(_ host: Int, _ id: OperationID) -> [Discovery.Event] {
        hosts[host].events.filter { $0.id == id }.map(\.event)
    }

    func browse(_ host: Int, _ id: OperationID) -> [BrowseEvent] {
        events(host, id).compactMap { if case .browse(let change) = $0 { change } else { nil } }
    }

    func resolutions(_ host: Int, _ id: OperationID) -> [Resolution] {
        events(host, id).compactMap {
            if case .resolution(let change) = $0 { change } else { nil }
        }
    }

    func statuses(_ host: Int, _ id: OperationID) -> [RegistrationStatus] {
        events(host, id).compactMap {
            if case .registration(let status) = $0 { status } else { nil }
        }
    }

    func addresses(_ host: Int, _ id: OperationID) -> [AddressEvent] {
        events(host, id).compactMap {
            if case .addresses(let change) = $0 { change } else { nil }
        }
    }

    /// All records of a type that one host sent in responses, newest last.
    func records(_ host: Int, _ type: RecordType) -> [ResourceRecord] {
        sent.filter { $0.host == host && $0.message.header.isResponse }
            .flatMap { $0.message.answers + $0.message.additionals }
            .filter { $0.type == type }
    }
}

/// A multicast response with these answers.
func response(_ answers: [ResourceRecord], additionals: [ResourceRecord] = []) -> Message {
    Message(header: .response, answers: answers, additionals: additionals)
}
