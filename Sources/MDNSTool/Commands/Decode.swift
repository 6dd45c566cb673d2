import LinuxNetworking
import PacketCapture

/// `mdns decode`: shows the multicast DNS packets of a capture, or one message.
enum Decode {
    /// A file is read in pieces of this size, and output is written after each.
    private static let pieceLength = 1 << 18
    /// More than any UDP payload.
    private static let maximumMessageLength = 65_535

    static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
        let isJSON = arguments.has("json")
        do throws(Ending) {
            switch (arguments.positionals.first, arguments.value(of: "message")) {
            case (let path?, nil): return try capture(path, isJSON: isJSON)
            case (nil, let path?): return try message(path, isJSON: isJSON)
            default: break
            }
        } catch {
            switch error {
            case .badInput(let text):
                printError(text)
                return .damagedInput
            case .output(let closed):
                return closed.exitCode
            }
        }
        throw UsageError("give the FILE of a capture, or --message FILE, and not both")
    }

    /// What ends the command early.
    private enum Ending: Error {
        case badInput(String)
        case output(OutputClosed)
    }

    private static func capture(_ path: String, isJSON: Bool) throws(Ending) -> ExitCode {
        let file = try open(path)
        StandardStream.output.widenPipe()
        var decoding = CaptureDecoding(isJSON: isJSON)
        var damage: CaptureError?
        while damage == nil {
            let bytes = try next(file)
            do throws(CaptureError) {
                if bytes.isEmpty {
                    try decoding.finish()
                } else {
                    try decoding.append(bytes)
                }
            } catch {
                damage = error
            }
            try decoding.withOutput { (output) throws(Ending) in try write(output) }
            if bytes.isEmpty { break }
        }
        let statistics = decoding.statistics
        let problems = DecodeNotes.problems(statistics)
        for line in problems { printError("\(name(of: path)): \(line)") }
        if let damage {
            printError("\(name(of: path)): \(damage)")
        } else {
            for line in DecodeNotes.remarks(statistics) { printError("\(name(of: path)): \(line)") }
        }
        return damage == nil && problems.isEmpty ? .success : .damagedInput
    }

    private static func message(_ path: String, isJSON: Bool) throws(Ending) -> ExitCode {
        let file = try open(path)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.readAll(limit: maximumMessageLength)
        } catch {
            throw .badInput(error.description)
        }
        guard !bytes.isEmpty else {
            throw .badInput("\(name(of: path)): the file is empty (at byte 0)")
        }
        let message = ReadMessage(bytes.span)
        if isJSON {
            var json = DecodeJSON()
            json.write(bytes.count, message)
            try write(json.json.bytes.span)
        } else {
            var text = DecodeText()
            text.write(bytes.count, message)
            try write(text.bytes.span)
        }
        guard let damage = message.damage else { return .success }
        throw .badInput("\(name(of: path)): \(damage)")
    }

    private static func open(_ path: String) throws(Ending) -> SystemFile.Reader {
        do throws(SystemError) {
            return path == "-" ? try .standardInput() : try SystemFile.Reader(path)
        } catch {
            throw .badInput(error.description)
        }
    }

    private static func next(_ file: borrowing SystemFile.Reader) throws(Ending) -> [UInt8] {
        do throws(SystemError) {
            return try file.next(upTo: pieceLength)
        } catch {
            throw .badInput(error.description)
        }
    }

    private static func write(_ bytes: Span<UInt8>) throws(Ending) {
        do throws(SystemError) {
            try StandardStream.output.write(bytes)
        } catch {
            throw .output(OutputClosed(cause: error))
        }
    }

    private static func name(of path: String) -> String {
        path == "-" ? "standard input" : path
    }

    private static func printError(_ line: String) {
        // There is nowhere left to say that nobody listens.
        try? StandardStream.error.writeLine("mdns decode: \(SafeText.escaped(line))")
    }
}
