import DNS
import DNSSD
import NetworkPrimitives

/// The node's end of one running operation: news from discovery go in, events come out of the
/// mailbox behind it.
struct Feed: Sendable {
    /// Takes in news; those of another kind of operation are ignored.
    let receive: @Sendable (Discovery.Event) -> Void
    /// Ends the events, those kept still go out.
    let finish: @Sendable () -> Void
    /// Ends the events at once; false if they had ended before.
    let cancel: @Sendable () -> Bool

    private init<Buffer: EventBuffer>(
        _ mailbox: EventMailbox<Buffer>,
        _ apply: @escaping @Sendable (Discovery.Event, inout Buffer) -> Void
    ) {
        receive = { event in mailbox.put { apply(event, &$0) } }
        finish = { mailbox.finish() }
        cancel = { mailbox.cancel() }
    }
}

/// Where a sequence gets its events from.
typealias EventSource<Element> = @Sendable (isolated (any Actor)?) async -> Element?

/// A value with nothing in it, for states that are told by their key alone.
struct Present: Equatable, Sendable {}

extension Feed {
    /// A feed whose buffer keeps states by key, and the source of what they are told as.
    private static func states<Key, Value, Element: Sendable>(
        _ apply: @escaping @Sendable (Discovery.Event, inout LatestStates<Key, Value>) -> Void,
        told: @escaping @Sendable (LatestStates<Key, Value>.Element) -> Element?
    ) -> (feed: Feed, source: EventSource<Element>) {
        let mailbox = EventMailbox(LatestStates<Key, Value>())
        let source: EventSource<Element> = { isolation in
            while let state = await mailbox.next(isolation: isolation) {
                if let element = told(state) { return element }
            }
            return nil
        }
        return (Feed(mailbox, apply), source)
    }

    private struct InstanceKey: Hashable, Sendable {
        var name: ServiceInstanceName
        var interface: InterfaceIndex
    }

    /// A browse without details: names are all there is to keep.
    static func names() -> (feed: Feed, source: EventSource<BrowseEvent>) {
        states { (event, states: inout LatestStates<InstanceKey, Present>) in
            guard case .browse(let change) = event else { return }
            let instance = change.instance
            let key = InstanceKey(name: instance.name, interface: instance.interface)
            if case .removed = change {
                states.set(nil, for: key)
            } else {
                states.set(Present(), for: key)
            }
        } told: { state in
            let instance = ServiceInstance(state.key.name, on: state.key.interface)
            return state.kind == .removed ? .removed(instance) : .added(instance)
        }
    }

    /// A browse that resolves what it finds.
    static func services() -> (feed: Feed, source: EventSource<BrowseEvent>) {
        states { (event, states: inout LatestStates<InstanceKey, ServiceInstance>) in
            guard case .browse(let change) = event else { return }
            let instance = change.instance
            let key = InstanceKey(name: instance.name, interface: instance.interface)
            if case .removed = change {
                states.set(nil, for: key)
            } else {
                states.set(instance, for: key)
            }
        } told: { state in
            switch state.kind {
            case .added: .added(state.value)
            case .changed: .changed(state.value)
            case .removed: .removed(state.value)
            }
        }
    }

    private enum Resolution: Hashable, Sendable {
        case resolved(ResolvedService)
        case unavailable(ServiceInstanceName)
    }

    /// A resolution: how things stand on each interface.
    static func resolution() -> (feed: Feed, source: EventSource<ResolveEvent>) {
        states { (event, states: inout LatestStates<InterfaceIndex, Resolution>) in
            guard case .resolution(let change) = event else { return }
            switch change {
            case .resolved(let service):
                states.set(.resolved(service), for: service.interface)
            case .lost(_, let interface):
                states.set(nil, for: interface)
            case .unavailable(let name, let interface):
                states.set(.unavailable(name), for: interface)
            }
        } told: { state in
            switch (state.kind, state.value) {
            case (.removed, .resolved(let service)): .lost(service.name, state.key)
            case (.removed, .unavailable): nil
            case (_, .resolved(let service)): .resolved(service)
            case (_, .unavailable(let name)): .unavailable(name, state.key)
            }
        }
    }

    private struct TypeKey: Hashable, Sendable {
        var type: ServiceType
        var interface: InterfaceIndex
    }

    /// An enumeration of types.
    static func types() -> (feed: Feed, source: EventSource<TypeEvent>) {
        states { (event, states: inout LatestStates<TypeKey, Present>) in
            guard case .types(let change) = event else { return }
            switch change {
            case .added(let type, let interface):
                states.set(Present(), for: TypeKey(type: type, interface: interface))
            case .removed(let type, let interface):
                states.set(nil, for: TypeKey(type: type, interface: interface))
            }
        } told: { state in
            state.kind == .removed
                ? .removed(state.key.type, state.key.interface)
                : .added(state.key.type, state.key.interface)
        }
    }

    private enum AddressKey: Hashable, Sendable {
        case address(IPAddress, DomainName, InterfaceIndex)
        case absent(AddressFamily, InterfaceIndex)
    }

    /// A look-up of addresses. That there are none is forgotten once there is one.
    static func addresses() -> (feed: Feed, source: EventSource<AddressEvent>) {
        states { (event, states: inout LatestStates<AddressKey, Present>) in
            guard case .addresses(let change) = event else { return }
            switch change {
            case .added(let address, let name, let interface):
                states.set(nil, for: .absent(address.family, interface))
                states.set(Present(), for: .address(address, name, interface))
            case .removed(let address, let name, let interface):
                states.set(nil, for: .address(address, name, interface))
            case .absent(let family, let interface):
                states.set(Present(), for: .absent(family, interface))
            }
        } told: { state in
            switch (state.kind, state.key) {
            case (.removed, .address(let address, let name, let interface)):
                .removed(address, name: name, interface)
            case (_, .address(let address, let name, let interface)):
                .added(address, name: name, interface)
            case (.removed, .absent): nil
            case (_, .absent(let family, let interface)): .absent(family, interface)
            }
        }
    }

    private enum NameKey: Hashable, Sendable {
        case name(DomainName, InterfaceIndex)
        case absent(InterfaceIndex)
    }

    /// A look-up of names.
    static func domainNames() -> (feed: Feed, source: EventSource<NameEvent>) {
        states { (event, states: inout LatestStates<NameKey, Present>) in
            let change: NameChange
            switch event {
            case .names(let news), .domains(let news): change = news
            default: return
            }
            switch change {
            case .added(let name, let interface):
                states.set(nil, for: .absent(interface))
                states.set(Present(), for: .name(name, interface))
            case .removed(let name, let interface):
                states.set(nil, for: .name(name, interface))
            case .absent(let interface):
                states.set(Present(), for: .absent(interface))
            }
        } told: { state in
            switch (state.kind, state.key) {
            case (.removed, .name(let name, let interface)): .removed(name, interface)
            case (_, .name(let name, let interface)): .added(name, interface)
            case (.removed, .absent): nil
            case (_, .absent(let interface)): .absent(interface)
            }
        }
    }

    private enum RecordKey: Hashable, Sendable {
        case record(DomainName, RecordClass, RecordData, InterfaceIndex)
        case absent(RecordType, InterfaceIndex)

        init(_ record: ResourceRecord, _ interface: InterfaceIndex) {
            self = .record(record.name, record.recordClass, record.data, interface)
        }
    }

    /// A query for records.
    static func records() -> (feed: Feed, source: EventSource<RecordEvent>) {
        states { (event, states: inout LatestStates<RecordKey, ResourceRecord?>) in
            guard case .records(let change) = event else { return }
            switch change {
            case .added(let record, let interface):
                states.set(nil, for: .absent(record.type, interface))
                states.set(.some(record), for: RecordKey(record, interface))
            case .removed(let record, let interface):
                states.set(nil, for: RecordKey(record, interface))
            case .absent(let type, let interface):
                states.set(.some(nil), for: .absent(type, interface))
            }
        } told: { state in
            switch (state.key, state.value) {
            case (.record(_, _, _, let interface), let record?):
                state.kind == .removed ? .removed(record, interface) : .added(record, interface)
            case (.absent(let type, let interface), _):
                state.kind == .removed ? nil : .absent(type, interface)
            case (.record, nil): nil
            }
        }
    }

    /// The states of a registration, the last few of them.
    static func registration() -> (feed: Feed, source: EventSource<RegistrationStatus>) {
        let mailbox = EventMailbox(RecentElements<RegistrationStatus>(capacity: 64))
        let feed = Feed(mailbox) { event, buffer in
            if case .registration(let status) = event { buffer.append(status) }
        }
        return (feed, { await mailbox.next(isolation: $0) })
    }
}
