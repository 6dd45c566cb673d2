import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

/// Pretend hosts on one link (`Tests/Lab/lab`), there for the time of one test.
struct Lab {
    /// What a test that uses the lab can be told.
    enum Failure: Error, CustomStringConvertible {
        case unusable(String)
        case command(String)
        case line(String)

        var description: String {
            switch self {
            case .unusable(let reason): "the lab can't be used here: \(reason)"
            case .command(let text), .line(let text): text
            }
        }
    }

    private static let script = "\(ProjectFiles.root)/Tests/Lab/lab"
    /// The labs of this run have names of their own, which no other run's meet.
    private static let run = String(String(UInt32.random(in: 0 ... .max), radix: 36).prefix(6))
    private static let places = LabPlaces()

    /// Which of the labs that are up at the same time.
    private let place: Int

    private var name: String { "t\(Self.run)\(place)" }
    /// Where the lab keeps its files; gone with it.
    var folder: String { "/tmp/mdns-\(name)" }
    private var environment: [String: String?] {
        ["LAB_NAME": name, "LAB_QUIET": "1", "LAB_DIR": folder]
    }

    /// Sets up `count` fresh hosts, runs the test, and takes everything down again.
    static func with(_ count: Int, _ test: (Lab) async throws -> Void) async throws {
        if let missing = LabAvailability.missing { throw Failure.unusable(missing) }
        let lab = Lab(place: await places.take())
        do {
            try await lab.run(count, test)
        } catch {
            await places.give(back: lab.place)
            throw error
        }
        await places.give(back: lab.place)
    }

    private func run(_ count: Int, _ test: (Lab) async throws -> Void) async throws {
        try await command(["up", "\(count)"])
        do {
            try await test(self)
        } catch {
            try await takeDown()
            throw error
        }
        try await takeDown()
    }

    private func takeDown() async throws {
        try await command(["down"])
        _ = try await ChildProcess.run(ChildCommand("rm", ["-r", folder], limit: .seconds(10)))
    }

    /// Runs `lab WORDS…` to its end, which must be a good one.
    private func command(_ words: [String]) async throws {
        let outcome = try await ChildProcess.run(
            ChildCommand(Self.script, words, environment: environment, limit: .seconds(30)))
        guard outcome.status.isSuccess else {
            let said = outcome.text + outcome.errorText
            throw Failure.command("lab \(words.joined(separator: " ")): \(outcome.status)\n\(said)")
        }
    }

    // MARK: Hosts

    /// The IPv4 address of a host.
    func address(_ host: Int, _ family: Family = .ipv4) -> String {
        family == .ipv4 ? "10.77.0.\(host)" : "fe80::ff:fe4d:\(host)"
    }

    /// What starts a program in a host.
    private func inside(_ host: Int, _ words: [String], _ limit: Duration) -> ChildCommand {
        ChildCommand(
            Self.script, ["run", "\(host)"] + words, environment: environment, limit: limit)
    }

    /// Runs a program in a host to its end.
    @discardableResult
    func run(
        _ host: Int, _ words: String..., limit: Duration = .seconds(30)
    ) async throws -> ChildProcess.Outcome {
        try await run(host, words, limit: limit)
    }

    @discardableResult
    func run(
        _ host: Int, _ words: [String], limit: Duration = .seconds(30)
    ) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(inside(host, words, limit))
    }

    /// Runs `mdns` in a host to its end.
    func mdns(
        _ host: Int, _ words: String..., limit: Duration = .seconds(30)
    ) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(inside(host, [LabAvailability.mdns] + words, limit))
    }

    func mdns(_ host: Int, _ words: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(inside(host, [LabAvailability.mdns] + words, .seconds(30)))
    }

    /// Starts a program in a host; it is killed at the limit, at the latest when the test ends.
    func start(
        _ host: Int, _ words: [String], limit: Duration = .seconds(30)
    ) async throws -> LiveProgram {
        LiveProgram(
            try await ChildProcess.start(inside(host, words, limit)),
            called: words.joined(separator: " "))
    }

    /// Starts `mdns` in a host.
    func startMDNS(_ host: Int, _ words: String...) async throws -> LiveProgram {
        try await start(host, [LabAvailability.mdns] + words)
    }

    /// Publishes with `mdns publish` and waits until the name is established.
    func publish(_ host: Int, _ words: String...) async throws -> LiveProgram {
        let program = try await start(host, [LabAvailability.mdns, "publish", "--json"] + words)
        _ = try await program.object { $0["event"]?.text == "established" }
        return program
    }

    // MARK: Peers

    /// Starts avahi-daemon with settings of its [server] section.
    func avahi(_ host: Int, _ settings: String...) async throws {
        try await command(["avahi", "\(host)"] + settings)
    }

    /// Starts avahi-daemon for one family only.
    func avahi(_ host: Int, only family: Family) async throws {
        try await avahi(host, family == .ipv4 ? "use-ipv6=no" : "use-ipv4=no")
    }

    /// Kills what `lab` itself started, `avahi` say; there is no goodbye.
    func crash(_ host: Int, _ job: String) async throws {
        try await command(["crash", "\(host)", job])
    }

    /// Pulls a host's cable out, or plugs it in.
    func setCable(_ host: Int, isIn: Bool) async throws {
        try await command(["link", "\(host)", isIn ? "up" : "down"])
    }

    /// Joins two hosts by a second cable: `lan1` in both.
    func wire(_ one: Int, _ other: Int) async throws {
        try await command(["wire", "\(one)", "\(other)"])
    }

    /// Publishes with avahi-publish and waits until the name is established.
    func avahiPublish(_ host: Int, _ words: String...) async throws -> LiveProgram {
        let program = try await start(host, ["stdbuf", "-oL", "-eL", "avahi-publish"] + words)
        _ = try await program.errorLine { $0.hasPrefix("Established under name") }
        return program
    }

    /// Publishes with python-zeroconf and waits until it is registered.
    func zeroconfPublish(_ host: Int, _ words: String...) async throws -> LiveProgram {
        let program = try await start(host, python("zc_publish.py") + words)
        _ = try await program.line { $0.hasPrefix("registered") }
        return program
    }

    /// Browses with python-zeroconf, an object for each event.
    func zeroconfBrowse(_ host: Int, _ words: String...) async throws -> LiveProgram {
        let program = try await start(host, python("zc_browse.py") + words + ["--json"])
        _ = try await program.line { $0 == "browsing" }
        return program
    }

    /// Sends one query by hand and prints what comes back.
    func ask(_ host: Int, _ words: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(inside(host, python("ask.py") + words, .seconds(30)))
    }

    /// Shows what a host sends and receives, a line a packet.
    func tcpdump(_ host: Int) async throws -> LiveProgram {
        let program = try await start(
            host,
            ["tcpdump", "-n", "-l", "-s", "0", "--immediate-mode", "-i", "lan0", "udp port 5353"])
        _ = try await program.errorLine { $0.contains("listening on") }
        return program
    }

    private func python(_ program: String) -> [String] {
        ["python3", "-u", "\(ProjectFiles.root)/Tests/Lab/\(program)"]
    }
}

/// A few labs at the same time: most of a test's time is waiting, on a machine of two cores, too.
private actor LabPlaces {
    private var free = Array(0..<6)
    private var waiting: [CheckedContinuation<Int, Never>] = []

    func take() async -> Int {
        if let place = free.popLast() { return place }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func give(back place: Int) {
        guard !waiting.isEmpty else {
            free.append(place)
            return
        }
        waiting.removeFirst().resume(returning: place)
    }
}

/// Over what the hosts speak.
enum Family: String, CaseIterable, CustomTestStringConvertible {
    case ipv4, ipv6

    var option: String { "--\(rawValue)" }
    /// As avahi-browse writes it.
    var name: String { self == .ipv4 ? "IPv4" : "IPv6" }
    var testDescription: String { name }
}
