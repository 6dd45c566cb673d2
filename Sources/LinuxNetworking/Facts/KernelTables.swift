package import NetworkPrimitives

/// Tables that the kernel shows as text, read without sending or changing anything.
///
/// What can't be read is left out: a table that is hidden looks like an empty one.
package enum KernelTables {
    /// A route of the main table, or of any for IPv6.
    package struct Route: Hashable, Sendable {
        /// The interface's name.
        package var interface: String
        /// The destination.
        package var destination: NetworkPrefix
        /// The next hop; nil for a destination on the link.
        package var gateway: IPAddress?
    }

    /// "thread-self", because a thread can be in a network of its own.
    private static func table(_ name: String) -> [UInt8] {
        (try? SystemFile.read("/proc/thread-self/net/\(name)", limit: 4 << 20)) ?? []
    }

    /// The routes of both families.
    package static func routes() -> [Route] {
        routes(inIPv4: table("route")) + routes(inIPv6: table("ipv6_route"))
    }

    /// How many IPv4 neighbours the kernel has exchanged packets with, gateways among them.
    package static func neighbourCount() -> Int { neighbourCount(in: table("arp")) }

    /// What the kernel has counted by protocol and name, as `Udp.NoPorts` or `Ip6InMcastPkts`.
    package static func counters() -> [String: Int] {
        var counters = pairedCounters(in: table("snmp"))
        // Not by `merge`, which casts: Embedded Swift has no casts.
        for more in [pairedCounters(in: table("netstat")), listedCounters(in: table("snmp6"))] {
            for (name, count) in more { counters[name] = count }
        }
        return counters
    }

    private static func lines(_ table: [UInt8]) -> [[Substring]] {
        String(decoding: table, as: UTF8.self).split(separator: "\n").map {
            $0.split { $0 == " " || $0 == "\t" }
        }
    }

    /// Lines of interface, destination, gateway, flags and so on, below a heading. Addresses are
    /// as the machine's memory has them.
    static func routes(inIPv4 table: [UInt8]) -> [Route] {
        lines(table).dropFirst().compactMap { fields in
            guard fields.count >= 8, let destination = UInt32(fields[1], radix: 16),
                let gateway = UInt32(fields[2], radix: 16), let mask = UInt32(fields[7], radix: 16)
            else { return nil }
            func address(_ word: UInt32) -> IPAddress {
                .v4(IPv4Address(rawValue: UInt32(bigEndian: word)))
            }
            return Route(
                interface: String(fields[0]),
                destination: NetworkPrefix(address(destination), length: mask.nonzeroBitCount),
                gateway: gateway == 0 ? nil : address(gateway))
        }
    }

    /// Lines of destination, its length, source, its length, next hop, four numbers, interface.
    static func routes(inIPv6 table: [UInt8]) -> [Route] {
        lines(table).compactMap { fields in
            guard fields.count >= 10, let destination = UInt128(fields[0], radix: 16),
                let length = Int(fields[1], radix: 16), (0...128).contains(length),
                let gateway = UInt128(fields[4], radix: 16),
                let flags = UInt32(fields[8], radix: 16)
            else { return nil }
            // RTF_REJECT: the kernel's own entry for what it can't reach.
            guard flags & 0x200 == 0 else { return nil }
            return Route(
                interface: String(fields[9]),
                destination: NetworkPrefix(
                    .v6(IPv6Address(rawValue: destination)), length: length),
                gateway: gateway == 0 ? nil : .v6(IPv6Address(rawValue: gateway)))
        }
    }

    /// Lines of address, kind, flags and so on, below a heading; flag 2 marks those that
    /// answered.
    static func neighbourCount(in table: [UInt8]) -> Int {
        lines(table).dropFirst().count { fields in
            guard fields.count >= 6, fields[2].hasPrefix("0x"),
                let flags = UInt32(fields[2].dropFirst(2), radix: 16)
            else { return false }
            return flags & 2 != 0
        }
    }

    /// Pairs of lines: names behind a protocol, then the numbers behind the same.
    static func pairedCounters(in table: [UInt8]) -> [String: Int] {
        let lines = lines(table)
        var counters: [String: Int] = [:]
        for place in stride(from: 0, to: lines.count - 1, by: 2) {
            let (names, values) = (lines[place], lines[place + 1])
            guard let heading = names.first, heading == values.first, heading.last == ":" else {
                continue
            }
            for (name, value) in zip(names, values).dropFirst() {
                counters["\(heading.dropLast()).\(name)"] = Int(value)
            }
        }
        return counters
    }

    /// Lines of a name and a number.
    static func listedCounters(in table: [UInt8]) -> [String: Int] {
        var counters: [String: Int] = [:]
        for fields in lines(table) where fields.count == 2 {
            counters[String(fields[0])] = Int(fields[1])
        }
        return counters
    }
}
