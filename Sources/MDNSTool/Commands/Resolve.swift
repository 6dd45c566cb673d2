import MDNS

/// `mdns resolve`.
enum Resolve {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let name = try instanceName(arguments.positionals)
        try NetworkCommand.check(name.domainName, arguments)
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: .seconds(5))
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [8])
            guard
                let service = try await node.resolve(name, within: timeout ?? .seconds(5))
            else {
                let unicast = try await unicastTarget(of: name, node)
                Printer.printError(
                    unicast.map {
                        "'\(name)' is on '\($0)', which belongs to unicast DNS: ask a server for "
                            + "it, or the link with --any-domain"
                    } ?? "'\(name)' was not found in time")
                return .nothingFound
            }
            var names = InterfaceNames(node)
            let interface = await names.name(of: service.interface)
            if printer.isJSON {
                try printer.object { writer in
                    writer.member("event", "added")
                    ServiceFormat.write(service.name, interface: interface, to: &writer)
                    ServiceFormat.write(service, interface: interface, to: &writer)
                }
            } else {
                try printer.line(
                    [Cell(interface, .faint), Cell(ServiceFormat.text(service.name), .strong)]
                        + ServiceFormat.cells(service, interface: interface))
            }
            return .success
        }
    }

    /// The host of an instance, if that belongs to unicast DNS and was not looked up therefore.
    /// What the resolution left in the cache answers at once.
    private static func unicastTarget(
        of name: ServiceInstanceName, _ node: MDNSNode
    ) async throws -> DomainName? {
        guard await !node.isClosed, !node.options.multicastsAnyName else { return nil }
        let events = try await node.query(
            name.domainName, type: .srv, within: .milliseconds(100))
        for await event in events {
            guard case .added(let record, _) = event, case .srv(let location) = record.data,
                !location.target.isRoot, !location.target.isLinkLocal
            else { continue }
            return location.target
        }
        return nil
    }

    /// The instance that a person means by a name, taken as it is, and a type; or by the whole
    /// name in the text form, with or without `local`.
    static func instanceName(_ words: [String]) throws -> ServiceInstanceName {
        let type = words.count > 1 ? try BrowsedType(words[1]).type : nil
        do throws(InstanceNameError) {
            if let type { return try ServiceInstanceName(words[0], type: type) }
            let name = try ServiceInstanceName(parsing: words[0])
            guard name.domain.isRoot else { return name }
            return try ServiceInstanceName(parsing: "\(name.domainName).local")
        } catch {
            throw MDNSError(error)
        }
    }
}
