import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// Answers for `_services._dns-sd._udp` become service types (RFC 6763 §9).
struct TypeEnumeration: Sendable {
    private struct Key: Hashable, Sendable {
        var type: ServiceType
        var interface: InterfaceIndex
    }

    let query: QueryID
    /// How many records name a type: several may, in different domains. For look-up only.
    private var counts: [Key: (type: ServiceType, records: Int)] = [:]

    init(query: QueryID) {
        self.query = query
    }

    /// `_services._dns-sd._udp.<domain>`.
    static func domainName(in domain: DomainName) throws(NameError) -> DomainName {
        let parent = try domain.prepending(Label("_udp")).prepending(Label("_dns-sd"))
        return try parent.prepending(Label("_services"))
    }

    mutating func process(_ change: AnswerChange) -> TypeEvent? {
        switch change {
        case .added(let record, let interface):
            guard let type = Self.type(of: record),
                counts.count < DiscoveryLimits.typesPerEnumeration
            else { return nil }
            let key = Key(type: type, interface: interface)
            let known = counts[key]
            counts[key] = (known?.type ?? type, (known?.records ?? 0) + 1)
            return known == nil ? .added(type, interface) : nil
        case .removed(let record, let interface):
            guard let type = Self.type(of: record) else { return nil }
            let key = Key(type: type, interface: interface)
            guard let known = counts[key] else { return nil }
            counts[key] = known.records > 1 ? (known.type, known.records - 1) : nil
            return known.records > 1 ? nil : .removed(known.type, interface)
        case .absent, .incomplete:
            return nil
        }
    }

    /// RFC 6763 §9: only the first two labels matter.
    private static func type(of record: ResourceRecord) -> ServiceType? {
        guard case .ptr(let target) = record.data else { return nil }
        var labels = target.labels
        guard let name = labels.next(), let transport = labels.next() else { return nil }
        return ServiceType(name, transport)
    }
}
