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
