import MDNS

/// `mdns browse`.
enum Browse {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let browsed = try BrowsedType(arguments.positionals[0])
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: nil)
        let count = try NetworkCommand.count(arguments)
        let resolving = arguments.has("resolve")
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [1, 8, 24, 14])
            var output = BrowseOutput(printer: printer, names: InterfaceNames(node))
            let events = try await node.browse(
                browsed.type, subtype: browsed.subtype, resolving: resolving, within: timeout)
            var gate = ResolutionGate()
            var printed = 0
            var found = false
            for await event in events {
                guard let event = resolving ? gate.filter(event) : event else { continue }
                try await output.print(event, resolving: resolving)
                if case .added = event { found = true }
                printed += 1
                if printed >= count { break }
            }
            return found ? .success : .nothingFound
        }
    }
}

/// Holds back `added` until there is an answer about the service, or none in time, so that one
/// line has all of it.
struct ResolutionGate {
    private var shown: Set<ServiceInstance> = []

    /// The event to print in place of `event`; `nil` for none.
    mutating func filter(_ event: BrowseEvent) -> BrowseEvent? {
        guard let instance = event.instance else { return event }
        let key = ServiceInstance(instance.name, on: instance.interface)
        switch event {
        case .added, .changed:
            guard instance.resolution != nil else { return nil }
            return shown.insert(key).inserted ? .added(instance) : .changed(instance)
        case .removed:
            return shown.remove(key) == nil ? nil : event
        case .incomplete:
            return event
        }
    }
}

/// Prints events of a browse.
struct BrowseOutput {
    let printer: Printer
    var names: InterfaceNames

    mutating func print(_ event: BrowseEvent, resolving: Bool) async throws {
        guard let instance = event.instance else {
            if case .incomplete(let index) = event {
                let interface = await names.name(of: index)
                Printer.printError(
                    "more services on \(interface) than can be kept; not all are shown")
            }
            return
        }
        let interface = await names.name(of: instance.interface)
        let (word, sign) = Self.words(for: event)
        if printer.isJSON {
            try printer.object { writer in
                writer.member("event", word)
                ServiceFormat.write(instance.name, interface: interface, to: &writer)
                guard resolving else { return }
                ServiceFormat.write(instance.resolution, interface: interface, to: &writer)
            }
        } else {
            var cells = [
                sign, Cell(interface, .faint),
                Cell(ServiceFormat.text(instance.name), .strong),
                Cell(instance.name.type.description),
            ]
            if let resolution = instance.resolution, resolving {
                cells += ServiceFormat.cells(resolution, interface: interface)
            } else {
                cells.append(Cell(instance.name.domain.description))
            }
            try printer.line(cells)
        }
    }

    private static func words(for event: BrowseEvent) -> (word: String, sign: Cell) {
        switch event {
        case .added: ("added", Cell("+", .good))
        case .changed: ("changed", Cell("~", .warning))
        case .removed: ("removed", Cell("-", .bad))
        case .incomplete: ("incomplete", Cell("!", .warning))
        }
    }
}
