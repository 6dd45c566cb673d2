import LinuxNetworking
import NetworkPrimitives
import NetworkSimulation

/// `mdns simulate`: hosts on virtual links, everything that can befall them, and the verdict.
enum Simulate {
    static func run(_ arguments: ParsedArguments) throws -> ExitCode {
        if let name = arguments.value(of: "scenario"), name != "mixed" {
            guard name == "crowd" else {
                throw UsageError("there is no scenario '\(name)'; there are mixed and crowd")
            }
            return try crowd(arguments)
        }
        let first = try number(arguments, "seed", default: 1)
        let count = try number(arguments, "seeds", default: 1)
        var isClean = true
        var hours = 0.0
        for seed in first..<first + max(count, 1) {
            let outcome = try scenario(arguments, seed: UInt64(seed)).run(
                trace: SimulationTrace(keptLines: arguments.has("trace") ? 1_000_000 : 2_000))
            hours += Double(outcome.network.now.nanoseconds) / 3.6e12
            if arguments.has("trace") {
                try StandardStream.output.write(outcome.network.trace.text + "\n")
            }
            if !outcome.isClean || count == 1 {
                try StandardStream.output.write(outcome.summary + "\n")
            }
            if !outcome.isClean || (count == 1 && arguments.value(of: "pcap") != nil) {
                isClean = isClean && outcome.isClean
                try writeCapture(of: outcome, arguments)
            }
        }
        if count > 1 {
            try StandardStream.output.write(
                "\(count) seeds from \(first), \(Int(hours)) virtual hours: "
                    + (isClean ? "clean\n" : "NOT clean\n"))
        }
        return isClean ? .success : .nothingFound
    }

    /// Many hosts with two services each, one in ten of them browsing.
    private static func crowd(_ arguments: ParsedArguments) throws -> ExitCode {
        var count = 500
        if let text = arguments.value(of: "hosts") {
            count = try ArgumentValues.count(text, option: "hosts")
        }
        let hours = try arguments.value(of: "hours").map { try fraction($0, "hours") } ?? 1
        let crowd = CrowdScenario(
            seed: UInt64(try number(arguments, "seed", default: 1)), hostCount: count,
            browserCount: max(count / 10, 1))
        let start = SystemClock.now
        let network = crowd.run(for: .milliseconds(Int64(hours * 3_600_000)))
        let seconds = start.duration(to: SystemClock.now)
        let isClean = network.invariants.violationCount == 0
        try StandardStream.output.write(
            "seed \(network.seed): \(count) hosts, \(network.trace.frameCount) datagrams, "
                + "\(network.deliveries) deliveries, \(network.ledger.renames) renames, "
                + "hash \(String(network.trace.hash, radix: 16)), in \(seconds)\n"
                + (isClean ? "clean\n" : "\(network.invariants.violationCount) violations\n"))
        for violation in network.invariants.violations.prefix(20) {
            try StandardStream.output.write("  \(violation)\n")
        }
        return isClean ? .success : .nothingFound
    }

    private static func scenario(
        _ arguments: ParsedArguments, seed: UInt64
    ) throws -> MixedScenario {
        var scenario = MixedScenario(seed: seed)
        if let text = arguments.value(of: "hosts") {
            scenario.hostCount = try ArgumentValues.count(text, option: "hosts")
        }
        if let text = arguments.value(of: "hours") {
            scenario.duration = .milliseconds(Int64(try fraction(text, "hours") * 3_600_000))
        }
        if let text = arguments.value(of: "loss") {
            scenario.loss = try fraction(text, "loss") / 100
            guard scenario.loss <= 1 else { throw UsageError("--loss is at most 100 percent") }
        }
        if let text = arguments.value(of: "pace") {
            scenario.pace = try ArgumentValues.duration(text, option: "pace")
        }
        return scenario
    }

    /// The capture of a failed run, or of the one that was asked for.
    private static func writeCapture(
        of outcome: MixedScenario.Outcome, _ arguments: ParsedArguments
    ) throws {
        let name = "simulation-\(outcome.network.seed).pcap"
        let path = arguments.value(of: "pcap") ?? name
        let bytes = outcome.network.trace.capture
        try SystemFile.write(bytes.span, to: path)
        try StandardStream.output.write("  packets in \(path)\n")
    }

    private static func number(
        _ arguments: ParsedArguments, _ option: String, default standard: Int
    ) throws -> Int {
        guard let text = arguments.value(of: option) else { return standard }
        return try ArgumentValues.limit(text, option: option)
    }

    private static func fraction(_ text: String, _ option: String) throws -> Double {
        guard let value = Double(text), value >= 0, value <= 100_000 else {
            throw UsageError("--\(option) '\(text)' is no number of 0 or more")
        }
        return value
    }
}

extension CommandSpecification {
    static let simulate = CommandSpecification(
        name: "simulate", argumentCount: 0...0,
        summary: "Run hosts on a virtual network and judge what they do.",
        details: """
            Nothing leaves this program: links, hosts and the clock are virtual. Hosts register,
            browse, crash, sleep, lose their cables and come back, while rules are watched at
            every step; in the end all must know what is true. The same seed gives the same run.

            Exit code 1: some rule was broken. The seed and the packets say how.
            """,
        options: [
            OptionSpecification(
                name: "scenario", value: "NAME",
                help: "mixed, or crowd: many hosts that all offer, a tenth of which browse."),
            OptionSpecification(name: "seed", value: "N", help: "Where chance begins (1)."),
            OptionSpecification(
                name: "seeds", value: "COUNT", help: "Run so many seeds, one after another."),
            OptionSpecification(
                name: "hosts", value: "N", help: "How many hosts (2 to 12, drawn from the seed)."),
            OptionSpecification(
                name: "hours", value: "N", help: "How long things happen, virtual (0.17)."),
            OptionSpecification(
                name: "pace", value: "TIME", help: "The mean time between happenings (10s)."),
            OptionSpecification(
                name: "loss", value: "PERCENT", help: "Loss on the worst link (5)."),
            OptionSpecification(
                name: "pcap", value: "FILE", help: "Write the packets of the run."),
            OptionSpecification(name: "trace", help: "Show all that happens."),
        ],
        examples: [
            ("mdns simulate --seed 42", "One run and its verdict."),
            ("mdns simulate --seeds 1000", "A thousand."),
        ])
}
