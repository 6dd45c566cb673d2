import MDNS

/// `mdns types`.
enum Types {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: .seconds(3))
        let count = try NetworkCommand.count(arguments)
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [24])
            let names = InterfaceNames(node)
            var seen: Set<ServiceType> = []
            for await event in try await node.browseTypes(within: timeout) {
                // A type on several interfaces is reported once, on the first.
                guard case .added(let type, let index) = event, seen.insert(type).inserted else {
                    continue
                }
                let interface = await names.name(of: index)
                if printer.isJSON {
                    try printer.object { writer in
                        writer.member("type", type.description)
                        writer.member("domain", "local")
                        writer.member("interface", interface)
                    }
                } else {
                    try printer.line([Cell(type.description, .strong), Cell(interface, .faint)])
                }
                if seen.count >= count { break }
            }
            return seen.isEmpty ? .nothingFound : .success
        }
    }
}
