import LinuxNetworking
import MDNS

/// `mdns publish --from FILE`.
enum PublishList {
    /// More than any list that can be published takes.
    private static let sizeLimit = 64 << 20

    static func run(
        _ source: String, _ arguments: ParsedArguments, _ options: NodeOptions
    ) async throws -> ExitCode {
        guard arguments.positionals.isEmpty else {
            throw UsageError("with --from FILE the services are in the file, not in arguments")
        }
        for option in ["subtype", "host", "address", "no-reverse", "lenient", "timeout"]
        where arguments.has(option) {
            throw UsageError("--\(option) does not go with --from")
        }
        let list = try list(source)
        for problem in list.problems { print(problem, in: source) }
        guard !list.entries.isEmpty || source != "-" else { return .usage }
        let printer = ListPrinter(isJSON: arguments.has("json"))
        let (reloads, hangUps) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        return try await NetworkCommand.run(
            options, hangUps: source == "-" ? nil : hangUps
        ) { node in
            let publisher = ListPublisher(node, printer, hangUps, source: source)
            await publisher.publish(list)
            // The standard input can't be read again; its services stay until the node ends.
            for await _ in reloads { await publisher.reload() }
            return try await publisher.exitCode
        }
    }

    /// Reads the list; the standard input is `-`.
    fileprivate static func list(_ source: String) throws(SystemError) -> ServiceList {
        let reader =
            source == "-"
            ? try SystemFile.Reader.standardInput() : try SystemFile.Reader(source)
        return ServiceList(try reader.readAll(limit: sizeLimit))
    }

    fileprivate static func print(_ problem: ServiceList.Problem, in source: String) {
        let name = source == "-" ? "standard input" : source
        Printer.printError("\(name):\(problem.line): \(problem.reason)")
    }
}

/// The lines of many services, one after the other.
private actor ListPrinter {
    private let printer: Printer

    init(isJSON: Bool) {
        printer = Printer(isJSON: isJSON, widths: Publish.widths)
    }

    func print(_ report: Report) async throws(OutputClosed) {
        try await report.print(by: printer)
    }
}

/// The services of a list, each with the task that prints its events.
private actor ListPublisher {
    private struct Offer {
        var service: ServiceDescription
        let handle: RegistrationHandle
        let publication: SharedPublication
    }

    private let node: MDNSNode
    private let printer: ListPrinter
    private let hangUps: AsyncStream<Void>.Continuation
    private let source: String
    private var offers: [ServiceKey: Offer] = [:]
    private var wasEstablished = false
    /// What is in the way, as was said: once for all services.
    private var failures: Set<String> = []
    /// What ended the work before anybody asked for it.
    private var failure: Result<ExitCode, OutputClosed>?

    init(
        _ node: MDNSNode, _ printer: ListPrinter, _ hangUps: AsyncStream<Void>.Continuation,
        source: String
    ) {
        self.node = node
        self.printer = printer
        self.hangUps = hangUps
        self.source = source
    }

    /// How it went.
    var exitCode: ExitCode {
        get throws(OutputClosed) {
            if let failure { return try failure.get() }
            return wasEstablished ? .success : .nothingFound
        }
    }

    /// Reads the file again; what was published stays if it can't be read.
    func reload() async {
        do throws(SystemError) {
            let list = try PublishList.list(source)
            for problem in list.problems { PublishList.print(problem, in: source) }
            await publish(list)
        } catch {
            Printer.printError("\(error); the services stay as they were")
        }
    }

    /// Publishes what the list says, and changes only what differs.
    func publish(_ list: ServiceList) async {
        let change = ServiceListChange(from: offers.mapValues { $0.service }, to: list)
        for key in change.withdrawn {
            guard let offer = offers.removeValue(forKey: key) else { continue }
            if case .failed(let error) = await offer.handle.withdraw() {
                note("others may list for a while what has gone: \(error.description)")
            }
            if let report = await offer.publication.withdrawal(from: node) {
                await print(report)
            }
        }
        for entry in change.updated { await report(entry) { try await self.update(entry) } }
        for entry in change.added { await report(entry) { try await self.add(entry) } }
    }

    /// Has a line's problem printed.
    private func report(_ entry: ServiceList.Entry, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            let reason = ServiceList.words(for: error)
            PublishList.print(.init(line: entry.line, reason: reason), in: source)
        }
    }

    private func update(_ entry: ServiceList.Entry) async throws {
        let key = ServiceKey(entry.service)
        guard let offer = offers[key] else { return }
        if offer.service.txt != entry.service.txt {
            try await offer.handle.update(txt: entry.service.txt)
        }
        if offer.service.subtypes != entry.service.subtypes {
            try await offer.handle.update(subtypes: entry.service.subtypes)
        }
        offers[key]?.service = entry.service
    }

    private func add(_ entry: ServiceList.Entry) async throws {
        if let problem = try await Publish.hostProblem(of: entry.service, node) {
            throw UsageError(problem)
        }
        let handle = try await node.register(entry.service)
        let publication = SharedPublication(entry.service)
        offers[ServiceKey(entry.service)] = Offer(
            service: entry.service, handle: handle, publication: publication)
        for note in ServiceArguments.notes(on: entry.service) {
            PublishList.print(.init(line: entry.line, reason: note), in: source)
        }
        let (events, node) = (handle.events, node)
        Program.runTask {
            for await status in events {
                await self.print(await publication.report(status, of: node), status)
            }
        }
    }

    private func print(_ report: Report, _ status: RegistrationStatus? = nil) async {
        if case .established = status {
            wasEstablished = true
            failures = []
        }
        for failure in report.newFailures { note(failure.description) }
        do throws(OutputClosed) {
            try await printer.print(report)
        } catch {
            await end(.failure(error))
        }
        // What was established waits for the network to be as it was.
        if case .blocked = status, !wasEstablished { await end(.success(.network)) }
    }

    private func note(_ failure: String) {
        if failures.insert(failure).inserted { Printer.printError(failure) }
    }

    private func end(_ failure: Result<ExitCode, OutputClosed>) async {
        if self.failure == nil { self.failure = failure }
        hangUps.finish()
    }
}

/// What is known of a published service, by the task that reads its events and by who withdraws it.
private actor SharedPublication {
    private var publication: PublishedService

    init(_ service: ServiceDescription) {
        publication = PublishedService(service)
    }

    func report(_ status: RegistrationStatus, of node: MDNSNode) async -> Report {
        var publication = publication
        let report = await publication.report(status, of: node)
        self.publication = publication
        return report
    }

    func withdrawal(from node: MDNSNode) async -> Report? {
        await publication.withdrawal(from: node)
    }
}
