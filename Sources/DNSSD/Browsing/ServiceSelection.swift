package import DNSMessages
package import NetworkPrimitives

/// In which order several SRV records of one service are tried (RFC 2782, RFC 6763 §5).
package enum ServiceSelection {
    /// The locations by rising priority; within one priority drawn at random by weight, where a
    /// weight of 0 has a very small chance to be first.
    package static func order(
        _ locations: [ServiceLocation], using generator: inout SeededGenerator
    ) -> [ServiceLocation] {
        guard locations.count > 1 else { return locations }
        var rest = locations.sorted { left, right in
            (left.priority, left.weight, left.target, left.port)
                < (right.priority, right.weight, right.target, right.port)
        }
        var ordered: [ServiceLocation] = []
        while let first = rest.first {
            // The lowest priority first, by weight within it (S5-2).
            let group = rest.prefix { $0.priority == first.priority }
            let place = draw(from: group, using: &generator)
            ordered.append(rest.remove(at: place))
        }
        return ordered
    }

    private static func draw(
        from group: ArraySlice<ServiceLocation>, using generator: inout SeededGenerator
    ) -> Int {
        guard group.count > 1 else { return group.startIndex }
        let scale: UInt64 = 1000
        let total = group.reduce(UInt64(0)) { $0 + UInt64($1.weight) * scale }
        guard total > 0 else {
            return generator.integer(in: group.indices)
        }
        let drawn = UInt64.random(in: 0...total, using: &generator)
        var sum: UInt64 = 0
        for place in group.indices {
            sum += UInt64(group[place].weight) * scale
            if sum >= drawn { return place }
        }
        return group.endIndex - 1
    }
}
