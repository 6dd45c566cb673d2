public import DNSMessages

extension DomainName {
    /// Whether the name has a meaning on its link only, so that it is multicast DNS that looks it
    /// up: under `local` (RFC 6762 §3), or the reverse mapping of a link-local address, under
    /// `254.169.in-addr.arpa` or `8.e.f.ip6.arpa` to `b.e.f.ip6.arpa` (RFC 6762 §4, §12).
    public var isLinkLocal: Bool {
        var labels: [Label] = []
        for label in self.labels { labels.append(label) }
        let last = labels.suffix(4).map { $0.text.lowercased() }
        if last.last == "local" { return true }
        return last == ["254", "169", "in-addr", "arpa"]
            || labels.count > 4 && last == ["e", "f", "ip6", "arpa"]
                && ["8", "9", "a", "b"].contains(labels[labels.count - 5].text.lowercased())
    }
}

/// Why a name can't be asked for.
public enum QueryError: Error, Hashable, Sendable {
    /// The name belongs to unicast DNS, and multicast for any name was not chosen (RFC 6762 §13).
    case unicastName(DomainName)
}

extension QueryError: CustomStringConvertible {
    /// The reason as a sentence with what to do.
    public var description: String {
        switch self {
        case .unicastName(let name):
            "'\(name)' belongs to unicast DNS: look it up there, or allow multicast for any name "
                + "(multicastsAnyName), where there is no server and others on the link are "
                + "trusted (RFC 6762 §13)"
        }
    }
}
