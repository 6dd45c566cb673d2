import DNSMessages
import DNSSD
import NetworkPrimitives

/// What this host calls itself, and where the part that tells it from others came from.
struct HostIdentity: Hashable, Sendable {
    /// The label in front of `.local`.
    var label: Label
    /// Where the suffix came from.
    var origin: NodeStatus.HostNameOrigin

    /// What the system says of itself.
    struct Facts: Hashable, Sendable {
        /// The kernel's name for the host: a bare container has no file that tells one.
        var systemName: String
        /// The text of the machine's id, where there is one.
        var machineID: String?
        var interfaces: [NetworkInterface]
    }

    /// Picks the name by the user's choice and the facts; `chance` is used when all else fails.
    init(_ choice: NodeOptions.HostName, facts: Facts, chance: UInt64) throws(NameError) {
        switch choice {
        case .label(let text):
            label = try Label(text)
            origin = .given
        case .automatic(let suffix?):
            // Checked before it is shortened to what fits.
            _ = try Label(suffix)
            label = HostNaming.defaultLabel(systemName: facts.systemName, suffix: suffix)
            origin = .given
        case .automatic(nil):
            let identity = Self.identity(facts, chance: chance)
            label = HostNaming.defaultLabel(
                systemName: facts.systemName,
                suffix: HostNaming.suffix(identity: identity.bytes))
            origin = identity.origin
        }
    }

    private static func identity(
        _ facts: Facts, chance: UInt64
    ) -> (bytes: [UInt8], origin: NodeStatus.HostNameOrigin) {
        // 32 hexadecimal digits; an image that is cloned has "uninitialized" or nothing here.
        if let text = facts.machineID?.prefix(while: { !$0.isWhitespace }),
            let bytes = Hexadecimal.bytes(text), bytes.count == 16,
            bytes.contains(where: { $0 != 0 })
        {
            return (bytes, .machineID)
        }
        let hardware = facts.interfaces.sorted { $0.index < $1.index }.lazy
            .filter { !$0.flags.contains(.loopback) }
            .compactMap { $0.hardwareAddress }
            .first { $0.rawValue != 0 }
        if let hardware {
            return (bytes(of: hardware.rawValue), .hardwareAddress)
        }
        return (bytes(of: chance), .chance)
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
