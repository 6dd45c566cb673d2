public import DNSMessages

extension DomainName {
    /// Whether the name has a meaning on one link only and belongs to multicast DNS: it lies in
    /// `local`, in the reverse domain of 169.254.0.0/16, or in those of fe80::/10
    /// (RFC 6762 §3, §4). All other names belong to unicast DNS (RFC 6762 §13).
    public var isOfLink: Bool {
        var last: [Label] = []
        for label in labels {
            last.append(label)
            if last.count > 5 { last.removeFirst() }
        }
        let text = last.map { $0.text.lowercased() }
        if text.last == "local" { return true }
        if text.suffix(4) == ["254", "169", "in-addr", "arpa"] { return true }
        return text.count == 5 && text[1...] == ["e", "f", "ip6", "arpa"]
            && ["8", "9", "a", "b"].contains(text[0])
    }
}
