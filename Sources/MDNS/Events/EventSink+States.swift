import DNSMessages
import DNSSD
import NetworkPrimitives

// How events of discovery change what is kept, and the events that users get of it.
extension EventSink {
    static func apply(_ event: Discovery.Event, to states: inout SinkStates) {
        switch event {
        case .browse(let change):
            guard let instance = change.instance else {
                if case .incomplete(let interface) = change {
                    states.set(.present, for: .incomplete(interface))
                }
                return
            }
            let key = StateKey.instance(instance.name, instance.interface)
            if case .removed = change {
                states.set(nil, for: key)
            } else {
                states.set(instance.resolution.map { .resolution($0) } ?? .present, for: key)
            }
        case .types(.added(let type, let interface)):
            states.set(.present, for: .type(type, interface))
        case .types(.removed(let type, let interface)):
            states.set(nil, for: .type(type, interface))
        case .resolution(let change): apply(change, to: &states)
        case .addresses(let change): apply(change, to: &states)
        case .names(let change), .domains(let change): apply(change, to: &states)
        case .records(let change): apply(change, to: &states)
        case .registration: break
        }
    }

    private static func apply(_ resolution: Resolution, to states: inout SinkStates) {
        let key = StateKey.resolution(resolution.interface)
        if case .lost = resolution {
            states.set(nil, for: key)
        } else {
            states.set(.resolution(resolution), for: key)
        }
    }

    // That there is nothing is forgotten once there is something.

    private static func apply(_ change: AddressEvent, to states: inout SinkStates) {
        switch change {
        case .added(let address, let name, let interface):
            states.set(nil, for: .noAddress(address.family, interface))
            states.set(.present, for: .address(address, name, interface))
        case .removed(let address, let name, let interface):
            states.set(nil, for: .address(address, name, interface))
        case .absent(let family, let interface):
            states.set(.present, for: .noAddress(family, interface))
        }
    }

    private static func apply(_ change: NameEvent, to states: inout SinkStates) {
        switch change {
        case .added(let name, let interface):
            states.set(nil, for: .noName(interface))
            states.set(.present, for: .name(name, interface))
        case .removed(let name, let interface):
            states.set(nil, for: .name(name, interface))
        case .absent(let interface):
            states.set(.present, for: .noName(interface))
        }
    }

    private static func apply(_ change: RecordEvent, to states: inout SinkStates) {
        switch change {
        case .added(let record, let interface):
            states.set(nil, for: .noRecord(record.type, interface))
            states.set(.record(record), for: key(record, interface))
        case .removed(let record, let interface):
            states.set(nil, for: key(record, interface))
        case .absent(let type, let interface):
            states.set(.present, for: .noRecord(type, interface))
        case .incomplete(let interface):
            states.set(.present, for: .incomplete(interface))
        }
    }

    /// Times to live and the cache-flush bit don't tell one record from another.
    private static func key(_ record: ResourceRecord, _ interface: InterfaceIndex) -> StateKey {
        .record(record.name, record.recordClass, record.data, interface)
    }
}

extension SinkStates.Element {
    var browseEvent: BrowseEvent? {
        if case .incomplete(let interface) = key { return .incomplete(interface) }
        guard case .instance(let name, let interface) = key else { return nil }
        var instance = ServiceInstance(name, on: interface)
        if case .resolution(let resolution) = value { instance.resolution = resolution }
        return switch kind {
        case .added: .added(instance)
        case .changed: .changed(instance)
        case .removed: .removed(instance)
        }
    }

    var resolveEvent: Resolution? {
        guard case (.resolution(let interface), .resolution(let state)) = (key, value) else {
            return nil
        }
        return kind == .removed ? .lost(state.name, interface) : state
    }

    var typeEvent: TypeEvent? {
        guard case .type(let type, let interface) = key else { return nil }
        return kind == .removed ? .removed(type, interface) : .added(type, interface)
    }

    var addressEvent: AddressEvent? {
        switch key {
        case .address(let address, let name, let interface):
            kind == .removed
                ? .removed(address, name: name, interface)
                : .added(address, name: name, interface)
        case .noAddress(let family, let interface):
            kind == .removed ? nil : .absent(family, interface)
        default: nil
        }
    }

    var nameEvent: NameEvent? {
        switch key {
        case .name(let name, let interface):
            kind == .removed ? .removed(name, interface) : .added(name, interface)
        case .noName(let interface):
            kind == .removed ? nil : .absent(interface)
        default: nil
        }
    }

    var recordEvent: RecordEvent? {
        switch (key, value) {
        case (.record(_, _, _, let interface), .record(let record)):
            kind == .removed ? .removed(record, interface) : .added(record, interface)
        case (.noRecord(let type, let interface), _):
            kind == .removed ? nil : .absent(type, interface)
        case (.incomplete(let interface), _): .incomplete(interface)
        default: nil
        }
    }
}
