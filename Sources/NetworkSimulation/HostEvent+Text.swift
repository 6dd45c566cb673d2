import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

// Written out by hand: a description made by reflection would take longer than the event, and in
// Embedded Swift there is none, so that the trace would have another hash there.

extension HostEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .engine(let output): Self.text(of: output)
        case .operation(let id, let event): "operation \(id.rawValue) \(Self.text(of: event))"
        case .hostName(let status): "host name \(Self.text(of: status))"
        }
    }

    private static func text(of output: Output) -> String {
        switch output {
        case .transmit(let transmission): "sends \(transmission.bytes.count) bytes"
        case .publication(let id, let status):
            "publication \(id.rawValue) \(text(of: status))"
        case .answer(let id, .added(let record, let interface)):
            "query \(id.rawValue) added \(record.name) \(record.type) on \(interface)"
        case .answer(let id, .removed(let record, let interface)):
            "query \(id.rawValue) removed \(record.name) \(record.type) on \(interface)"
        case .answer(let id, .absent(let type, let interface)):
            "query \(id.rawValue) has no \(type) on \(interface)"
        case .answer(let id, .incomplete(let interface)):
            "query \(id.rawValue) has more answers than fit on \(interface)"
        }
    }

    private static func text(of event: Discovery.Event) -> String {
        switch event {
        case .browse(.added(let instance)): "added \(text(of: instance))"
        case .browse(.changed(let instance)): "changed \(text(of: instance))"
        case .browse(.removed(let instance)): "removed \(text(of: instance))"
        case .browse(.incomplete(let interface)): "incomplete on \(interface)"
        case .registration(let status): "registration \(text(of: status))"
        case .types(.added(let type, let interface)): "type added \(type) on \(interface)"
        case .types(.removed(let type, let interface)): "type removed \(type) on \(interface)"
        case .domains(let event): "domain \(text(of: event))"
        case .names(let event): "name \(text(of: event))"
        case .resolution(let resolution): text(of: resolution)
        case .addresses(.added(let address, let name, let interface)):
            "address added \(address) of \(name) on \(interface)"
        case .addresses(.removed(let address, let name, let interface)):
            "address removed \(address) of \(name) on \(interface)"
        case .addresses(.absent(let family, let interface)):
            "no \(family.name) address on \(interface)"
        case .records(.added(let record, let interface)): "record added \(record) on \(interface)"
        case .records(.removed(let record, let interface)):
            "record removed \(record) on \(interface)"
        case .records(.absent(let type, let interface)): "no \(type) on \(interface)"
        case .records(.incomplete(let interface)): "records incomplete on \(interface)"
        }
    }

    private static func text(of event: NameEvent) -> String {
        switch event {
        case .added(let name, let interface): "added \(name) on \(interface)"
        case .removed(let name, let interface): "removed \(name) on \(interface)"
        case .absent(let interface): "absent on \(interface)"
        }
    }

    private static func text(of resolution: Resolution) -> String {
        let place = "\(resolution.name.domainName) on \(resolution.interface)"
        return switch resolution {
        case .resolved(let service): "resolved \(place) at \(service.host) port \(service.port)"
        case .partial: "resolved in part \(place)"
        case .unavailable: "unavailable \(place)"
        case .lost: "lost \(place)"
        }
    }

    private static func text(of status: RegistrationStatus) -> String {
        switch status {
        case .probing(let name): "probing \(name)"
        case .established(let name): "established \(name)"
        case .renamed(let old, let new): "renamed \(old) to \(new)"
        case .hostRenamed(let old, let new): "host renamed \(old) to \(new)"
        case .failing(let name, let attempts): "failing \(name) after \(attempts)"
        case .limited(let name, _): "limited \(name)"
        case .blocked(let name, _): "blocked \(name)"
        case .conflicted(let name): "conflicted \(name)"
        }
    }

    private static func text(of status: HostNameStatus) -> String {
        switch status {
        case .probing(let name): "probing \(name)"
        case .established(let name): "established \(name)"
        case .renamed(let old, let new): "renamed \(old) to \(new)"
        case .failing(let name, let attempts): "failing \(name) after \(attempts)"
        }
    }

    private static func text(of status: PublicationStatus) -> String {
        switch status {
        case .probing: "probing"
        case .established: "established"
        case .conflicted(let name): "conflicted \(name)"
        }
    }

    private static func text(of instance: ServiceInstance) -> String {
        var text = "\(instance.name.domainName) on \(instance.interface)"
        if let service = instance.service { text += " at \(service.host) port \(service.port)" }
        return text
    }
}
