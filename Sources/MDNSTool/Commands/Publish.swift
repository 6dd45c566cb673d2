import MDNS

/// `mdns publish`.
enum Publish {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        var options = try NetworkCommand.options(arguments)
        if let suffix = arguments.value(of: "host-suffix") {
            options.hostName = .automatic(suffix: suffix)
        }
        options.limitsAmplification = !arguments.has("no-amplification-limit")
        if let source = arguments.value(of: "from") {
            return try await PublishList.run(source, arguments, options)
        }
        guard arguments.positionals.count >= 3 else {
            throw UsageError("too few arguments; give NAME TYPE PORT, or --from FILE")
        }
        let service = try ServiceArguments.description(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: nil)
        let printer = Printer(isJSON: arguments.has("json"), widths: widths)
        for note in ServiceArguments.notes(on: service) { Printer.printError(note) }
        return try await NetworkCommand.run(options) { node in
            if let problem = try await hostProblem(of: service, node) {
                Printer.printError(problem)
                return .nothingFound
            }
            let registration = try await node.register(service)
            if let timeout { registration.events.end(after: timeout) }
            var publication = PublishedService(service)
            for await status in registration.events {
                let report = await publication.report(status, of: node)
                for failure in report.newFailures { Printer.printError(failure.description) }
                try await report.print(by: printer)
                // One that was established waits for the network to be as it was.
                if case .blocked = status, !publication.wasEstablished { return .network }
            }
            // Closing the node says goodbye.
            return publication.wasEstablished ? .success : .nothingFound
        }
    }

    static let widths = [11, 32]

    /// Why nobody could reach the service: its host has no address that anybody answers with.
    static func hostProblem(
        of service: ServiceDescription, _ node: MDNSNode
    ) async throws -> String? {
        guard let host = service.host, host.addresses.isEmpty else { return nil }
        if await node.hostName == host.name { return nil }
        guard try await node.addresses(of: host.name).isEmpty else { return nil }
        return "no host on the link is called '\(host.name)', so nobody could reach the "
            + "service: give its addresses with --address, or \"addresses\" in a list"
    }
}

/// A service that is published, as far as its events have told.
struct PublishedService: Sendable {
    private let service: ServiceDescription
    /// Whether it was established at some time.
    private(set) var wasEstablished = false
    private var failures: [InterfaceFailure] = []
    private var instance: DomainName?
    private var proxy: DomainName?

    init(_ service: ServiceDescription) {
        self.service = service
        proxy = service.host?.name
    }

    /// What is to be printed of an event.
    mutating func report(_ status: RegistrationStatus, of node: MDNSNode) async -> Report {
        if case .established = status { wasEstablished = true }
        if let name = Self.serviceName(in: status) { instance = name }
        if case .hostRenamed(_, let name) = status, proxy != nil { proxy = name }
        let new = status.failures.filter { !failures.contains($0) }
        failures = status.failures
        return await report(status, newFailures: new, node)
    }

    /// What is to be printed once it is taken back; nothing where nothing was printed before.
    func withdrawal(from node: MDNSNode) async -> Report? {
        instance == nil ? nil : await report(nil, newFailures: [], node)
    }

    private func report(
        _ status: RegistrationStatus?, newFailures: [InterfaceFailure], _ node: MDNSNode
    ) async -> Report {
        let host = if let proxy { proxy } else { await node.hostName }
        return Report(
            status: status, newFailures: newFailures, service: service, instance: instance,
            host: host, interfaces: InterfaceNames(node))
    }

    /// The service's own name, if the event is about it.
    private static func serviceName(in status: RegistrationStatus) -> DomainName? {
        switch status {
        case .probing(let name), .established(let name), .renamed(_, let name),
            .conflicted(let name), .blocked(let name, _), .limited(let name, _):
            name
        case .failing(let name, _): ServiceInstanceName(name)?.domainName
        case .hostRenamed: nil
        }
    }
}

/// A line about where what is published stands.
struct Report: Sendable {
    /// `nil` once it was withdrawn.
    let status: RegistrationStatus?
    /// Those of its failures that were not there before.
    let newFailures: [InterfaceFailure]
    let service: ServiceDescription
    /// The service's name, where it is known.
    let instance: DomainName?
    let host: DomainName
    let interfaces: InterfaceNames

    func print(by printer: Printer) async throws(OutputClosed) {
        let (word, style, name, remark) = await words
        guard printer.isJSON else {
            try printer.line([
                Cell(word, style), Cell(name.description, .strong),
                Cell("\(host):\(service.port)"), Cell(remark, .faint),
            ])
            return
        }
        let failures = status?.failures ?? []
        var places: [String] = []
        for failure in failures {
            places.append(await interfaces.name(of: failure.interface))
        }
        try printer.object { writer in
            writer.member("event", word)
            if let instance = instance.flatMap(ServiceInstanceName.init) {
                ServiceFormat.write(instance, to: &writer)
            } else {
                writer.member("instance", name.description)
            }
            writer.member("type", service.type.description)
            writer.member("domain", service.domain.description)
            writer.member("host", host.description)
            writer.member("port", service.port)
            guard !failures.isEmpty else { return }
            writer.key("failures")
            writer.beginArray()
            for (failure, place) in zip(failures, places) {
                write(failure, on: place, to: &writer)
            }
            writer.endArray()
        }
    }

    private func write(
        _ failure: InterfaceFailure, on interface: String, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("kind", failure.kind.rawValue)
        writer.member("interface", interface)
        writer.key("families")
        writer.beginArray()
        for family in failure.sortedFamilies { writer.string(family.name) }
        writer.endArray()
        if let number = failure.errorNumber { writer.member("errno", number) }
        writer.member("reason", failure.description)
        writer.endObject()
    }

    /// The first word of the line and what follows it.
    private var words: (word: String, style: TextStyle, name: DomainName, remark: String) {
        get async {
            switch status {
            case .probing(let name):
                ("probing", .plain, name, "asking whether the name is free")
            case .established(let name):
                ("established", .good, name, "")
            case .limited(let name, let failures):
                ("limited", .warning, name, "not " + (await places(of: failures)))
            case .renamed(let from, let to):
                ("renamed", .warning, to, "another host has \(from)")
            case .hostRenamed(let from, let to):
                ("hostRenamed", .warning, to, "another host is called \(from)")
            case .failing(let name, let attempts):
                ("failing", .bad, name, "no free name after \(attempts) attempts; still trying")
            case .blocked(let name, _):
                ("blocked", .bad, name, "nothing can be sent")
            case .conflicted(let name):
                ("failed", .bad, name, "the name is taken")
            case nil:
                ("withdrawn", .plain, instance ?? host, "")
            }
        }
    }

    /// `on lan0, on lan1 over IPv6`.
    private func places(of failures: [InterfaceFailure]) async -> String {
        var texts: [String] = []
        for failure in failures {
            let name = await interfaces.name(of: failure.interface)
            let families = failure.sortedFamilies.map { $0.name }
            texts.append(families.count == 1 ? "on \(name) over \(families[0])" : "on \(name)")
        }
        return texts.joined(separator: ", ")
    }
}

extension RegistrationStatus {
    /// What keeps it from being found, everywhere or somewhere.
    fileprivate var failures: [InterfaceFailure] {
        switch self {
        case .limited(_, let failures): failures
        case .blocked(_, let failure): [failure]
        default: []
        }
    }
}

extension InterfaceFailure {
    fileprivate var sortedFamilies: [AddressFamily] {
        AddressFamily.allCases.filter { families.contains($0) }
    }
}
