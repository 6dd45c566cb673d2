import LinuxNetworking

/// The output takes no more. If only nobody reads it any more, the program ends without a word.
struct OutputClosed: Error {
    let cause: SystemError

    /// Ends the command: a full disk has cost something, a reader that has enough has not.
    var exitCode: ExitCode {
        guard cause.code != .brokenPipe else { return .success }
        Printer.printError("the output is not complete: \(cause)")
        return .network
    }
}

/// Writes lines to the standard output, each at once.
///
/// For one task only.
final class Printer {
    /// Whether objects for programs are wanted.
    let isJSON: Bool
    private var columns: Columns
    private var writer = JSONWriter()

    /// - Parameters:
    ///   - isJSON: whether objects for programs are wanted.
    ///   - widths: the least widths of the columns.
    init(isJSON: Bool, widths: [Int] = []) {
        self.isJSON = isJSON
        let isTerminal = StandardStream.output.isTerminal
        // https://no-color.org: set and not empty, whatever its value.
        let refusesColour = ProcessEnvironment["NO_COLOR"].map { !$0.isEmpty } ?? false
        columns = Columns(
            minimumWidths: widths, isAligned: isTerminal,
            isColoured: isTerminal && !refusesColour && ProcessEnvironment["TERM"] != "dumb")
    }

    /// A line of cells.
    func line(_ cells: [Cell]) throws(OutputClosed) {
        try write(Array((columns.line(cells) + "\n").utf8))
    }

    /// Bytes that are known to be safe, as they are.
    func bytes(_ bytes: [UInt8]) throws(OutputClosed) {
        try write(bytes)
    }

    /// An object on a line of its own.
    func object(_ members: (inout JSONWriter) -> Void) throws(OutputClosed) {
        writer.beginObject()
        members(&writer)
        writer.endObject()
        writer.endLine()
        defer { writer.bytes.removeAll(keepingCapacity: true) }
        try write(writer.bytes)
    }

    private func write(_ bytes: [UInt8]) throws(OutputClosed) {
        do throws(SystemError) {
            try StandardStream.output.write(bytes.span)
        } catch {
            throw OutputClosed(cause: error)
        }
    }

    /// A line for the person at the terminal, beside the output.
    static func printError(_ message: String) {
        let bytes = Array("mdns: \(SafeText.escaped(message))\n".utf8)
        try? StandardStream.error.write(bytes.span)
    }
}
