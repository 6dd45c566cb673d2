import DNSMessages
import DNSSD
import NetworkPrimitives
import PairTable

extension VirtualLink {
    /// What a follower shows on an interface after all of its events, as text.
    func view(
        of id: OperationID, by host: Int, on interface: InterfaceIndex
    ) -> [String] {
        var shown: Set<String> = []
        var services: [String: String] = [:]
        for event in events(host, id) {
            switch event {
            case .browse(.added(let instance)) where instance.interface == interface:
                shown.insert(instance.name.instance)
            case .browse(.changed(let instance)) where instance.interface == interface:
                services[instance.name.instance] = instance.service.map { Self.text(of: $0) }
            case .browse(.removed(let instance)) where instance.interface == interface:
                shown.remove(instance.name.instance)
                services[instance.name.instance] = nil
            case .resolution(let change) where change.interface == interface:
                services[change.name.instance] = nil
                if case .resolved(let service) = change {
                    services[change.name.instance] = Self.text(of: service)
                }
            case .addresses(.added(let address, _, interface)): shown.insert("\(address)")
            case .addresses(.removed(let address, _, interface)): shown.remove("\(address)")
            case .names(.added(let name, interface)): shown.insert("\(name)")
            case .names(.removed(let name, interface)): shown.remove("\(name)")
            case .types(.added(let type, interface)): shown.insert("\(type)")
            case .types(.removed(let type, interface)): shown.remove("\(type)")
            case .records(.added(let record, interface)): shown.insert("\(record.data)")
            case .records(.removed(let record, interface)): shown.remove("\(record.data)")
            default: continue
            }
        }
        return services.isEmpty ? shown.sorted() : services.values.sorted()
    }

    static func text(of service: ResolvedService) -> String {
        text(
            service.name.instance, service.location.target, service.location.port,
            service.txt["rev"]?.text ?? "", service.addresses)
    }

    static func text(
        _ name: String, _ host: DomainName, _ port: UInt16, _ revision: String,
        _ addresses: [IPAddress]
    ) -> String {
        "\(name) at \(host):\(port) rev=\(revision) \(addresses.map { "\($0)" }.sorted())"
    }
}
