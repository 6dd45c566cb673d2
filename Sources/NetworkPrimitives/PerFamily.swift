/// A value for each of the two families.
///
/// Public and inlinable for the reason that `TimerQueue` gives.
public struct PerFamily<Value: Sendable>: Sendable {
    @usableFromInline var ipv4: Value
    @usableFromInline var ipv6: Value

    /// The same for both.
    @inlinable
    public init(_ value: Value) {
        ipv4 = value
        ipv6 = value
    }

    /// That of a family.
    @inlinable
    public subscript(family: AddressFamily) -> Value {
        get { family == .ipv4 ? ipv4 : ipv6 }
        _modify {
            if family == .ipv4 { yield &ipv4 } else { yield &ipv6 }
        }
    }
}

extension PerFamily<Instant?> {
    /// The latest of any of these families.
    package func latest(of families: FamilySet) -> Instant? {
        families.members.compactMap { self[$0] }.max()
    }
}
