public import DNSMessages

/// How this host's own name is made, and another when it is taken.
public enum HostNaming {
    /// The label `printer-3f2a` for a system that calls itself `printer.example.com`: the first
    /// part of the system's name, brought to letters, digits and hyphens, and `suffix`, which
    /// keeps it apart from a name that another daemon on this host may hold.
    ///
    /// Without a usable name it is `host-3f2a`; with an empty suffix none is added.
    public static func defaultLabel(systemName: String, suffix: String) -> Label {
        let base = baseLabel(systemName: systemName)
        let tail = suffix.isEmpty ? "" : "-" + suffix
        let room = DiscoveryLimits.labelBytes - tail.utf8.count
        let text = base.truncated(toUTF8Count: max(room, 1)) + tail
        return (try? Label(text.truncated(toUTF8Count: DiscoveryLimits.labelBytes)))
            ?? Label.host
    }

    /// The first part of the system's name in letters, digits and hyphens; `host` if there is
    /// none or it says nothing.
    public static func baseLabel(systemName: String) -> String {
        let first = systemName.split(separator: ".").first.map(String.init) ?? ""
        var text = ""
        for byte in first.utf8 {
            let isLetter = (0x61...0x7A).contains(byte | 0x20)
            let isDigit = (0x30...0x39).contains(byte)
            if isLetter || isDigit {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else if !text.isEmpty, text.last != "-" {
                text += "-"
            }
        }
        while text.last == "-" { text.removeLast() }
        return text.isEmpty || text.lowercased() == "localhost" ? "host" : text
    }

    /// Four hexadecimal digits that follow from `identity`, a machine id or a hardware address.
    /// They don't give it away: 16 bits of a hash are left.
    public static func suffix(identity: some Sequence<UInt8>) -> String {
        // FNV-1a of 64 bits, folded to 16.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array("vicinity".utf8) + Array(identity) {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        let folded = (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) & 0xFFFF
        let digits = String(folded, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// The name to try as number `attempt`, the first being 1: `printer-3f2a`, then
    /// `printer-3f2a-2`, and so on (RFC 6762 §9).
    public static func label(_ base: Label, attempt: Int) -> Label {
        guard attempt > 1 else { return base }
        let tail = "-\(attempt)"
        let room = DiscoveryLimits.labelBytes - tail.utf8.count
        return (try? Label(base.text.truncated(toUTF8Count: room) + tail)) ?? base
    }

    /// What a user who types `text` means to look up: a single label gets `local` behind it, a
    /// name of several labels, or with a final dot, stays as it is (RFC 6762 §21).
    ///
    /// - Throws: `NameError`.
    public static func lookupName(_ text: String) throws(NameError) -> DomainName {
        let name = try DomainName(text)
        guard name.labelCount == 1, text.utf8.last != UInt8(ascii: ".") else { return name }
        return try name.appending(.local)
    }
}

extension Label {
    /// The label of a host about which nothing is known.
    static var host: Label {
        guard let label = try? Label("host") else { preconditionFailure("four letters") }
        return label
    }
}

extension HostNaming {
    /// Checks a label that is to name a host under `local`: any text without control characters,
    /// which other hosts' resolvers cut off or refuse.
    ///
    /// - Throws: `RegistrationError.controlCharacterInHostName`.
    public static func check(_ label: Label) throws(RegistrationError) {
        try check((try? DomainName.local.prepending(label)) ?? .local)
    }

    /// As for a label, for each label of a host's name.
    static func check(_ name: DomainName) throws(RegistrationError) {
        for label in name.labels {
            for (position, byte) in label.bytes.enumerated() where byte < 0x20 || byte == 0x7F {
                throw .controlCharacterInHostName(name, byte, position: position + 1)
            }
        }
    }
}
