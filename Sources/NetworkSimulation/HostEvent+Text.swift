import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

// Written out by hand: a description made by reflection would take longer than the event.

extension HostEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .engine(let output): Self.text(of: output)
        case .operation(let id, let event): "operation \(id.rawValue) \(Self.text(of: event))"
        case .hostName(let status): "host name \(status)"
        }
    }

    private static func text(of output: Output) -> String {
        switch output {
        case .transmit(let transmission): "sends \(transmission.bytes.count) bytes"
        case .publication(let id, let status): "publication \(id.rawValue) \(status)"
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
        case .registration(let status): "registration \(status)"
        default: "\(event)"
        }
    }

    private static func text(of instance: ServiceInstance) -> String {
        var text = "\(instance.name.domainName) on \(instance.interface)"
        if let service = instance.service { text += " at \(service.host) port \(service.port)" }
        return text
    }
}
