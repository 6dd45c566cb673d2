import MDNS

/// `mdns monitor`.
enum Monitor {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: nil)
        let count = try NetworkCommand.count(arguments)
        let counting = arguments.has("stats")
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [28])
            var names = InterfaceNames(node)
            let packets = try await node.packets()
            if let timeout { packets.end(after: timeout) }
            var seen = 0
            for await packet in packets where packet.direction == .received {
                seen += 1
                if !counting {
                    let interface = await names.name(of: packet.interface)
                    try show(packet, interface, by: printer)
                }
                if seen >= count { break }
            }
            if counting { try show(await node.statistics(), by: printer) }
            return seen == 0 ? .nothingFound : .success
        }
    }

    private static func show(
        _ packet: PacketEvent, _ interface: String, by printer: Printer
    ) throws(OutputClosed) {
        try printer.line([Cell(interface), Cell(MessageSummary.text(of: packet.payload))])
    }

    private static func show(
        _ statistics: NodeStatistics, by printer: Printer
    ) throws(OutputClosed) {
        if printer.isJSON {
            try printer.object { writer in
                for counter in statistics.counters { writer.member(counter.name, counter.count) }
            }
        } else {
            for counter in statistics.counters {
                try printer.line([Cell(counter.name), Cell(String(counter.count), .strong)])
            }
        }
    }
}
