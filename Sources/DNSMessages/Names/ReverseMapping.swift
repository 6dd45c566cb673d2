public import NetworkPrimitives

/// The names that stand for addresses: under `in-addr.arpa` and `ip6.arpa` (RFC 6762 §4).
public enum ReverseMapping {
    /// The name of an address: `1.2.0.192.in-addr.arpa`, or its 32 digits under `ip6.arpa`.
    public static func name(of address: IPAddress) -> DomainName {
        let labels: [String] =
            switch address {
            case .v4(let four): four.bytes.reversed().map { String($0) } + ["in-addr", "arpa"]
            case .v6(let six):
                six.bytes.reversed().flatMap { byte in
                    [String(byte & 0xF, radix: 16), String(byte >> 4, radix: 16)]
                } + ["ip6", "arpa"]
            }
        return name(of: labels)
    }

    /// The address that a name stands for; `nil` for other names and for parts of an address.
    public static func address(of name: DomainName) -> IPAddress? {
        var labels = name.labels.map { $0.text.lowercased() }
        guard labels.popLast() == "arpa", let kind = labels.popLast() else { return nil }
        if kind == "in-addr", labels.count == 4 {
            return IPv4Address(labels.reversed().joined(separator: ".")).map { .v4($0) }
        }
        guard kind == "ip6", labels.count == 32 else { return nil }
        var value: UInt128 = 0
        for label in labels.reversed() {
            guard label.utf8.count == 1, let digit = UInt128(label, radix: 16) else { return nil }
            value = value << 4 | digit
        }
        return .v6(IPv6Address(rawValue: value))
    }

    private static func name(of labels: [String]) -> DomainName {
        // Digits and the two zones need no escapes.
        guard let name = try? DomainName(labels.joined(separator: ".")) else {
            preconditionFailure("at most 34 short labels")
        }
        return name
    }
}
