import LinuxNetworking
import MDNS
import PacketCapture

/// `mdns monitor`.
enum Monitor {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        let options = try NetworkCommand.options(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: nil)
        let count = try NetworkCommand.count(arguments)
        let counting = arguments.has("stats")
        return try await NetworkCommand.run(options) { node in
            let printer = Printer(isJSON: arguments.has("json"), widths: [30, 6])
            var output = MonitorOutput(printer: printer, names: InterfaceNames(node))
            let packets = try await node.watchPackets()
            if let timeout { packets.end(after: timeout) }
            var seen = 0
            for await packet in packets where packet.direction == .received {
                seen += 1
                if packet.missedBefore > 0 {
                    Printer.printError(
                        "\(packet.missedBefore) packets are missing here: the output is read too "
                            + "slowly, or the link is flooded")
                }
                if !counting { try await output.show(packet, number: seen) }
                if seen >= count { break }
            }
            if counting { try output.show(await node.statistics()) }
            return seen == 0 ? .nothingFound : .success
        }
    }
}

/// Prints packets as `mdns decode` does, and counters.
private struct MonitorOutput {
    let printer: Printer
    var names: InterfaceNames
    private var text = DecodeText()
    private var json = DecodeJSON()

    init(printer: Printer, names: InterfaceNames) {
        self.printer = printer
        self.names = names
    }

    mutating func show(_ packet: PacketEvent, number: Int) async throws {
        let interface = await names.name(of: packet.interface)
        let datagram = CapturedDatagram(
            number: number, time: Self.timeOfDay(packet.time), source: packet.source,
            destination: packet.destination, payload: packet.payload)
        let message = ReadMessage(packet.payload.span)
        if printer.isJSON {
            json.write(datagram, message, interface: interface)
            try printer.bytes(json.json.bytes)
            json.json.bytes.removeAll(keepingCapacity: true)
        } else {
            text.write(datagram, message, interface: interface)
            try printer.bytes(text.bytes)
            text.bytes.removeAll(keepingCapacity: true)
        }
    }

    func show(_ statistics: NodeStatistics) throws(OutputClosed) {
        if printer.isJSON {
            try printer.object { writer in
                for counter in NodeStatistics.Counter.allCases {
                    writer.member(counter.rawValue, statistics[counter])
                }
            }
        } else {
            for counter in NodeStatistics.Counter.allCases {
                try printer.line([
                    Cell(counter.rawValue), Cell(String(statistics[counter]), .strong),
                    Cell(counter.meaning, .faint),
                ])
            }
        }
    }

    /// Packets are timed by the clock that counts from boot; people want the time of day.
    private static func timeOfDay(_ time: Instant) -> CaptureTime {
        let ago = time.duration(to: SystemClock.now).wholeNanoseconds
        let since1970 = SystemClock.nanosecondsSince1970 - ago
        let (seconds, rest) = since1970.quotientAndRemainder(dividingBy: 1_000_000_000)
        return CaptureTime(seconds: seconds, nanoseconds: UInt32(clamping: rest))
    }
}
