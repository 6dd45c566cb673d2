import LinuxNetworking
import NetworkPrimitives
import NetworkSimulation

/// `mdns simulate`: hosts on virtual links, everything that can befall them, and the verdict.
enum Simulate {
    static func run(_ arguments: ParsedArguments) throws -> ExitCode {
        let first = try number(arguments, "seed", default: 1)
        let count = try number(arguments, "seeds", default: 1)
        var isClean = true
        var hours = 0.0
        var situations = Situations()
        for seed in first..<first + max(count, 1) {
            let begin = SystemClock.processorTime
            let verdict = try run(arguments, seed: UInt64(seed))
            let time = SystemClock.processorTime - begin
            situations.add(verdict.network.invariants.situations)
            hours += Double(verdict.network.now.nanoseconds) / 3.6e12
            if arguments.has("trace") {
                try StandardStream.output.write(verdict.network.trace.text + "\n")
            }
            if !verdict.isClean || count == 1 {
                try StandardStream.output.write(verdict.summary + "\n")
            }
            if count == 1 {
                try StandardStream.output.write(
                    "\(time.components.seconds) s of processor time, "
                        + "\(CurrentProcess.residentMemory >> 20) MB of memory\n")
            }
            if !verdict.isClean || (count == 1 && arguments.value(of: "pcap") != nil) {
                isClean = isClean && verdict.isClean
                try writeCapture(of: verdict, arguments)
            }
        }
        try report(situations)
        if count > 1 {
            try StandardStream.output.write(
                "\(count) seeds from \(first), \(Int(hours)) virtual hours: "
                    + (isClean ? "clean\n" : "NOT clean\n"))
        }
        return isClean ? .success : .nothingFound
    }

    /// How often the runs came to what the rules are for.
    private static func report(_ situations: Situations) throws {
        try StandardStream.output.write("what occurred: \(situations.summary)\n")
        let missing = situations.missing.map { $0.rawValue }
        if !missing.isEmpty {
            try StandardStream.output.write(
                "what did not: \(missing.joined(separator: ", "))\n")
        }
    }

    private static func run(_ arguments: ParsedArguments, seed: UInt64) throws -> Verdict {
        let isTraced = arguments.has("trace")
        var trace = SimulationTrace(keptLines: isTraced ? 1_000_000 : 0)
        let hosts = try arguments.value(of: "hosts")
            .map { try ArgumentValues.count($0, option: "hosts") }
        let duration = try arguments.value(of: "hours")
            .map { Duration.milliseconds(Int64(try fraction($0, "hours") * 3_600_000)) }
        switch arguments.value(of: "scenario") {
        case "mixed", nil:
            let scenario = try mixed(arguments, seed: seed, hosts: hosts, duration: duration)
            if !isTraced { trace = SimulationTrace() }
            return scenario.run(trace: trace)
        case "crowd":
            let hosts = hosts ?? 500
            return CrowdScenario(seed: seed, hostCount: hosts, browserCount: max(hosts / 10, 1))
                .run(for: duration ?? .seconds(3600), trace: trace)
        case "churn":
            return try churn(arguments, seed: seed, hosts: hosts, duration: duration)
                .run(trace: trace)
        case "powercut":
            return PowerCutScenario(seed: seed, deviceCount: hosts ?? 300).run(trace: trace)
        case "hostile":
            return HostileScenario(seed: seed, duration: duration ?? .seconds(60))
                .run(trace: trace)
        case .some(let name):
            throw UsageError(
                "there is no scenario '\(name)'; there are mixed, crowd, churn, powercut and "
                    + "hostile")
        }
    }

    private static func mixed(
        _ arguments: ParsedArguments, seed: UInt64, hosts: Int?, duration: Duration?
    ) throws -> MixedScenario {
        var scenario = MixedScenario(seed: seed, hostCount: hosts)
        scenario.duration = duration ?? scenario.duration
        if let text = arguments.value(of: "loss") {
            scenario.loss = try fraction(text, "loss") / 100
            guard scenario.loss <= 1 else { throw UsageError("--loss is at most 100 percent") }
        }
        scenario.pace = try pace(arguments) ?? scenario.pace
        return scenario
    }

    private static func churn(
        _ arguments: ParsedArguments, seed: UInt64, hosts: Int?, duration: Duration?
    ) throws -> ChurnScenario {
        var scenario = ChurnScenario(seed: seed)
        scenario.hostCount = hosts ?? scenario.hostCount
        scenario.duration = duration ?? scenario.duration
        scenario.pace = try pace(arguments) ?? scenario.pace
        if let text = arguments.value(of: "records") {
            scenario.recordCount = try ArgumentValues.count(text, option: "records")
        }
        if let text = arguments.value(of: "loss") {
            scenario.conditions.loss = try fraction(text, "loss") / 100
        }
        return scenario
    }

    private static func pace(_ arguments: ParsedArguments) throws -> Duration? {
        try arguments.value(of: "pace").map { try ArgumentValues.duration($0, option: "pace") }
    }

    /// The capture of a failed run, or of the one that was asked for.
    private static func writeCapture(
        of verdict: Verdict, _ arguments: ParsedArguments
    ) throws {
        let name = "simulation-\(verdict.network.seed).pcap"
        let path = arguments.value(of: "pcap") ?? name
        let bytes = verdict.network.trace.capture
        try SystemFile.write(bytes.span, to: path)
        try StandardStream.output.write("packets in \(path)\n")
    }

    private static func number(
        _ arguments: ParsedArguments, _ option: String, default standard: Int
    ) throws -> Int {
        guard let text = arguments.value(of: option) else { return standard }
        return try ArgumentValues.limit(text, option: option)
    }

    private static func fraction(_ text: String, _ option: String) throws -> Double {
        guard let value = Double(text), value >= 0, value <= 100_000 else {
            throw UsageError("--\(option) '\(text)' is not a number of 0 or more")
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

            Scenarios: mixed, all of that on a few links; crowd, 500 hosts of which a tenth
            browses, for an hour; churn, a week in which 10,000 records come, change and go;
            powercut, 300 devices that die at once and come back within seconds; hostile, a
            minute of a host that says 20,000 false things a second.

            At the end stands how often each situation occurred that the rules are about, and
            which never did: a rule is proved by nothing that does not occur.

            Exit code 1: some rule was broken. The seed and the packets say how.
            """,
        options: [
            OptionSpecification(
                name: "scenario", value: "NAME",
                help: "mixed, crowd, churn, powercut or hostile (mixed)."),
            OptionSpecification(name: "seed", value: "N", help: "Where chance begins (1)."),
            OptionSpecification(
                name: "seeds", value: "COUNT", help: "Run so many seeds, one after another."),
            OptionSpecification(
                name: "hosts", value: "N",
                help: "How many hosts (mixed: 2 to 12, drawn from the seed; churn: 20)."),
            OptionSpecification(
                name: "hours", value: "N",
                help: "How long things happen, virtual (mixed: 0.17; churn: 168)."),
            OptionSpecification(
                name: "pace", value: "TIME",
                help: "The mean time between happenings (mixed: 10s; churn: 60s)."),
            OptionSpecification(
                name: "loss", value: "PERCENT",
                help: "Loss on the worst link (mixed: 5; churn: 0)."),
            OptionSpecification(
                name: "records", value: "N", help: "Records that churn keeps to (10000)."),
            OptionSpecification(
                name: "pcap", value: "FILE", help: "Write the packets of the run."),
            OptionSpecification(name: "trace", help: "Show all that happens."),
        ],
        examples: [
            ("mdns simulate --seed 42", "One run and its verdict."),
            ("mdns simulate --seeds 1000", "A thousand."),
            ("mdns simulate --scenario churn --hours 24", "A day of churn."),
        ])
}
