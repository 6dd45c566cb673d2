package import DNSMessages
package import MulticastDNS
package import NetworkPrimitives

/// An operation that was started, as its starter knows it.
package struct OperationID: Hashable, Sendable, Comparable {
    package let rawValue: Int

    package static func < (left: OperationID, right: OperationID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// How much a browse tells of what it finds.
package enum BrowseDetail: Hashable, Sendable {
    /// Names only: no query but that for the type.
    case names
    /// Each instance is resolved while it is there; `changed` events carry what is known.
    case services
}

/// DNS-SD over multicast DNS as a state machine (RFC 6763): it owns the engine.
///
/// The contract is the engine's: *call one mutating method; drain `nextOutput()` until nil; arm
/// one timer for `deadline`; repeat.* `now` never decreases.
package struct Discovery: Sendable {
    /// What is wanted done or known.
    package enum Output: Hashable, Sendable {
        /// Send this.
        case transmit(Transmission)
        /// An event for the starter of an operation.
        case event(OperationID, Event)
        /// A change of this host's own name.
        case hostName(HostNameStatus)
    }

    /// An event of an operation, by its kind.
    package enum Event: Hashable, Sendable {
        case browse(BrowseEvent)
        case types(TypeEvent)
        /// Of a domain enumeration.
        case domains(NameEvent)
        case resolution(Resolution)
        case addresses(AddressEvent)
        /// Of a reverse look-up.
        case names(NameEvent)
        case records(RecordEvent)
        case registration(RegistrationStatus)
    }

    let configuration: DiscoveryConfiguration
    var routed: RoutedEngine
    var generator: SeededGenerator
    var host: HostRegistration
    var names = ClaimedNames()
    // What runs, by its kind: changed in place, since a copy of a large browse is dear. For
    // look-up only; what is walked is sorted first.
    var browses: [OperationID: ServiceBrowse] = [:]
    var typeEnumerations: [OperationID: TypeEnumeration] = [:]
    var nameEnumerations: [OperationID: NameEnumeration] = [:]
    var resolutions: [OperationID: ServiceResolution] = [:]
    var lookups: [OperationID: AddressLookup] = [:]
    var recordQueries: [OperationID: QueryID] = [:]
    var services: [OperationID: ServiceRegistration] = [:]
    var publications: [OperationID: RecordPublication] = [:]
    /// The registrations of services that run, in the order in which they began.
    var registrations: [OperationID] = []
    var timers = OperationTimers()
    /// Resolutions that took something in and have not said yet what it means.
    var changed: [OperationID] = []
    private var lastOperation = 0
    private var outputs = Queue<Output>()

    /// Discovery with nothing to do, on no interface.
    package init(configuration: DiscoveryConfiguration, generator: SeededGenerator) {
        self.configuration = configuration
        self.generator = generator
        let engineGenerator = self.generator.split()
        routed = RoutedEngine(
            engine: Engine(configuration: configuration.engine, generator: engineGenerator),
            multicastsAnyName: configuration.multicastsAnyName)
        host = HostRegistration(label: configuration.hostLabel)
    }

    // MARK: What happens outside

    /// Takes in a datagram that came to port 5353.
    package mutating func receive(
        _ payload: Span<UInt8>, decoded: DecodingResult? = nil, with info: DatagramInfo,
        at now: Instant
    ) {
        routed.engine.receive(payload, decoded: decoded, with: info, at: now)
        pump(at: now)
    }

    /// Takes in what interfaces there are: always all of them.
    package mutating func update(interfaces: [NetworkInterface], at now: Instant) {
        routed.update(interfaces: interfaces, at: now)
        var statuses: [HostNameStatus] = []
        if configuration.hostPublication == .always {
            statuses += host.publish(&routed, at: now)
        }
        statuses += host.update(
            activeInterfaces, allowing: configuration.engine.families, &routed, at: now)
        hostChanged(statuses, at: now)
        pump(at: now)
        updateFailures(of: registrations + publications.keys.sorted(), at: now)
        let active = Set(activeInterfaces.map { $0.index })
        for place in resolutions.values.indices { resolutions.values[place].retain(active) }
        for place in lookups.values.indices { lookups.values[place].retain(active) }
    }

    /// The machine slept, or the network may be another one.
    package mutating func wake(at now: Instant) {
        routed.engine.wake(at: now)
        pump(at: now)
    }

    /// Does everything that is due by `now`.
    package mutating func advance(to now: Instant) {
        routed.engine.advance(to: now)
        pump(at: now)
        while let key = timers.popDue(by: now) {
            switch key {
            case .host: hostChanged(host.advance(&routed, at: now), at: now)
            case .operation(let id): operationIsDue(id, at: now)
            }
            pump(at: now)
        }
        // What these have changed may be due at once.
        if let due = routed.engine.deadline, due <= now {
            routed.engine.advance(to: now)
            pump(at: now)
        }
    }

    /// When `advance` must be called; `nil` if nothing is planned.
    package var deadline: Instant? {
        guard let own = timers.earliest else { return routed.engine.deadline }
        return min(own, routed.engine.deadline ?? own)
    }

    /// The interfaces that multicast DNS runs on now, in order of their numbers.
    package var activeInterfaces: [NetworkInterface] { routed.interfaces }

    /// What the engine has counted.
    package var statistics: Statistics { routed.engine.statistics }

    /// Whether questions and probes may ask for unicast answers from now on (RFC 6762 §5.4).
    package var mayAskForUnicast: Bool {
        get { routed.engine.mayAskForUnicast }
        set { routed.engine.mayAskForUnicast = newValue }
    }

    /// The records cached on all interfaces.
    package var cachedRecordCount: Int { routed.engine.cachedRecordCount }

    /// The timers that the engine keeps on all interfaces.
    package var timerCount: Int { routed.engine.timerCount }

    /// The engine as it is, for those who watch over it.
    package var engine: Engine { _read { yield routed.engine } }

    /// What one of the engine's links holds; nil behind the last.
    package func load(ofLink number: Int) -> LinkLoad? { routed.engine.load(ofLink: number) }

    /// This host's name: in use, or to be used.
    package var hostName: DomainName { host.name }

    // MARK: Outputs

    /// The next thing that is wanted done or known; `nil` if that was all.
    package mutating func nextOutput() -> Output? { outputs.popFirst() }

    mutating func emit(_ output: Output) {
        outputs.append(output)
    }

    mutating func emit(_ event: Event, to id: OperationID) {
        outputs.append(.event(id, event))
    }

    /// Drops the pending events of an operation that was stopped.
    mutating func discardEvents(of id: OperationID) {
        guard !outputs.isEmpty else { return }
        outputs.removeAll { if case .event(id, _) = $0 { true } else { false } }
    }

    mutating func nextOperation() -> OperationID {
        lastOperation += 1
        return OperationID(rawValue: lastOperation)
    }
}
