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
        /// News for the starter of an operation.
        case event(OperationID, Event)
        /// News of this host's own name.
        case hostName(HostNameStatus)
    }

    /// News of an operation, by its kind.
    package enum Event: Hashable, Sendable {
        case browse(BrowseChange)
        case types(TypeChange)
        /// Of a domain enumeration.
        case domains(NameChange)
        case resolution(ResolutionChange)
        case addresses(AddressChange)
        /// Of a reverse look-up.
        case names(NameChange)
        case records(RecordChange)
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
    private var outputs: [Output] = []
    private var outputHead = 0

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
        _ payload: Span<UInt8>, with info: DatagramInfo, at now: Instant
    ) {
        routed.engine.receive(payload, with: info, at: now)
        pump(at: now)
    }

    /// Takes in what interfaces there are: always all of them.
    package mutating func update(interfaces: [NetworkInterface], at now: Instant) {
        routed.engine.update(interfaces: interfaces, at: now)
        var news: [HostNameStatus] = []
        if configuration.hostPublication == .always {
            news += host.publish(&routed, at: now)
        }
        news += host.update(
            activeInterfaces, allowing: configuration.engine.families, &routed, at: now)
        hostChanged(news, at: now)
        pump(at: now)
        let active = Set(activeInterfaces.map(\.index))
        for place in resolutions.values.indices { resolutions.values[place].keep(active) }
        for place in lookups.values.indices { lookups.values[place].keep(active) }
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
    }

    /// When `advance` must be called; `nil` if nothing is planned.
    package var deadline: Instant? {
        guard let own = timers.earliest else { return routed.engine.deadline }
        return min(own, routed.engine.deadline ?? own)
    }

    /// The interfaces that multicast DNS runs on now, in order of their numbers.
    package var activeInterfaces: [NetworkInterface] { routed.engine.activeInterfaces }

    /// What the engine has counted.
    package var statistics: Statistics { routed.engine.statistics }

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
    package mutating func nextOutput() -> Output? {
        guard outputHead < outputs.count else {
            if outputHead > 0 {
                outputs.removeAll(keepingCapacity: outputs.count < 1024)
                outputHead = 0
            }
            return nil
        }
        defer { outputHead += 1 }
        return outputs[outputHead]
    }

    mutating func emit(_ output: Output) {
        outputs.append(output)
    }

    mutating func emit(_ event: Event, to id: OperationID) {
        outputs.append(.event(id, event))
    }

    /// Drops what is still to be said to an operation that was stopped.
    mutating func silence(_ id: OperationID) {
        guard outputHead < outputs.count else { return }
        outputs = outputs[outputHead...].filter {
            if case .event(id, _) = $0 { false } else { true }
        }
        outputHead = 0
    }

    mutating func nextOperation() -> OperationID {
        lastOperation += 1
        return OperationID(rawValue: lastOperation)
    }
}
