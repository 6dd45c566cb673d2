import LinuxNetworking
import ProcessSupport
import TestSupport

/// A program that runs while a test reads its lines.
///
/// Waiting for a line ends at the program's limit of time at the latest: it is killed then.
final class LiveProgram {
    let process: ChildProcess
    private let name: String
    private var output: ChildLines.Iterator
    private var errors: ChildLines.Iterator
    private var seen: [String] = []

    init(_ process: ChildProcess, called name: String) {
        self.process = process
        self.name = name
        output = process.outputLines.makeAsyncIterator()
        errors = process.errorLines.makeAsyncIterator()
    }

    /// The next line of the output that is as wanted.
    func line(_ isWanted: (String) -> Bool) async throws -> String {
        while let line = await output.next() {
            if isWanted(line) { return line }
            seen.append(line)
        }
        throw Lab.Failure.line(await report("the line that was waited for"))
    }

    /// The next line of the standard error that is as wanted.
    func errorLine(_ isWanted: (String) -> Bool) async throws -> String {
        while let line = await errors.next() {
            if isWanted(line) { return line }
            seen.append(line)
        }
        throw Lab.Failure.line(await report("the line of errors that was waited for"))
    }

    /// The next line that is an object as wanted.
    func object(_ isWanted: (JSONValue) -> Bool) async throws -> JSONValue {
        while let line = await output.next() {
            if let object = JSONValue(line.utf8), isWanted(object) { return object }
            seen.append(line)
        }
        throw Lab.Failure.line(await report("the object that was waited for"))
    }

    /// Sends SIGTERM and waits for the end.
    @discardableResult
    func terminate() async -> ExitStatus {
        await process.terminate()
        return await process.waitForExit()
    }

    /// Sends SIGINT and waits for the end.
    func interrupt() async -> ExitStatus {
        await process.interrupt()
        return await process.waitForExit()
    }

    private func report(_ what: String) async -> String {
        let status = await process.waitForExit()
        var text = "\(name) (\(status)) never wrote \(what)"
        if await process.exceededLimit { text += " in the time it had" }
        while let line = await errors.next() { seen.append(line) }
        return ([text] + seen).joined(separator: "\n  ")
    }
}
