import MDNS

/// `mdns reconfirm`.
enum Reconfirm {
    /// How long a record has to prove itself (RFC 6762 §10.4): a query asks after 0.1, 1.1, 3.1
    /// and 7.1 seconds. Two questions are enough for the standard and four for Apple's responder.
    private static let time: Duration = .seconds(10)
    /// How long another query then goes on, which asks after 0.1, 1.1 and 3.1 seconds: Avahi
    /// forgets at the fifth question that comes a full second after the one before.
    private static let extraTime: Duration = .milliseconds(3400)
    /// How long further records of an answered question are awaited.
    private static let lateAnswers: Duration = .milliseconds(200)

    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let target = try ReconfirmTarget(arguments.positionals)
        var options = try NetworkCommand.options(arguments)
        // Other hosts count a question as unanswered only if they would have seen its answer: see
        // RFC 6762 §10.5.
        options.mayAskForUnicast = false
        if target.isAddress {
            // Who gives an address asks for its name, wherever that belongs.
            options.multicastsAnyName = true
        } else {
            for check in target.checks { try NetworkCommand.check(check.name, arguments) }
        }
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [9, 8, 32, 4])
            var output = ReconfirmOutput(printer: printer, names: InterfaceNames(node))
            var reconfirmation = Reconfirmation(target)
            for await (number, sign) in signs(of: target, node) {
                guard let finding = reconfirmation.handle(sign, of: number) else { continue }
                try await output.print(finding)
            }
            if reconfirmation.isGone {
                Printer.printError(
                    "nobody answered for '\(target.title)': others that remember it drop it now")
            } else if await node.isClosed, !reconfirmation.isConfirmed {
                Printer.printError("'\(target.title)': interrupted, so nothing is certain")
            }
            return reconfirmation.isConfirmed ? .success : .nothingFound
        }
    }

    /// What comes of each of the checks, until each has its answer or the time is over.
    private static func signs(
        of target: ReconfirmTarget, _ node: MDNSNode
    ) -> AsyncStream<(Int, Reconfirmation.Sign)> {
        let (stream, continuation) = AsyncStream.makeStream(of: (Int, Reconfirmation.Sign).self)
        let work = Program.runTask {
            await withTaskGroup(of: Void.self) { group in
                for (number, check) in target.checks.enumerated() {
                    group.addTask {
                        await look(for: check, node) { continuation.yield((number, $0)) }
                    }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in work.cancel() }
        return stream
    }

    private static func look(
        for check: ReconfirmTarget.Check, _ node: MDNSNode, _ report: (Reconfirmation.Sign) -> Void
    ) async {
        if await ask(for: check, node, within: time, report) { return }
        guard await !node.isClosed else { return }
        report(.timedOut)
        _ = await ask(for: check, node, within: extraTime, report)
    }

    /// - Returns: Whether the check has its answer.
    private static func ask(
        for check: ReconfirmTarget.Check, _ node: MDNSNode, within time: Duration,
        _ report: (Reconfirmation.Sign) -> Void
    ) async -> Bool {
        // Only a closed node refuses.
        guard
            let events = try? await node.watchRecords(
                of: check.name, type: check.type, within: time)
        else { return false }
        var isSettled = false
        for await event in events {
            report(.answered(event))
            guard !isSettled, Reconfirmation.settles(event, check) else { continue }
            isSettled = true
            events.end(after: lateAnswers)
        }
        return isSettled
    }
}

/// Prints what became of records.
private struct ReconfirmOutput {
    let printer: Printer
    var names: InterfaceNames

    mutating func print(_ finding: Reconfirmation.Finding) async throws {
        var interface: String?
        if let index = finding.interface { interface = await names.name(of: index) }
        if printer.isJSON {
            try printer.object { writer in
                writer.member("event", finding.verdict.rawValue)
                writer.member("name", finding.name.description)
                writer.member("type", finding.type.description)
                if let record = finding.record {
                    writer.member("ttl", record.timeToLive.rawValue)
                }
                if let data = finding.data { writer.member("rdata", data.description) }
                if let interface { writer.member("interface", interface) }
            }
        } else {
            let style: TextStyle = finding.verdict == .confirmed ? .good : .bad
            try printer.line([
                Cell(finding.verdict.rawValue, style), Cell(interface ?? "-", .faint),
                Cell(finding.name.description, .strong), Cell(finding.type.description),
                Cell(finding.data?.description ?? ""),
            ])
        }
    }
}
