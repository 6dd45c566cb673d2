import LinuxNetworking
import LocalNetworkAccess

/// `mdns check-config`: what in an app's or a unit's configuration keeps it from the network.
enum CheckConfig {
    static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
        let words = arguments.positionals
        let entitlements = arguments.value(of: "entitlements")
        let types = words.filter { isType($0) }
        let files = words.filter { !isType($0) }
        let configuration = AppConfiguration(
            types: types, multipeerTypes: arguments.values(of: "multipeer"))
        guard !words.isEmpty || entitlements != nil else {
            throw UsageError("give the FILE or the TYPE to check")
        }
        var report = ConfigurationReport(isJSON: arguments.has("json"))
        do throws(Ending) {
            if files.isEmpty {
                for finding in configuration.typeFindings() { report.add(finding, to: "types") }
            }
            for path in files {
                let file = try read(path)
                for finding in try findings(file, configuration) {
                    report.add(finding, to: file.name)
                }
            }
            if let entitlements {
                let file = try read(entitlements)
                for finding in configuration.findings(inEntitlements: file.bytes) {
                    report.add(finding, to: file.name)
                }
            }
        } catch {
            Printer.printError(error.text)
            return .network
        }
        do throws(SystemError) {
            try StandardStream.output.write(report.bytes.span)
        } catch {
            return OutputClosed(cause: error).exitCode
        }
        return report.isFaulty ? .nothingFound : .success
    }

    /// `_http._tcp`, or what was meant to be one: no path is written so.
    static func isType(_ word: String) -> Bool {
        guard !word.contains("/"), word != "-" else { return false }
        return word.hasPrefix("_")
            || word.lowercased().split(separator: ".").contains { $0 == "_tcp" || $0 == "_udp" }
    }

    private struct File {
        var name: String
        var bytes: [UInt8]
    }

    /// A file can't be read, or is none of the kinds.
    private struct Ending: Error {
        var text: String
    }

    /// A file of more than the limit is read only that far: the reader then says so.
    private static func read(_ path: String) throws(Ending) -> File {
        let limit = AppConfiguration.maximumBytes + 1
        do throws(SystemError) {
            let reader = path == "-" ? try .standardInput() : try SystemFile.Reader(path)
            var bytes: [UInt8] = []
            while bytes.count < limit {
                let piece = try reader.next(upTo: min(limit - bytes.count, 1 << 18))
                if piece.isEmpty { break }
                bytes += piece
            }
            return File(name: path == "-" ? "standard input" : path, bytes: bytes)
        } catch {
            throw Ending(text: error.description)
        }
    }

    private static func findings(
        _ file: File, _ configuration: AppConfiguration
    ) throws(Ending) -> [ConfigurationFinding] {
        let findings: [ConfigurationFinding]
        switch ConfigurationKind(of: file.bytes, name: file.name) {
        case .propertyList: findings = configuration.findings(inPropertyList: file.bytes)
        case .unit: findings = UnitConfiguration().findings(in: file.bytes)
        case nil:
            throw Ending(
                text: "\(file.name): this is neither a property list nor a unit of systemd "
                    + "(.plist, .service, .socket)")
        }
        return findings.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
    }
}

/// Findings as lines, or as an object a line.
struct ConfigurationReport {
    /// What is to be written.
    private(set) var bytes: [UInt8] = []
    /// Whether there is more than hints.
    private(set) var isFaulty = false
    private let isJSON: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    mutating func add(_ finding: ConfigurationFinding, to file: String) {
        if finding.severity != .hint { isFaulty = true }
        if isJSON {
            var json = JSONWriter()
            write(finding, of: file, to: &json)
            bytes += json.bytes
        } else {
            let place = finding.position.map { "\(file):\($0)" } ?? file
            bytes += SafeText.escaped("\(place): \(finding)").utf8
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    private func write(
        _ finding: ConfigurationFinding, of file: String, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("file", file)
        if let position = finding.position {
            json.member("line", position.line)
            json.member("column", position.column)
        }
        json.member("code", finding.code)
        json.member("severity", finding.severity.rawValue)
        json.member("what", finding.what)
        json.member("fix", finding.fix)
        json.endObject()
        json.endLine()
    }
}

extension CommandSpecification {
    static let checkConfig = CommandSpecification(
        name: "check-config", arguments: "FILE|TYPE...", argumentCount: 0...64,
        summary: "Check what keeps a program from the local network without a word.",
        details: """
            FILE is an app's Info.plist in XML or a .service or .socket unit of systemd; - is the
            standard input. TYPE is a type that the app uses, which the Info.plist must list;
            without a FILE the types alone are checked.

            A line is FILE:LINE:COLUMN: CODE: what is wrong (fix: what to do). With --json it is an
            object: file, line, column, code, severity (error, warning, hint), what, fix.

            Exit code 0: nothing found, or only hints; 1: findings; 3: a file can't be read, or is
            of another kind.
            """,
        options: [
            OptionSpecification(
                name: "entitlements", value: "FILE",
                help: "The app's entitlements: it sends multicast itself, and must be allowed to."),
            OptionSpecification(
                name: "multipeer", value: "NAME", isRepeatable: true,
                help: "A service type of MultipeerConnectivity, bare; it needs _tcp and _udp."),
            OptionSpecification(name: "json", help: "An object a finding and a line."),
        ],
        examples: [
            ("mdns check-config Info.plist _http._tcp", "Checks an app that browses web servers."),
            ("mdns check-config my.service", "Checks the sandbox of a service."),
        ])
}
