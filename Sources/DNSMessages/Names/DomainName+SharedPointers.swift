extension DomainName {
    /// Whether everybody may have a PTR of this name: that of a service type or subtype, of
    /// `_services._dns-sd._udp`, or of domain enumeration (RFC 6763 §4.1, §7.1, §9, §11).
    ///
    /// Such a set is shared by its definition: a cache-flush bit or an NSEC that says otherwise
    /// is a fault of its sender (RFC 6762 §2, §10.2).
    package var holdsSharedPointers: Bool {
        let labels = Array(labels.prefix(4))
        return switch labels.firstIndex(where: { $0 == .tcp || $0 == .udp }) {
        case 1: labels[0].bytes.first == UInt8(ascii: "_")
        case 2: labels[1] == .discovery
        case 3: labels[1] == .subtype
        default: false
        }
    }
}

extension Label {
    fileprivate static let tcp = try? Label("_tcp")
    fileprivate static let udp = try? Label("_udp")
    fileprivate static let discovery = try? Label("_dns-sd")
    fileprivate static let subtype = try? Label("_sub")
}
