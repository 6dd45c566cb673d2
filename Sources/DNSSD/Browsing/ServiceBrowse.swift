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
    /// Those of them that have reported nothing yet. For look-up only.
    private var pending: Set<OperationID> = []
    /// Instances that wait for their resolution to start, and some that are gone again.
    private var waiting = Queue<Key>()

    init(query: QueryID, detail: BrowseDetail) {
        self.query = query
        self.detail = detail
    }

    /// What an answer means: `nil` for one that names no other instance.
    mutating func process(_ change: AnswerChange) -> BrowseEvent? {
        switch change {
        case .added(let record, let interface):
            guard case .ptr(let target) = record.data, let name = ServiceInstanceName(target),
                found.insert(Key(name: name, interface: interface)).inserted
            else { return nil }
            if detail == .services { waiting.append(Key(name: name, interface: interface)) }
            return .added(ServiceInstance(name, on: interface))
        case .removed(let record, let interface):
            guard case .ptr(let target) = record.data, let name = ServiceInstanceName(target),
                let gone = found.remove(Key(name: name, interface: interface))
            else { return nil }
            return .removed(ServiceInstance(gone.name, on: gone.interface))
        case .incomplete(let interface):
            return .incomplete(interface)
        case .absent:
            return nil
        }
    }

    /// What the instance's resolution found, as an event of the browse.
    func event(for resolution: Resolution) -> BrowseEvent? {
        let key = Key(name: resolution.name, interface: resolution.interface)
        guard let index = found.firstIndex(of: key) else { return nil }
        return .changed(
            ServiceInstance(found[index].name, on: key.interface, resolution: resolution))
    }

    // MARK: Resolutions

    /// All resolutions that run, in the order in which they were started.
    var resolutions: [OperationID] { running.values.sorted() }

    /// The next instance to be resolved: `nil` if none waits, or enough are pending.
    mutating func nextToResolve() -> Key? {
        guard pending.count < DiscoveryLimits.pendingResolutions else { return nil }
        while let key = waiting.popFirst() {
            if found.contains(key), running[key] == nil { return key }
        }
        return nil
    }

    mutating func attach(_ resolution: OperationID, to key: Key) {
        running[key] = resolution
        pending.insert(resolution)
    }

    /// A resolution has reported something, or nothing in time.
    mutating func settled(_ resolution: OperationID) {
        pending.remove(resolution)
    }

    /// Ends what belongs to an instance that is gone: its resolution is to be stopped.
    mutating func detach(_ instance: ServiceInstance) -> OperationID? {
        let key = Key(name: instance.name, interface: instance.interface)
        guard let resolution = running.removeValue(forKey: key) else { return nil }
        pending.remove(resolution)
        return resolution
    }
}
