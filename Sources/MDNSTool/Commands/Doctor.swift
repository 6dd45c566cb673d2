import LinuxEventLoop
import LinuxNetworking
import LocalNetworkAccess
import MDNS
import NetworkPrimitives

/// `mdns doctor`: why multicast DNS does not work here, and what to do about it.
enum Doctor {
    /// Longer than a request takes once there is an interface.
    private static let requestTime: Duration = .seconds(5)
    /// Enough for a query and its answers, which come within 0.24 s (RFC 6762 §5.2 and §6).
    private static let browseTime: Duration = .seconds(1)
    /// More than the three seconds after which the kernel says that nobody has an address.
    private static let connectTime: Duration = .milliseconds(3500)

    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let options = try NetworkCommand.options(arguments)
        let type = try arguments.value(of: "type").map { try BrowsedType($0) }
        let peer = try arguments.value(of: "peer").map { text throws(UsageError) in
            try DoctorPeer(text)
        }
        let isPassive = arguments.has("passive")
        if isPassive, type != nil || peer != nil {
            throw UsageError("--passive sends nothing, and --type and --peer have to")
        }
        let environment = LocalNetworkEnvironment.system(
            on: try EventLoop.shared, selection: options.interfaces, families: options.families,
            storeDirectory: nil)
        let facts = await environment.facts.facts()
        if let problem = missingInterface(facts) {
            Printer.printError(problem)
            return .network
        }
        let addresses = try peer?.addresses(among: facts)
        let signals = try await ProcessSignals.events(of: [.interrupt, .terminate, .hangUp])
        // Nothing was published that would have to be taken back.
        let watcher = Program.runTask {
            for await signal in signals { CurrentProcess.exit(signal.exitCode) }
        }
        defer { watcher.cancel() }
        var report = await report(environment, facts, isPassive: isPassive)
        if let type { await look(for: type, options, &report) }
        if let peer { await connect(to: peer, addresses, options, &report) }
        try print(report, arguments)
        return report.isFaulty ? .nothingFound : .success
    }

    /// A pattern of `--interface` that fits no interface.
    static func missingInterface(_ facts: LocalNetworkFacts) -> String? {
        guard case .named(let patterns) = facts.selection, !facts.interfaces.isEmpty else {
            return nil
        }
        let names = facts.interfaces.map { $0.interface.name }
        let missing = patterns.first { pattern in
            !names.contains { InterfaceSelection.matches($0, pattern) }
        }
        return missing.map {
            "there is no interface '\($0)'; there are \(names.joined(separator: ", "))"
        }
    }

    /// The status, tried out unless nothing is to be sent or there is nothing to send on.
    private static func report(
        _ environment: LocalNetworkEnvironment, _ facts: LocalNetworkFacts, isPassive: Bool
    ) async -> DoctorReport {
        let session = LocalNetworkAccessSession(environment: environment)
        let assessment = await session.assessment()
        guard !isPassive, assessment.status != .unknown, assessment.status != .notRequired else {
            return DoctorReport(assessment, facts)
        }
        let report = await session.requestReport(timeout: requestTime)
        return DoctorReport(report.assessment, report.facts, progress: report.progress)
    }

    /// Checks the type by itself, and counts the services that are offered.
    private static func look(
        for browsed: BrowsedType, _ options: NodeOptions, _ report: inout DoctorReport
    ) async {
        let type = browsed.type.description
        report.add(AppConfiguration(types: [type]).typeFindings().map { DoctorFinding($0) })
        guard report.status == .allowed || report.status == .notRequired else { return }
        do {
            let node = try await MDNSNode(options)
            var names: Set<ServiceInstanceName> = []
            for await event in try await node.browse(
                browsed.type, subtype: browsed.subtype, within: browseTime)
            {
                if let instance = event.instance { names.insert(instance.name) }
            }
            await node.close()
            report.add(DoctorReport.Services(type: type, count: names.count))
        } catch {
            Printer.printError("\(type) was not looked for: \(error)")
        }
    }

    /// Tries the port of a host, at each of its addresses.
    private static func connect(
        to peer: DoctorPeer, _ known: [SocketAddress]?, _ options: NodeOptions,
        _ report: inout DoctorReport
    ) async {
        var addresses = known ?? []
        if case .name(let name) = peer.host {
            do {
                let node = try await MDNSNode(options)
                addresses = try await node.addresses(of: name, within: browseTime)
                    .prefix(DoctorPeer.maximumAddresses)
                    .map { SocketAddress($0.address, port: peer.port, scope: $0.interface) }
                await node.close()
            } catch {
                Printer.printError("\(name) was not looked for: \(error)")
            }
            if addresses.isEmpty { return report.add([peer.notFound]) }
        }
        let outcomes = await DoctorConnection.outcomes(of: addresses, within: connectTime)
        let facts = report.facts
        report.add(
            zip(addresses, outcomes).map { address, outcome in
                DoctorConnection(
                    address: DoctorPeer.text(of: address, facts), port: address.port,
                    outcome: outcome)
            })
    }

    private static func print(
        _ report: DoctorReport, _ arguments: ParsedArguments
    ) throws(OutputClosed) {
        let printer = Printer(isJSON: arguments.has("json"), widths: [10, 7])
        let isQuiet = arguments.has("quiet")
        if printer.isJSON {
            for object in report.objects(isQuiet: isQuiet) { try printer.object(object) }
        } else {
            for line in report.lines(isQuiet: isQuiet) { try printer.line(line) }
        }
    }
}

extension CommandSpecification {
    static let doctor = CommandSpecification(
        name: "doctor", argumentCount: 0...0,
        summary: "Find out why multicast DNS does not work here, and what to do about it.",
        details: """
            Looks at the interfaces, the port, the routes and the limits of this program, then
            joins the group, queries it, and sees which steps are reached: joined, sent, looped
            back (our own query came back from the group), received, answered. Takes two seconds.

            A finding is a line: how much it hurts (error, warning, hint), whether it is certain
            or only may be so, its code, what is wrong, what to do, and what can't be known about
            it from here. What hurts most comes first. Nothing is stored and nothing changed.

            Exit code 0: nothing found, or only hints; 1: findings; 3: it could not look.
            """,
        options: NetworkOptions.place + [
            OptionSpecification(
                name: "passive", letter: "p",
                help: "Send nothing: only what can be seen. Takes a tenth of a second."),
            OptionSpecification(
                name: "type", value: "TYPE",
                help: "Check this type of service, too, and whether one is offered."),
            OptionSpecification(
                name: "peer", value: "HOST:PORT",
                help: "Try a TCP connection to this host as well: see whether it is accepted,\n"
                    + "refused by RST, rejected by ICMP, or dropped. HOST is a name under\n"
                    + ".local or an address. Takes up to four seconds more."),
            OptionSpecification(
                name: "quiet", letter: "q", help: "Only the findings."),
            NetworkOptions.json(
                "event (status, interface, services, connection, finding);\n"
                    + "status: status, joined, sent, loopedBack, received, answered (unless\n"
                    + "nothing was sent), neighbours, daemon, filtered;\n"
                    + "interface: interface, kind, mtu, addresses, traffic: family and the steps;\n"
                    + "services: type, count;\n"
                    + "connection: address, port, outcome (connected, reset, rejected,\n"
                    + "rejected-here, unreachable, failed, silent);\n"
                    + "finding: code, severity (error, warning, hint), certain, what, fix,\n"
                    + "unknown where something can't be known"),
        ],
        examples: [
            ("mdns doctor", "Says what is wrong, and what to do."),
            ("mdns doctor --type _ipp._tcp -i eth0", "Sees whether printers answer on eth0."),
            (
                "mdns doctor --peer printer.local:631",
                "Says why a printer that was found can't be reached."
            ),
            ("mdns doctor --quiet --json", "Prints the findings for a program."),
        ])
}
