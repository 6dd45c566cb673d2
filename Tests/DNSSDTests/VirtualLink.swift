import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation

/// A few hosts with discovery on the virtual network, their interfaces given by text: those of
/// one number are on one wire.
struct VirtualLink {
    /// What one host has reported.
    struct Host {
        var events: [(id: OperationID, event: Discovery.Event)] = []
        var nameEvents: [HostNameStatus] = []
    }

    /// A datagram as it went out.
    struct Sent {
        let at: Instant
        let host: Int
        let interface: InterfaceIndex
        let message: Message
    }

    private(set) var hosts: [Host] = []
    var sent: [Sent] = []
    private var network: VirtualNetwork
    private var wires: [LinkID] = []

    static let interface = InterfaceIndex(rawValue: 2)

    init() {
        network = VirtualNetwork(seed: 1)
        network.transmissions = []
        network.run(for: .seconds(1))
    }

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

    var now: Instant { network.now }

    /// Adds a host with the label `name` and an address for each family.
    mutating func add(
        _ name: String, hostPublication: DiscoveryConfiguration.HostPublication = .whenNeeded,
        addresses: [String]? = nil, on selection: InterfaceSelection = .all,
        families: Set<AddressFamily> = [.ipv4, .ipv6], multicastsAnyName: Bool = false
    ) throws -> Int {
        let number = network.hosts.count + 1
        let interface = Self.ethernet(addresses ?? ["192.0.2.\(number)", "fe80::\(number)"])
        let configuration = DiscoveryConfiguration(
            engine: Configuration(interfaces: selection, families: families),
            hostLabel: try Label(name),
            defaultInstanceName: "Service of \(name)",
            hostPublication: hostPublication, multicastsAnyName: multicastsAnyName)
        let host = network.addHost(.discovery(configuration), on: [])
        hosts.append(Host())
        network.setRecordsEvents(true, of: host)
        network.start(host)
        update(host.rawValue, interfaces: [interface])
        return host.rawValue
    }

    mutating func update(_ host: Int, interfaces: [NetworkInterface]) {
        let delay: Duration = .milliseconds(1)
        while wires.count < interfaces.map({ Int($0.index.rawValue) }).max() ?? 0 {
            wires.append(network.addLink(LinkConditions(delay: delay...delay)))
        }
        network.setInterfaces(interfaces, of: HostID(rawValue: host))
        collect()
    }

    /// Makes one wire of all interfaces of all hosts.
    mutating func bridge() { network.bridge(wires) }

    /// Keeps a host's packets from others, and others' from it.
    mutating func disconnect(_ host: Int) {
        for wire in wires {
            network.setPartition(of: HostID(rawValue: host), on: wire, group: host + 1)
        }
    }

    /// Calls one method of a host's discovery and sends and reports what comes of it.
    @discardableResult
    mutating func perform<Value, Failure: Error>(
        _ host: Int, _ body: (inout Discovery, Instant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { collect() }
        guard let value = try network.withDiscovery(of: HostID(rawValue: host), body) else {
            preconditionFailure("the host is not running")
        }
        return value
    }

    /// Lets that much time pass.
    mutating func run(_ duration: Duration) {
        network.run(for: duration)
        collect()
    }

    /// Puts a response on the wire that no host of ours made.
    mutating func inject(
        _ message: Message, from source: String = "192.0.2.99",
        on interface: InterfaceIndex = Self.interface
    ) throws {
        guard let address = IPAddress(source) else { return }
        network.inject(
            Datagram(
                try message.encoded(), from: SocketAddress(address, port: 5353),
                to: SocketAddress(.multicastDNS(address.family), port: 5353)),
            on: AddressPlan.link(of: interface))
        collect()
    }

    /// Contradicts every probe for one of these names, from a host of its own, on the link that it
    /// was received on.
    mutating func defend(
        _ owners: [DomainName], with data: RecordData? = nil, from source: String = "192.0.2.99",
        for duration: Duration
    ) throws {
        let end = now.advanced(by: duration)
        var seen = sent.count
        let location = ServiceLocation(target: try DomainName("enemy.local"), port: 9)
        while now < end {
            run(.milliseconds(10))
            let probes = sent[seen...].filter { !$0.message.authorities.isEmpty }
            seen = sent.count
            for interface in Set(probes.map(\.interface)).sorted() {
                let asked = Set(
                    probes.filter { $0.interface == interface }
                        .flatMap { $0.message.questions.map(\.name) })
                for owner in owners where asked.contains(owner) {
                    let record = ResourceRecord(
                        owner, data ?? .srv(location), timeToLive: .host, cacheFlush: true)
                    try inject(response([record]), from: source, on: interface)
                }
            }
        }
    }

    // MARK: What came of it

    /// Takes over what was sent and reported since the last call, so that each datagram is
    /// decoded once.
    private mutating func collect() {
        for transmission in network.transmissions ?? [] {
            guard let decoded = try? Message.decode(transmission.datagram.payload.span) else {
                continue
            }
            sent.append(
                Sent(
                    at: transmission.time, host: transmission.host.rawValue,
                    interface: AddressPlan.index(of: transmission.link),
                    message: decoded.message))
        }
        network.transmissions = []
        for host in hosts.indices {
            for event in network.drainEvents(of: HostID(rawValue: host)) {
                switch event {
                case .operation(let id, let event): hosts[host].events.append((id, event))
                case .hostName(let status): hosts[host].nameEvents.append(status)
                case .engine: continue
                }
            }
        }
    }

    func discovery(_ host: Int) -> Discovery {
        guard let discovery = network.hosts[host].discovery else {
            preconditionFailure("the host is not running")
        }
        return discovery
    }

    func interfaces(_ host: Int) -> [NetworkInterface] { network.hosts[host].interfaces }

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
