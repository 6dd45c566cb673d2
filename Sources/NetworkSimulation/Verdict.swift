import NetworkPrimitives

/// What came of a run.
package struct Verdict: Sendable {
    package let network: VirtualNetwork
    /// What the scenario counted, one line each.
    package let notes: [String]

    package init(network: VirtualNetwork, notes: [String] = []) {
        self.network = network
        self.notes = notes
    }

    package var violations: [Invariants.Violation] { network.invariants.violations }
    package var isClean: Bool { network.invariants.violationCount == 0 }

    /// The verdict in a few lines.
    package var summary: String {
        let hundredths = network.now.nanoseconds / 36_000_000_000
        let fraction = hundredths % 100
        var lines = [
            "seed \(network.seed): \(network.hosts.count) hosts, "
                + "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) virtual hours, "
                + "\(network.trace.frameCount) datagrams, \(network.deliveries) deliveries, "
                + "\(network.groundTruth.renames) renames, "
                + "hash \(String(network.trace.hash, radix: 16))"
        ]
        lines += notes
        lines.append(isClean ? "clean" : "\(network.invariants.violationCount) violations")
        lines += violations.prefix(20).map { "  \($0)" }
        return lines.joined(separator: "\n")
    }
}
