import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// PTR answers whose targets are names by themselves: domains (RFC 6763 §11), or the hosts of
/// an address (RFC 6762 §4).
struct NameEnumeration: Sendable {
    /// What the names are.
    enum Kind: Hashable, Sendable {
        case domains
        case hosts
    }

    let query: QueryID
    let kind: Kind

    func event(for change: AnswerChange) -> NameEvent? {
        switch change {
        case .added(let record, let interface):
            guard case .ptr(let target) = record.data else { return nil }
            return .added(target, interface)
        case .removed(let record, let interface):
            guard case .ptr(let target) = record.data else { return nil }
            return .removed(target, interface)
        case .absent(_, let interface):
            return .absent(interface)
        case .incomplete:
            return nil
        }
    }
}
