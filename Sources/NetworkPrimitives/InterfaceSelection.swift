/// Which interfaces something is meant for.
public enum InterfaceSelection: Hashable, Sendable {
    /// Every interface that multicast DNS runs on.
    case all
    /// Interfaces whose name matches one of these patterns: `*` any run, `?` any character.
    case named([String])
    /// The one with that kernel number.
    case index(InterfaceIndex)

    /// Whether `interface` is meant.
    public func contains(_ interface: NetworkInterface) -> Bool {
        switch self {
        case .all: true
        case .named(let patterns): patterns.contains { Self.matches(interface.name, $0) }
        case .index(let index): index == interface.index
        }
    }

    /// Whether multicast DNS is to run on `interface` over one of the families: it is selected,
    /// up, can multicast, and has an address that is not tentative. The loopback and
    /// point-to-point lines are used only when they are named.
    public func isEligible(
        _ interface: NetworkInterface, families: Set<AddressFamily>
    ) -> Bool {
        let isSelected =
            self == .all ? !interface.isUsedOnlyWhenNamed : contains(interface)
        return isSelected && interface.isUsable && interface.canMulticast
            && interface.addresses.contains {
                !$0.isTentative && families.contains($0.address.family)
            }
    }

    /// Whether `name` fits the pattern: `*` stands for any run of bytes, `?` for any one byte.
    public static func matches(_ name: String, _ pattern: String) -> Bool {
        let name = Array(name.utf8)
        let pattern = Array(pattern.utf8)
        var at = 0
        var place = 0
        var star: (pattern: Int, name: Int)?
        while at < name.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, at)
                place += 1
            } else if place < pattern.count,
                pattern[place] == UInt8(ascii: "?") || pattern[place] == name[at]
            {
                at += 1
                place += 1
            } else if let last = star {
                // The last star takes one byte more, and matching goes on behind it.
                star = (last.pattern, last.name + 1)
                at = last.name + 1
                place = last.pattern + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
