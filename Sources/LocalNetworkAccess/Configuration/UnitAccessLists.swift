import MDNS

/// A list that allows or, behind a tilde, denies (systemd.exec(5)): the first assignment says
/// which of both it is, further ones add to it or take from it.
struct AccessList {
    /// Whether what is listed is allowed, and all else not.
    private(set) var isAllowing: Bool?
    /// What is listed.
    private(set) var names: [String] = []
    /// The last assignment's place.
    private(set) var position = SourcePosition.start

    init(_ key: String, in unit: UnitFile, _ section: String) {
        for assignment in unit.list(key, in: section) { add(assignment) }
    }

    private mutating func add(_ assignment: UnitFile.Assignment) {
        position = assignment.position
        let denies = assignment.value.hasPrefix("~")
        if isAllowing == nil { isAllowing = !denies }
        for word in assignment.words {
            // A denied call may have an errno behind a colon.
            let text = word.text.drop { $0 == "~" }
            let name = String(text.split(separator: ":").first ?? "")
            guard !name.isEmpty, name != "none" else { continue }
            if isAllowing == !denies {
                names.append(name)
            } else {
                names.removeAll { $0 == name }
            }
        }
    }

    /// Whether one of the names, which all mean the same thing or include it, lets it through.
    func allows(_ wanted: [String]) -> Bool {
        guard let isAllowing else { return true }
        return names.contains { wanted.contains($0) } == isAllowing
    }
}

/// `RestrictAddressFamilies=`.
enum AddressFamilyRules {
    static func findings(_ unit: UnitFile, _ section: String) -> [ConfigurationFinding] {
        let list = AccessList("RestrictAddressFamilies", in: unit, section)
        let wanted: [(family: String, purpose: String)] = [
            ("AF_INET", "mDNS over IPv4"), ("AF_INET6", "mDNS over IPv6"),
            ("AF_NETLINK", "watching the interfaces"),
        ]
        return wanted.filter { !list.allows([$0.family]) }.map { family, purpose in
            ConfigurationFinding(
                "address-family-restricted", family == "AF_INET6" ? .warning : .error,
                "RestrictAddressFamilies= forbids \(family), which \(purpose) needs",
                fix: list.isAllowing == true
                    ? "add \(family) to the list" : "remove \(family) from the denied ones",
                at: list.position)
        }
    }
}

/// `SystemCallFilter=`.
enum SystemCallRules {
    /// The call without which there is no network, and the sets that hold it.
    private static let socket = ["socket", "@network-io", "@system-service", "@known"]

    static func findings(_ unit: UnitFile, _ section: String) -> [ConfigurationFinding] {
        let list = AccessList("SystemCallFilter", in: unit, section)
        guard !list.allows(socket) else { return [] }
        return [
            ConfigurationFinding(
                "system-calls-filtered", "SystemCallFilter= forbids the calls of the network",
                fix: list.isAllowing == true
                    ? "add @network-io to the list"
                    : "remove what holds @network-io from the denied ones",
                at: list.position)
        ]
    }
}

/// `IPAddressDeny=` and `IPAddressAllow=`, which wins where it covers
/// (systemd.resource-control(5)).
enum AddressDenyRules {
    private struct Entry {
        var prefix: NetworkPrefix
        var text: String
        var position: SourcePosition
    }

    static func findings(_ unit: UnitFile, _ section: String) -> [ConfigurationFinding] {
        let denied = entries("IPAddressDeny", unit, section)
        let allowed = entries("IPAddressAllow", unit, section)
        var findings: [ConfigurationFinding] = []
        for family in AddressFamily.allCases {
            let group = IPAddress.multicastDNS(family)
            if let entry = denied.first(where: { $0.prefix.contains(group) }),
                !allowed.contains(where: { $0.prefix.contains(group) })
            {
                findings.append(
                    ConfigurationFinding(
                        "address-denied",
                        "IPAddressDeny=\(entry.text) covers \(group), the group of mDNS",
                        fix: "add 'IPAddressAllow=multicast' and the link's own prefixes",
                        at: entry.position))
            } else if let finding = neighbours(family, denied, allowed) {
                findings.append(finding)
            }
        }
        return findings
    }

    /// Packets come from the neighbours' own addresses, and the filter looks at these: link-local
    /// ones over IPv6, any over IPv4.
    private static func neighbours(
        _ family: AddressFamily, _ denied: [Entry], _ allowed: [Entry]
    ) -> ConfigurationFinding? {
        let entry: Entry?
        let isLeftOpen: Bool
        if family == .ipv6 {
            let address = linkLocal
            entry = denied.first { $0.prefix.contains(address) }
            isLeftOpen = allowed.contains {
                $0.prefix.address.family == .ipv6
                    && ($0.prefix.contains(address) || $0.prefix.address.isLinkLocal)
            }
        } else {
            entry = denied.first { $0.prefix.address.family == .ipv4 && $0.prefix.length == 0 }
            isLeftOpen = allowed.contains {
                let address = $0.prefix.address
                return address.family == .ipv4 && !address.isMulticast && !address.isLoopback
            }
        }
        guard let entry, !isLeftOpen else { return nil }
        return ConfigurationFinding(
            "address-neighbours-denied", family == .ipv4 ? .error : .warning,
            "IPAddressDeny=\(entry.text) drops what neighbours send from their own addresses",
            fix: family == .ipv4
                ? "allow the link's prefix with IPAddressAllow="
                : "add 'IPAddressAllow=link-local'", at: entry.position)
    }

    private static let linkLocal = IPAddress.v6(IPv6Address(high: 0xFE80 << 48, low: 1))

    private static func entries(
        _ key: String, _ unit: UnitFile, _ section: String
    ) -> [Entry] {
        unit.list(key, in: section).flatMap { $0.words }.flatMap { word in
            prefixes(word.text).map {
                Entry(prefix: $0, text: word.text, position: word.position)
            }
        }
    }

    /// An address, a prefix, or one of the four words for some.
    private static func prefixes(_ text: String) -> [NetworkPrefix] {
        let named = [
            "any": ["0.0.0.0/0", "::/0"], "localhost": ["127.0.0.0/8", "::1/128"],
            "link-local": ["169.254.0.0/16", "fe80::/64"],
            "multicast": ["224.0.0.0/4", "ff00::/8"],
        ]
        return (named[text] ?? [text]).compactMap { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let address = parts.first.flatMap({ IPAddress($0) }), parts.count <= 2 else {
                return nil
            }
            let width = address.family == .ipv4 ? 32 : 128
            guard parts.count == 2 else { return NetworkPrefix(address, length: width) }
            guard let length = Int(parts[1]), (0...width).contains(length) else { return nil }
            return NetworkPrefix(address, length: length)
        }
    }
}
