package import NetworkPrimitives

/// Who is bound to which UDP port in this network, as far as the kernel tells.
package enum UDPPortTable {
    /// Whether some socket is bound to the port, in either family's table; true where the kernel
    /// does not tell, because who relies on being alone had better be sure.
    package static func isInUse(_ port: UInt16, _ family: AddressFamily) -> Bool {
        // "thread-self", because a thread can be in a network of its own.
        let path = "/proc/thread-self/net/\(family == .ipv4 ? "udp" : "udp6")"
        guard let bytes = try? SystemFile.read(path) else { return true }
        return contains(port, in: bytes)
    }

    /// Lines are `  sl  local_address rem_address …`, addresses and ports in hexadecimal.
    static func contains(_ port: UInt16, in table: [UInt8]) -> Bool {
        table.split(separator: UInt8(ascii: "\n")).dropFirst().contains { line in
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard fields.count > 1, let digits = fields[1].split(separator: UInt8(ascii: ":")).last
            else { return false }
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16) == port
        }
    }
}
