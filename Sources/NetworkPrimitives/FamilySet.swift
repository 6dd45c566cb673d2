/// Some of the two families; always walked in the same order.
package struct FamilySet: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8

    package static let ipv4 = FamilySet(rawValue: 1)
    package static let ipv6 = FamilySet(rawValue: 2)

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ family: AddressFamily) {
        self = family == .ipv4 ? .ipv4 : .ipv6
    }

    package var members: [AddressFamily] {
        switch rawValue & 3 {
        case 1: [.ipv4]
        case 2: [.ipv6]
        case 3: [.ipv4, .ipv6]
        default: []
        }
    }

    package func contains(_ family: AddressFamily) -> Bool { contains(FamilySet(family)) }
}
