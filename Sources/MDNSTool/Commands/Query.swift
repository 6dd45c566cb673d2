import MDNS

/// `mdns query`.
enum Query {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let name = try domainName(arguments.positionals[0])
        guard let type = RecordType(arguments.positionals[1]) else {
            throw UsageError("'\(arguments.positionals[1])' is not a record type")
        }
        try NetworkCommand.check(name, arguments)
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: .seconds(3))
        let count = try NetworkCommand.count(arguments)
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [1, 8, 32, 5, 2, 4])
            let names = InterfaceNames(node)
            var printed = 0
            for await event in try await node.watchRecords(of: name, type: type, within: timeout) {
                switch event {
                case .added(let record, let index):
                    try print(record, true, await names.name(of: index), by: printer)
                case .removed(let record, let index):
                    try print(record, false, await names.name(of: index), by: printer)
                case .absent(let type, let index):
                    let interface = await names.name(of: index)
                    Printer.printError(
                        "'\(name)' has no \(type) record, says its owner on \(interface)")
                    continue
                case .incomplete(let index):
                    let interface = await names.name(of: index)
                    Printer.printError(
                        "more records on \(interface) than can be kept; not all are shown")
                    continue
                }
                printed += 1
                if printed >= count { break }
            }
            return printed == 0 ? .nothingFound : .success
        }
    }

    private static func domainName(_ text: String) throws -> DomainName {
        do throws(NameError) {
            return try DomainName(text)
        } catch {
            throw MDNSError(error)
        }
    }

    private static func print(
        _ record: ResourceRecord, _ isAdded: Bool, _ interface: String, by printer: Printer
    ) throws(OutputClosed) {
        if printer.isJSON {
            try printer.object { writer in
                writer.member("event", isAdded ? "added" : "removed")
                writer.member("name", record.name.description)
                writer.member("type", record.type.description)
                writer.member("class", record.recordClass.description)
                writer.member("ttl", record.timeToLive.rawValue)
                writer.member("rdata", record.data.description)
                writer.member("interface", interface)
            }
        } else {
            try printer.line([
                isAdded ? Cell("+", .good) : Cell("-", .bad), Cell(interface, .faint),
                Cell(record.name.description, .strong), Cell(record.timeToLive.description),
                Cell(record.recordClass.description), Cell(record.type.description),
                Cell(record.data.description),
            ])
        }
    }
}
