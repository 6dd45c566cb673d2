import Testing

@testable import MDNSTool

@Suite("The command line")
struct CommandLineParserTests {
    private let command = CommandSpecification(
        name: "seek", arguments: "TYPE [NAME]", argumentCount: 1...2, summary: "Seek.",
        options: [
            OptionSpecification(
                name: "interface", letter: "i", value: "NAME", isRepeatable: true, help: "Where."),
            OptionSpecification(name: "timeout", letter: "t", value: "TIME", help: "How long."),
            OptionSpecification(name: "ipv4", letter: "4", help: "IPv4 only."),
            OptionSpecification(name: "ipv6", letter: "6", help: "IPv6 only."),
        ],
        examples: [("mdns seek _http._tcp", "Seeks web pages.")])

    private func parse(_ words: String...) throws -> ParsedArguments {
        try CommandLineParser.parse(words, for: command)
    }

    @Test("Options in every spelling, mixed with arguments")
    func spellings() throws {
        let parsed = try parse("-ilo", "_http._tcp", "--interface=eth*", "-i", "wlan0", "-46", "x")
        #expect(parsed.positionals == ["_http._tcp", "x"])
        #expect(parsed.values(of: "interface") == ["lo", "eth*", "wlan0"])
        #expect(parsed.has("ipv4") && parsed.has("ipv6") && !parsed.has("timeout"))
        #expect(try parse("-4t5", "a").value(of: "timeout") == "5")
        #expect(try parse("--timeout=", "a").value(of: "timeout") == "")
    }

    @Test("Behind -- nothing is an option; a lone dash is an argument")
    func dashes() throws {
        #expect(try parse("--", "-4", "--ipv6").positionals == ["-4", "--ipv6"])
        #expect(try parse("-").positionals == ["-"])
    }

    @Test(
        "What can't be carried out says what is wrong",
        arguments: [
            (["--colour", "a"], "there is no option --colour"),
            (["-x", "a"], "there is no option -x; a word that begins with a dash goes behind --"),
            (["a", "--timeout"], "--timeout needs a value: --timeout TIME"),
            (["--ipv4=yes", "a"], "--ipv4 takes no value"),
            (["-t1", "-t2", "a"], "--timeout can be given only once"),
            ([], "too few arguments; usage: mdns seek TYPE [NAME]"),
            (["a", "b", "c"], "'c' is one argument too many; usage: mdns seek TYPE [NAME]"),
        ])
    func refusals(words: [String], message: String) {
        #expect(throws: UsageError(message)) {
            try CommandLineParser.parse(words, for: command)
        }
    }

    @Test("Help needs no arguments and shows every option and example")
    func help() throws {
        #expect(try parse("--help").has("help"))
        #expect(try parse("-h").has("help"))
        for part in ["Usage: mdns seek TYPE [NAME] [OPTIONS]", "-i, --interface NAME", "--help"] {
            #expect(command.help.contains(part))
        }
        #expect(command.help.contains("mdns seek _http._tcp\n      Seeks web pages."))
    }

    @Test(
        "Times",
        arguments: [
            ("5", 5000), ("2.5", 2500), ("0", 0), ("300ms", 300), ("2m", 120_000), ("1s", 1000),
            ("0.001", 1), ("1.0009", 1000),
        ])
    func times(text: String, milliseconds: Int) throws {
        #expect(
            try ArgumentValues.duration(text, option: "timeout") == .milliseconds(milliseconds))
    }

    @Test("No times", arguments: ["", "-1", "5h", "1.2.3", ".5", "1.", "ms", "9999999999", "1e3"])
    func noTimes(text: String) {
        #expect(throws: UsageError.self) {
            try ArgumentValues.duration(text, option: "timeout")
        }
    }

    @Test("Ports and counts")
    func numbers() throws {
        #expect(try ArgumentValues.port("65535") == 65_535)
        #expect(try ArgumentValues.port("0") == 0)
        #expect(try ArgumentValues.count("3", option: "count") == 3)
        #expect(try ArgumentValues.limit("0", option: "seeds") == 0)
        for text in ["65536", "-1", "http", ""] {
            #expect(throws: UsageError.self) { try ArgumentValues.port(text) }
        }
        #expect(throws: UsageError.self) { try ArgumentValues.count("0", option: "count") }
        #expect(throws: UsageError.self) { try ArgumentValues.limit("-1", option: "n") }
    }
}
