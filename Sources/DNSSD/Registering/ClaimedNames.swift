import DNSMessages
import NetworkPrimitives

/// The names that this process itself has given out, so that it does not contend with itself.
struct ClaimedNames: Sendable {
    private struct ProxyHost: Sendable {
        var addresses: [IPAddress]
        var holders: Int
    }

    /// For look-up only.
    private var services: [DomainName: OperationID] = [:]
    /// For look-up only.
    private var hosts: [DomainName: ProxyHost] = [:]

    func isFree(_ name: ServiceInstanceName) -> Bool { services[name.domainName] == nil }

    /// The first name after `name` that no other registration here has; `nil` if none fits.
    func freeName(
        after name: ServiceInstanceName, for id: OperationID
    ) -> ServiceInstanceName? {
        var text = name.instance
        for _ in 0...services.count {
            text = InstanceRenaming.name(after: text)
            guard
                let next = try? ServiceInstanceName(text, type: name.type, domain: name.domain)
            else { return nil }
            if services[next.domainName] == nil || services[next.domainName] == id { return next }
        }
        return nil
    }

    mutating func claim(_ name: ServiceInstanceName, for id: OperationID) {
        services[name.domainName] = id
    }

    mutating func release(_ name: ServiceInstanceName, of id: OperationID) {
        guard services[name.domainName] == id else { return }
        services[name.domainName] = nil
    }

    /// Whether the host can be published with these addresses: nobody here does with others.
    func allowsHost(_ name: DomainName, addresses: [IPAddress]) -> Bool {
        guard let known = hosts[name] else { return true }
        return known.addresses == addresses.sorted()
    }

    mutating func claimHost(_ name: DomainName, addresses: [IPAddress]) {
        guard !addresses.isEmpty else { return }
        let holders = hosts[name]?.holders ?? 0
        hosts[name] = ProxyHost(addresses: addresses.sorted(), holders: holders + 1)
    }

    mutating func releaseHost(_ name: DomainName) {
        guard let known = hosts[name] else { return }
        hosts[name] =
            known.holders > 1
            ? ProxyHost(addresses: known.addresses, holders: known.holders - 1) : nil
    }
}
