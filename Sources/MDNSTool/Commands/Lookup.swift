import MDNS

/// `mdns lookup`.
enum Lookup {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let text = arguments.positionals[0]
        let options = try NetworkCommand.options(arguments)
        let timeout =
            try NetworkCommand.timeout(arguments, otherwise: .seconds(3)) ?? .seconds(3)
        let count = try NetworkCommand.count(arguments)
        let printer = Printer(isJSON: arguments.has("json"), widths: [24, 15])
        if let address = IPAddress(withoutScope(text)) {
            return try await NetworkCommand.run(options) { node in
                var output = LookupOutput(printer: printer, names: InterfaceNames(node))
                return try await names(of: address, node, timeout, &output)
            }
        }
        let host = try host(text)
        try NetworkCommand.check(host, arguments)
        return try await NetworkCommand.run(options) { node in
            var output = LookupOutput(printer: printer, names: InterfaceNames(node))
            return try await addresses(of: host, node, timeout, count, &output)
        }
    }

    private static func names(
        of address: IPAddress, _ node: MDNSNode, _ timeout: Duration, _ output: inout LookupOutput
    ) async throws -> ExitCode {
        for await event in try await node.watchNames(of: address, within: timeout) {
            guard case .added(let name, let interface) = event else { continue }
            try await output.print(name, HostAddress(address, on: interface))
            return .success
        }
        Printer.printError("nobody has the address \(address)")
        return .nothingFound
    }

    private static func addresses(
        of host: DomainName, _ node: MDNSNode, _ timeout: Duration, _ count: Int,
        _ output: inout LookupOutput
    ) async throws -> ExitCode {
        let addresses = try await node.addresses(of: host, within: timeout)
        for address in addresses.prefix(count) { try await output.print(host, address) }
        if addresses.isEmpty { Printer.printError("no host is called '\(host)'") }
        return addresses.isEmpty ? .nothingFound : .success
    }

    private static func host(_ text: String) throws -> DomainName {
        do throws(NameError) {
            return try HostNaming.lookupName(text)
        } catch {
            throw MDNSError(error)
        }
    }

    private static func withoutScope(_ text: String) -> Substring {
        text.split(separator: "%", maxSplits: 1).first ?? ""
    }
}

/// Prints hosts and addresses.
struct LookupOutput {
    let printer: Printer
    var names: InterfaceNames

    mutating func print(_ host: DomainName, _ address: HostAddress) async throws {
        let interface = await names.name(of: address.interface)
        let text = ServiceFormat.text(address.address, interface: interface)
        if printer.isJSON {
            try printer.object { writer in
                writer.member("host", host.description)
                writer.member("address", text)
                writer.member("interface", interface)
            }
        } else {
            try printer.line([
                Cell(host.description, .strong), Cell(text), Cell(interface, .faint),
            ])
        }
    }
}
