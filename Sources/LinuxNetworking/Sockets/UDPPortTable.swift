package import NetworkPrimitives

/// Who is bound to which UDP port in this network, as far as the kernel tells.
package enum UDPPortTable {
    /// Whether a socket other than those with these inodes may be given unicast datagrams to the
    /// port. One that is bound to a group's address is not.
    ///
    /// - Returns: True as well where the kernel does not tell, because who relies on being alone
    ///   had better be sure.
    package static func isShared(
        _ port: UInt16, _ family: AddressFamily, besides inodes: Set<UInt64> = []
    ) -> Bool {
        // "thread-self", because a thread can be in a network of its own.
        let path = "/proc/thread-self/net/\(family == .ipv4 ? "udp" : "udp6")"
        guard let bytes = try? SystemFile.read(path) else { return true }
        return rows(in: bytes).contains {
            $0.port == port && !$0.isGroup && !inodes.contains($0.inode)
        }
    }

    /// A socket's line in the table.
    package struct Row: Hashable, Sendable {
        var port: UInt16
        /// Whether it is bound to a group's address.
        var isGroup: Bool
        /// The kernel's number of the socket.
        package var inode: UInt64
        /// The number of its user.
        package var user: UInt32 = 0
    }

    /// The sockets of all programs on the port; none where the kernel does not tell.
    package static func sockets(on port: UInt16, _ family: AddressFamily) -> [Row] {
        let path = "/proc/thread-self/net/\(family == .ipv4 ? "udp" : "udp6")"
        return rows(in: (try? SystemFile.read(path)) ?? []).filter { $0.port == port }
    }

    /// Lines are `sl local_address rem_address … inode …`, addresses and ports in hexadecimal.
    static func rows(in table: [UInt8]) -> [Row] {
        table.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
            guard fields.count > 9 else { return nil }
            let local = fields[1].split(separator: UInt8(ascii: ":"))
            guard local.count == 2,
                let port = UInt16(String(decoding: local[1], as: UTF8.self), radix: 16),
                let inode = UInt64(String(decoding: fields[9], as: UTF8.self)),
                let user = UInt32(String(decoding: fields[7], as: UTF8.self)),
                let word = UInt32(String(decoding: local[0].prefix(8), as: UTF8.self), radix: 16)
            else { return nil }
            // The address's bytes as the machine reads them.
            let first = UInt32(bigEndian: word) >> 24
            let isGroup = local[0].count == 8 ? first >> 4 == 0xE : first == 0xFF
            return Row(port: port, isGroup: isGroup, inode: inode, user: user)
        }
    }
}
