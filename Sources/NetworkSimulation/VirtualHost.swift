import DNSMessages
package import DNSSD
package import MulticastDNS
package import NetworkPrimitives

/// What a host's stack reported beside its datagrams.
package enum HostEvent: Hashable, Sendable {
    /// A bare engine said so.
    case engine(Output)
    /// An event of an operation of discovery.
    case operation(OperationID, Discovery.Event)
    /// A change of the host's own name.
    case hostName(HostNameStatus)
}

extension HostEvent {
    /// Whether it says that records of the host's own are probed for, won or lost: it has
    /// something to announce then.
    var isAboutOwnRecords: Bool {
        switch self {
        case .engine(.publication), .hostName, .operation(_, .registration): true
        case .engine, .operation: false
        }
    }
}

/// A host of the virtual network: its interfaces, and the stack that runs on it.
package struct VirtualHost: Sendable {
    /// What runs on a host.
    package enum Stack: Sendable {
        /// A bare engine.
        case engine(Configuration)
        /// The whole of service discovery.
        case discovery(DiscoveryConfiguration)
        /// Nothing: datagrams are written by the scenario, what arrives is kept in an inbox.
        case script
    }

    /// The host's state.
    package enum State: Hashable, Sendable {
        case running
        /// Asleep: time goes by, nothing arrives, no timer fires.
        case asleep
        /// Crashed or switched off: nothing is left of the stack.
        case off
    }

    /// An interface and the link that it is on.
    package struct Attachment: Sendable {
        package let link: LinkID
        fileprivate let configured: NetworkInterface
        /// Whether the cable is in.
        package internal(set) var isUp = true

        init(_ interface: NetworkInterface) {
            link = AddressPlan.link(of: interface.index)
            configured = interface
        }

        /// What the system says of it now.
        package var interface: NetworkInterface {
            guard !isUp else { return configured }
            var interface = configured
            interface.flags = [.multicast]
            return interface
        }
    }

    /// An arrival in a script's inbox.
    package struct Arrival: Hashable, Sendable {
        package var time: Instant
        package var datagram: Datagram
        package var link: LinkID
    }

    package let id: HostID
    package let stack: Stack
    package internal(set) var state = State.off
    /// How often it was started.
    package internal(set) var starts = 0
    package private(set) var families: Set<AddressFamily>
    package internal(set) var attachments: [Attachment]
    /// The limits that its stack has to keep to.
    let limits: Limits?
    package internal(set) var engine: Engine?
    package internal(set) var discovery: Discovery?
    /// Its events since the last `drainEvents(of:)`; kept only on demand.
    package internal(set) var recordedEvents: [(time: Instant, event: HostEvent)]?
    /// What arrived at a script.
    package internal(set) var inbox: [Arrival] = []
    /// The group of its link's partition that it belongs to.
    var partition: [LinkID: Int] = [:]
    /// The wake-up that is scheduled, so that only the last one counts.
    var armed: Instant?
    /// When it last started, fell asleep, woke, or its cables or its group changed.
    var lastTopologyChange = Instant.zero
    /// When its timer last fired.
    var lastWakeUp: Instant?
    /// When it last had to begin anew on each of its links: it started, woke, or the link came up.
    var linkChanges: [LinkID: Instant] = [:]
    /// Whether unicast reaches its stack, and not another process that has the port as well.
    package internal(set) var receivesUnicast = true

    init(id: HostID, stack: Stack, links: [LinkID], families: Set<AddressFamily>) {
        self.id = id
        self.stack = stack
        attachments = links.map {
            Attachment(AddressPlan.interface(id, on: $0, families: families))
        }
        self.families = families
        limits =
            switch stack {
            case .engine(let configuration): configuration.limits
            case .discovery(let configuration): configuration.engine.limits
            case .script: nil
            }
    }

    /// What the system says of its interfaces now.
    package var interfaces: [NetworkInterface] { attachments.map { $0.interface } }

    /// Gives it other interfaces than those of the plan. The links that are new, or have a family
    /// that is, are returned.
    mutating func replaceInterfaces(_ interfaces: [NetworkInterface]) -> [LinkID] {
        let before = attachments
        attachments = interfaces.map { Attachment($0) }
        families = Set(interfaces.flatMap { $0.addresses }.map { $0.address.family })
        return attachments.map { $0.link }.filter { link in
            let old = before.first { $0.link == link }.map { Self.families(of: $0) } ?? []
            let new = attachments.first { $0.link == link }.map { Self.families(of: $0) } ?? []
            return !new.isSubset(of: old)
        }
    }

    /// The families that its stack speaks.
    private var stackFamilies: Set<AddressFamily> {
        switch stack {
        case .engine(let configuration): configuration.families
        case .discovery(let configuration): configuration.engine.families
        case .script: [.ipv4, .ipv6]
        }
    }

    private static func families(of attachment: Attachment) -> Set<AddressFamily> {
        Set(attachment.configured.addresses.map { $0.address.family })
    }

    /// The families that it speaks on a link.
    func families(on link: LinkID) -> [AddressFamily] {
        guard let attachment = attachments.first(where: { $0.link == link }) else { return [] }
        let own = Self.families(of: attachment)
        return [.ipv4, .ipv6].filter { own.contains($0) && stackFamilies.contains($0) }
    }

    /// The address from which it sends on a link.
    package func address(on link: LinkID, _ family: AddressFamily) -> IPAddress {
        if let own = attachments.first(where: { $0.link == link })?.configured.addresses
            .first(where: { $0.address.family == family })
        {
            return own.address
        }
        return switch family {
        case .ipv4: AddressPlan.ipv4(id, on: link).address
        case .ipv6: AddressPlan.linkLocal(id, on: link).address
        }
    }

    /// Whether a datagram to that address on the link is for this host.
    func accepts(_ destination: IPAddress, on link: LinkID) -> Bool {
        if destination.isMulticast { return families.contains(destination.family) }
        return receivesUnicast
            && attachments.contains { $0.link == link && $0.configured.owns(destination) }
    }

    func isAttached(to link: LinkID) -> Bool {
        attachments.contains { $0.link == link && $0.isUp }
    }

    var deadline: Instant? { engine?.deadline ?? discovery?.deadline }

    /// When a wake-up is to be scheduled; nil if the right one is already. Mutating also because
    /// a call on an element that only reads would copy the whole host first.
    mutating func arm(at now: Instant) -> Instant? {
        guard state == .running, let deadline, deadline != armed else { return nil }
        let wakeUp = max(deadline, now)
        armed = wakeUp
        return wakeUp
    }

    /// The records its engine has cached.
    package var cachedRecordCount: Int? {
        engine?.cachedRecordCount ?? discovery?.cachedRecordCount
    }

    /// The timers its engine keeps.
    package var timerCount: Int? { engine?.timerCount ?? discovery?.timerCount }

    /// What its engine has counted.
    package var statistics: Statistics? { engine?.statistics ?? discovery?.statistics }

    /// What one of its links holds; nil behind the last. Mutating, so that the engine is looked
    /// at where it is: a copy at every datagram would be dear.
    mutating func load(ofLink number: Int) -> LinkLoad? {
        discovery?.load(ofLink: number) ?? engine?.load(ofLink: number)
    }

    /// Shows the engine, if there is one.
    func withEngine<Value>(_ body: (borrowing Engine) -> Value) -> Value? {
        if let discovery { return body(discovery.engine) }
        if let engine { return body(engine) }
        return nil
    }

    /// Starts the stack anew.
    mutating func start(generator: SeededGenerator, at now: Instant) {
        state = .running
        starts += 1
        armed = nil
        switch stack {
        case .engine(let configuration):
            var started = Engine(configuration: configuration, generator: generator)
            started.update(interfaces: interfaces, at: now)
            engine = started
        case .discovery(let configuration):
            var started = Discovery(configuration: configuration, generator: generator)
            started.update(interfaces: interfaces, at: now)
            discovery = started
        case .script:
            break
        }
    }

    /// Takes away everything without a word.
    mutating func crash() {
        state = .off
        armed = nil
        engine = nil
        discovery = nil
    }

    mutating func interfacesChanged(at now: Instant) {
        guard state == .running else { return }
        let snapshot = interfaces
        engine?.update(interfaces: snapshot, at: now)
        discovery?.update(interfaces: snapshot, at: now)
    }

    /// After `advance(to:)`.
    mutating func wake(at now: Instant) {
        engine?.wake(at: now)
        discovery?.wake(at: now)
    }

    mutating func receive(
        _ datagram: Datagram, _ decoded: DecodingResult, on link: LinkID, at now: Instant
    ) {
        let info = DatagramInfo(
            source: datagram.source, destination: datagram.destination.address,
            interface: AddressPlan.index(of: link), hopLimit: datagram.hopLimit)
        switch stack {
        case .engine:
            engine?.receive(datagram.payload.span, decoded: decoded, with: info, at: now)
        case .discovery:
            discovery?.receive(datagram.payload.span, decoded: decoded, with: info, at: now)
        case .script: inbox.append(Arrival(time: now, datagram: datagram, link: link))
        }
    }

    mutating func advance(to now: Instant) {
        engine?.advance(to: now)
        discovery?.advance(to: now)
    }

    mutating func nextOutput() -> StackOutput? {
        switch discovery?.nextOutput() {
        case .transmit(let transmission): return .transmit(transmission)
        case .event(let operation, let event): return .event(.operation(operation, event))
        case .hostName(let status): return .event(.hostName(status))
        case nil: break
        }
        switch engine?.nextOutput() {
        case .transmit(let transmission): return .transmit(transmission)
        case .some(let output): return .event(.engine(output))
        case nil: return nil
        }
    }
}

/// What a stack wants done, or tells.
enum StackOutput: Sendable {
    case transmit(Transmission)
    case event(HostEvent)
}
