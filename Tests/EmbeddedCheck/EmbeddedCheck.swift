import FuzzChecks
import NetworkSimulation

/// What must come out alike on every processor, as a text: the decoder beside an independent
/// dissector, inputs that once broke something, and whole networks in virtual time. It is built
/// for x86-64 as all tests are, and for wasm32, where `Int` has 32 bits, as Embedded Swift;
/// `.ci/wasm` compares the two texts.
struct EmbeddedCheck {
    private let files: InputFiles
    private let write: (String) -> Void
    private var faultCount = 0

    /// Checks all files and writes the report; whether nothing was wrong.
    static func run(_ input: [UInt8], write: @escaping (String) -> Void) -> Bool {
        guard let files = InputFiles(input) else {
            write("FAULT: the input is not a sequence of files\n")
            return false
        }
        var check = EmbeddedCheck(files: files, write: write)
        check.decode()
        check.decodeMalformed()
        check.replayCorpus()
        check.simulate()
        check.line("\(check.faultCount) faults")
        return check.faultCount == 0
    }

    private init(files: InputFiles, write: @escaping (String) -> Void) {
        self.files = files
        self.write = write
    }

    private func line(_ text: String) { write(text + "\n") }

    private mutating func report(_ subject: String, _ result: String, faults: [String]) {
        line("\(subject): \(result)")
        for fault in faults.prefix(10) { line("FAULT: \(fault)") }
        faultCount += faults.count
    }

    /// A check that finds nothing to check has failed.
    private mutating func require(_ paths: [String], _ what: String) -> [String] {
        if paths.isEmpty { report(what, "no files", faults: ["\(what) is empty"]) }
        return paths
    }

    // MARK: The decoder

    private mutating func decode() {
        for path in require(files.paths(in: "Fixtures/Captures/lab/"), "Fixtures/Captures") {
            let name = path.dropFirst("Fixtures/Captures/lab/".utf8.count)
            decode(path, truth: "Fixtures/Captures/expected/\(name).jsonl", escaped: true)
        }
        // What is not a part of the project is not everywhere.
        for path in files.paths(in: "captures/public/") {
            guard let stem = path.stem(of: ".pcap") ?? path.stem(of: ".pcapng") else { continue }
            decode(path, truth: "\(stem).jsonl", escaped: false)
        }
        if let truth = files.file("captures/public/wellformed.jsonl") {
            var comparison = DissectedText(truth, namesAreEscaped: false)
            while let path = comparison.nextFile {
                guard let bytes = files.file("captures/public/\(path)") else {
                    comparison.faults.append("\(path) is missing")
                    break
                }
                comparison.compare(message: bytes, path)
            }
            report("wellformed", comparison.summary, faults: comparison.finish())
        }
    }

    private mutating func decode(_ path: String, truth: String, escaped: Bool) {
        guard let capture = files.file(path), let truth = files.file(truth) else {
            return report(path, "not read", faults: ["\(truth) is missing"])
        }
        var comparison = DissectedText(truth, namesAreEscaped: escaped)
        comparison.compare(capture: capture)
        report(path, comparison.summary, faults: comparison.finish())
    }

    private mutating func decodeMalformed() {
        let folder = "captures/public/malformed/"
        guard !files.paths(in: folder).isEmpty else { return }
        for message in MalformedMessage.all {
            guard let bytes = files.file("\(folder)\(message.file).bin") else {
                report(message.file, "not read", faults: ["\(message.file) is missing"])
                continue
            }
            let text = DissectedText.text(of: bytes)
            report(message.file, text, faults: message.faults(in: bytes))
        }
    }

    // MARK: What once broke something

    private mutating func replayCorpus() {
        replay("message", checkMessage)
        replay("name", checkName)
        replay("pcap", checkCapture)
        replay("pcapng", checkCapture)
        replay("engine", checkEngine)
    }

    private mutating func replay(_ target: String, _ check: ([UInt8]) -> String?) {
        let folder = "Fixtures/Corpus/\(target)/"
        let paths = require(files.paths(in: folder), folder)
        var faults: [String] = []
        for path in paths {
            guard let fault = check(files.file(path) ?? []) else { continue }
            faults.append("\(path): \(fault)")
        }
        report(folder, "\(paths.count) inputs", faults: faults)
    }

    // MARK: Networks

    private mutating func simulate() {
        var situations = Situations()
        for (name, verdict) in ScenarioRuns.all() {
            situations.add(verdict.network.invariants.situations)
            report(
                name, verdict.summary,
                faults: verdict.isClean ? [] : ["the run broke a rule"])
        }
        line("what occurred: \(situations.summary)")
    }
}

extension String {
    /// What stands before an ending; `nil` if it ends otherwise.
    fileprivate func stem(of ending: String) -> String? {
        hasSuffix(ending) ? String(dropLast(ending.utf8.count)) : nil
    }
}
