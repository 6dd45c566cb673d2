import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// Links with hosts on them, and a script that receives everything and may send anything: where the
/// reports of users of other stacks are played again.
struct FieldWorld {
    /// What the script received.
    struct ReceivedMessage {
        let time: Instant
        let link: LinkID
        let message: Message
        let datagram: Datagram

        var isMulticast: Bool { datagram.destination.address.isMulticast }
        var isProbe: Bool { !message.header.isResponse && !message.authorities.isEmpty }
        /// The records of a response.
        var records: [ResourceRecord] {
            message.header.isResponse
                ? message.answers + message.authorities + message.additionals : []
        }
    }

    static let type = Offer.named("_ipp._tcp.local")

    var network: VirtualNetwork
    let links: [LinkID]
    let families: Set<AddressFamily>
    let script: HostID
    var hosts: [HostID] = []

    init(
        seed: UInt64, hosts labels: [String] = [], links count: Int = 1,
        families: Set<AddressFamily> = [.ipv4], conditions: LinkConditions = .wired
    ) throws {
        var network = VirtualNetwork(seed: seed)
        let links = (0..<count).map { _ in network.addLink(conditions) }
        script = network.addHost(.script, on: links, families: families)
        network.start(script)
        self.network = network
        self.links = links
        self.families = families
        for label in labels { try add(label) }
    }

    /// Adds a host and starts it.
    @discardableResult
    mutating func add(
        _ label: String, on attached: [Int] = [0], mayAskForUnicast: Bool = true
    ) throws -> HostID {
        let configuration = DiscoveryConfiguration(
            engine: Configuration(families: families, mayAskForUnicast: mayAskForUnicast),
            hostLabel: try Label(label), defaultInstanceName: "Device")
        let host = network.addHost(
            .discovery(configuration), on: attached.map { links[$0] }, families: families)
        network.setRecordsEvents(true, of: host)
        network.start(host)
        network.setRecordsEvents(true, of: host)
        hosts.append(host)
        return host
    }

    mutating func run(_ duration: Duration) { network.run(for: duration) }

    /// Registers a printer.
    @discardableResult
    mutating func register(
        _ name: String = "Printer", by host: HostID, txt: TXTRecord = TXTRecord(),
        subtypes: [ServiceSubtype] = []
    ) throws -> OperationID {
        let service = ServiceDescription(
            name: name, type: try ServiceType("_ipp._tcp"), port: 631, txt: txt,
            subtypes: subtypes)
        let id = network.register(service, by: host)
        return try #require(id)
    }

    @discardableResult
    mutating func browse(
        by host: HostID, subtype: ServiceSubtype? = nil, detail: BrowseDetail = .names
    ) throws -> OperationID {
        let type = try ServiceType("_ipp._tcp")
        let id = network.browse(type, subtype: subtype, detail: detail, by: host)
        return try #require(id)
    }

    // MARK: The script

    /// What the script received since the last call.
    mutating func receivedMessages() -> [ReceivedMessage] {
        network.drainInbox(of: script).compactMap { arrival in
            guard let message = try? Message.decode(arrival.datagram.payload.span).message else {
                Issue.record("a datagram that can't be read")
                return nil
            }
            return ReceivedMessage(
                time: arrival.time, link: arrival.link, message: message,
                datagram: arrival.datagram)
        }
    }

    /// Has the script say something.
    mutating func say(
        _ message: Message, on link: Int = 0, port: UInt16 = 5353, to target: IPAddress? = nil
    ) throws {
        let source = network.hosts[script.rawValue].address(on: links[link], .ipv4)
        let datagram = Datagram(
            try message.encoded(limit: 8_900), from: SocketAddress(source, port: port),
            to: SocketAddress(target ?? .multicastDNS(.ipv4), port: 5353))
        network.send(datagram, by: script, on: links[link])
    }

    mutating func respond(_ records: [ResourceRecord], on link: Int = 0) throws {
        try say(Message(header: .response, answers: records), on: link)
    }

    mutating func ask(
        _ name: DomainName, _ type: RecordType, known: [ResourceRecord] = [], on link: Int = 0
    ) throws {
        try say(Message(questions: [Question(name, type)], answers: known), on: link)
    }

    // MARK: What came of it

    func found(by host: HostID) -> [DomainName] {
        network.groundTruth.browses.filter { $0.host == host }.flatMap(\.found).sorted().map(\.name)
    }

    func established(by host: HostID) -> [DomainName] {
        network.groundTruth.offers.filter { $0.host == host && $0.isEstablished }.compactMap(\.name)
    }

    /// The events of a host's browses since the last call.
    mutating func changes(by host: HostID) -> [BrowseEvent] {
        network.drainEvents(of: host).compactMap {
            if case .operation(_, .browse(let change)) = $0 { change } else { nil }
        }
    }

    func expectClean(sourceLocation: SourceLocation = #_sourceLocation) {
        let violations = network.invariants.violations.map(\.description)
        #expect(violations.isEmpty, sourceLocation: sourceLocation)
    }
}
