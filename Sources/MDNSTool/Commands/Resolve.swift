import MDNS
import NetworkPrimitives

/// `mdns resolve`.
enum Resolve {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let name = try instanceName(arguments.positionals)
        try NetworkCommand.check(name.domainName, arguments)
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: .seconds(5))
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [8])
            let events = try await node.watchService(name, within: timeout ?? .seconds(5))
            var last: Resolution?
            for await resolution in events {
                last = resolution
                if case .resolved = resolution { break }
                // Another link may have it; its owner there answers within this time.
                if case .unavailable = resolution { events.end(after: .milliseconds(200)) }
            }
            guard let last, case .resolved = last else {
                Printer.printError(failure(of: name, last))
                return .nothingFound
            }
            let names = InterfaceNames(node)
            let interface = await names.name(of: last.interface)
            if printer.isJSON {
                try printer.object { writer in
                    writer.member("event", "added")
                    ServiceFormat.write(last.name, interface: interface, to: &writer)
                    ServiceFormat.write(last, interface: interface, to: &writer)
                }
            } else {
                try printer.line(
                    [Cell(interface, .faint), Cell(ServiceFormat.text(last.name), .strong)]
                        + ServiceFormat.cells(last, interface: interface))
            }
            return .success
        }
    }

    /// Why a service can't be reached, with what is known of it.
    static func failure(of name: ServiceInstanceName, _ resolution: Resolution?) -> String {
        guard let resolution, let missing = ServiceFormat.missing(in: resolution) else {
            return "'\(name)' was not found in time"
        }
        switch resolution {
        case .partial(let service):
            guard let location = service.location else {
                return "'\(name)' has attributes, but \(missing)"
            }
            let advice =
                service.missing == .unicastAddresses
                ? ": ask a server for it, or the link with --any-domain" : ""
            return "'\(name)' is on \(location.target):\(location.port), but "
                + missing + advice
        case .unavailable: return "'\(name)' is not offered"
        case .lost, .resolved: return "'\(name)': \(missing)"
        }
    }

    /// The instance that a person means by a name and a type, or by the whole name in the text
    /// form, with or without `local`.
    static func instanceName(_ words: [String]) throws -> ServiceInstanceName {
        if words.count > 1 { return try instanceName(words[0], words[1]) }
        do throws(InstanceNameError) {
            let name = try ServiceInstanceName(parsing: words[0])
            guard name.domain.isRoot else { return name }
            return try ServiceInstanceName(parsing: "\(name.domainName).local")
        } catch {
            throw MDNSError(error)
        }
    }

    /// The instance that a person means by a name, taken as it is or as `hex:` and its bytes,
    /// and a type.
    static func instanceName(_ name: String, _ type: String) throws -> ServiceInstanceName {
        let browsed = try BrowsedType(type)
        if name.hasPrefix("hex:"), let bytes = Hexadecimal.bytes(name.dropFirst(4)) {
            do throws(NameError) {
                return try ServiceInstanceName(label: Label(bytes), type: browsed.type)
            } catch {
                throw MDNSError(error)
            }
        }
        do throws(InstanceNameError) {
            return try ServiceInstanceName(name, type: browsed.type)
        } catch {
            throw MDNSError(error)
        }
    }
}
