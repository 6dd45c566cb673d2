import DNS
import MulticastDNS
import NetworkPrimitives

/// PTR answers become instances that are added once and removed once on each interface.
///
/// RFC 6763 §4.1, §4.2 and §7.1; the answers' own names count, not what was asked for.
struct ServiceBrowse: Sendable {
    /// One instance on one interface.
    struct Key: Hashable, Sendable {
        var name: ServiceInstanceName
        var interface: InterfaceIndex
    }

    /// What is known of an instance that is there.
    struct Found: Sendable {
        /// The instance as it was added: one spelling for all events.
        var instance: ServiceInstance
        /// The resolution that runs for it.
        var resolution: OperationID?
    }

    let query: QueryID
    let detail: BrowseDetail
    /// For look-up only.
    private var found: [Key: Found] = [:]
    /// Answers that name no instance, or one too many.
    private(set) var ignoredAnswers = 0

    init(query: QueryID, detail: BrowseDetail) {
        self.query = query
        self.detail = detail
    }

    /// The resolution of the instance that went last, to be stopped.
    private var ended: OperationID?

    /// What an answer means: `nil` for one that names nothing new.
    mutating func take(_ change: AnswerChange) -> BrowseChange? {
        switch change {
        case .added(let record, let interface):
            guard case .ptr(let target) = record.data else { return nil }
            guard let name = ServiceInstanceName(target),
                found.count < DiscoveryLimits.instancesPerBrowse
            else {
                ignoredAnswers += 1
                return nil
            }
            let key = Key(name: name, interface: interface)
            guard found[key] == nil else { return nil }
            let instance = ServiceInstance(name, on: interface)
            found[key] = Found(instance: instance)
            return .added(instance)
        case .removed(let record, let interface):
            guard case .ptr(let target) = record.data, let name = ServiceInstanceName(target),
                let gone = found.removeValue(forKey: Key(name: name, interface: interface))
            else { return nil }
            ended = gone.resolution
            return .removed(gone.instance)
        case .absent:
            return nil
        }
    }

    /// The resolution that ran for the instance that was just removed.
    mutating func takeEnded() -> OperationID? {
        defer { ended = nil }
        return ended
    }

    /// All resolutions that run, in the order in which they were started.
    var resolutions: [OperationID] { found.values.compactMap(\.resolution).sorted() }

    mutating func attach(_ resolution: OperationID, to instance: ServiceInstance) {
        found[Key(name: instance.name, interface: instance.interface)]?.resolution = resolution
    }

    /// What the instance's resolution found, as news of the browse.
    mutating func take(_ change: ResolutionChange) -> BrowseChange? {
        switch change {
        case .resolved(let service): set(service, of: service.name, on: service.interface)
        case .lost(let name, let interface), .unavailable(let name, let interface):
            set(nil, of: name, on: interface)
        }
    }

    private mutating func set(
        _ service: ResolvedService?, of name: ServiceInstanceName, on interface: InterfaceIndex
    ) -> BrowseChange? {
        let key = Key(name: name, interface: interface)
        guard let known = found[key], known.instance.service != service else { return nil }
        found[key]?.instance.service = service
        var instance = known.instance
        instance.service = service
        return .changed(instance)
    }
}
