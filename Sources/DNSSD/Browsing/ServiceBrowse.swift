import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// PTR answers become instances that are added once and removed once on each interface.
///
/// RFC 6763 §4.1, §4.2 and §7.1; the answers' own names count, not what was asked for.
struct ServiceBrowse: Sendable {
    /// One instance on one interface; kept as it was added, so that all events spell it alike.
    struct Key: Hashable, Sendable {
        var name: ServiceInstanceName
        var interface: InterfaceIndex
    }

    let query: QueryID
    let detail: BrowseDetail
    private var found: Set<Key> = []
    /// The resolutions that run, in a browse that resolves. For look-up only.
    private var running: [Key: OperationID] = [:]
    /// The instances of which it is known where they are.
    private var located: Set<Key> = []

    init(query: QueryID, detail: BrowseDetail) {
        self.query = query
        self.detail = detail
    }

    /// What an answer means: `nil` for one that names nothing new.
    mutating func take(_ change: AnswerChange) -> BrowseChange? {
        switch change {
        case .added(let record, let interface):
            guard case .ptr(let target) = record.data, let name = ServiceInstanceName(target),
                found.insert(Key(name: name, interface: interface)).inserted
            else { return nil }
            return .added(ServiceInstance(name, on: interface))
        case .removed(let record, let interface):
            guard case .ptr(let target) = record.data, let name = ServiceInstanceName(target),
                let gone = found.remove(Key(name: name, interface: interface))
            else { return nil }
            return .removed(ServiceInstance(gone.name, on: gone.interface))
        case .absent, .incomplete:
            return nil
        }
    }

    /// All resolutions that run, in the order in which they were started.
    var resolutions: [OperationID] { running.values.sorted() }

    mutating func attach(_ resolution: OperationID, to instance: ServiceInstance) {
        running[Key(name: instance.name, interface: instance.interface)] = resolution
    }

    /// Ends what belongs to an instance that is gone: its resolution is to be stopped.
    mutating func detach(_ instance: ServiceInstance) -> OperationID? {
        let key = Key(name: instance.name, interface: instance.interface)
        located.remove(key)
        return running.removeValue(forKey: key)
    }

    /// What the instance's resolution found, as news of the browse.
    mutating func take(_ change: ResolutionChange) -> BrowseChange? {
        switch change {
        case .resolved(let service):
            guard let key = key(service.name, service.interface) else { return nil }
            located.insert(key)
            return .changed(ServiceInstance(key.name, on: key.interface, service: service))
        case .lost(let name, let interface), .unavailable(let name, let interface):
            guard let key = key(name, interface), located.remove(key) != nil else { return nil }
            return .changed(ServiceInstance(key.name, on: key.interface))
        }
    }

    private func key(_ name: ServiceInstanceName, _ interface: InterfaceIndex) -> Key? {
        found.firstIndex(of: Key(name: name, interface: interface)).map { found[$0] }
    }
}
