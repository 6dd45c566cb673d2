import MDNS

/// `mdns resolve`.
enum Resolve {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let name = try instanceName(arguments.positionals[0], arguments.positionals[1])
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: .seconds(5))
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [8])
            guard
                let service = try await node.resolve(name, within: timeout ?? .seconds(5))
            else {
                Printer.complain("'\(name)' was not found in time")
                return .nothingFound
            }
            let names = InterfaceNames(node)
            let interface = await names.name(of: service.interface)
            if printer.isJSON {
                try printer.object { writer in
                    writer.member("event", "added")
                    ServiceFormat.write(service.name, interface: interface, to: &writer)
                    ServiceFormat.write(service, interface: interface, to: &writer)
                }
            } else {
                try printer.line(
                    [Cell(interface, .faint), Cell(service.name.instance, .strong)]
                        + ServiceFormat.cells(service, interface: interface))
            }
            return .success
        }
    }

    /// The instance that a person means by a name, taken as it is, and a type.
    static func instanceName(_ name: String, _ type: String) throws -> ServiceInstanceName {
        let browsed = try BrowsedType(type)
        do throws(InstanceNameError) {
            return try ServiceInstanceName(name, type: browsed.type)
        } catch {
            throw MDNSError(error)
        }
    }
}
