import LinuxEventLoop
import LinuxNetworking
import MDNS

/// A command and what carries it out.
struct Command: Sendable {
    var specification: CommandSpecification
    var run: @Sendable (ParsedArguments) async throws -> ExitCode

    init(
        _ specification: CommandSpecification,
        _ run: @escaping @Sendable (ParsedArguments) async throws -> ExitCode
    ) {
        self.specification = specification
        self.run = run
    }
}

/// The program: its commands, what it says of itself, and how errors become words and codes.
enum Program {
    /// All commands, in the order of the help.
    static let commands = [
        Command(.browse, Browse.run), Command(.types, Types.run), Command(.resolve, Resolve.run),
        Command(.lookup, Lookup.run), Command(.publish, Publish.run), Command(.query, Query.run),
        Command(.reconfirm, Reconfirm.run), Command(.monitor, Monitor.run),
        Command(.decode) { try Decode.run($0) }, Command(.demo, Demo.run),
        Command(.simulate) { try Simulate.run($0) },
        Command(.checkConfig) { try CheckConfig.run($0) }, Command(.doctor, Doctor.run),
    ]

    /// Where everything but the node itself runs: the system's pool would wake up once a second.
    private static let executor = Result<LoopTaskExecutor, SystemError> {
        () throws(SystemError) in try LoopTaskExecutor(name: "mdns")
    }

    /// Carries out a command line, without the program's own name, and ends the program.
    static func start(_ words: [String]) {
        runTask { CurrentProcess.exit(await run(words).rawValue) }
    }

    /// Starts a task of the program.
    @discardableResult
    static func runTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        do {
            return Task(executorPreference: try executor.get()) { await work() }
        } catch {
            Printer.printError(words(for: error))
            CurrentProcess.exit(ExitCode.network.rawValue)
        }
    }

    /// Carries out a command line.
    static func run(_ words: [String]) async -> ExitCode {
        guard let name = words.first else {
            Printer.printError("which command? 'mdns --help' lists them")
            return .usage
        }
        if ["help", "--help", "-h"].contains(name) { return help(words.dropFirst().first) }
        guard let command = commands.first(where: { $0.specification.name == name }) else {
            Printer.printError("there is no command '\(name)'; 'mdns --help' lists them")
            return .usage
        }
        do {
            let arguments = try CommandLineParser.parse(
                Array(words.dropFirst()), for: command.specification)
            if arguments.has("help") { return say(command.specification.help) }
            return try await command.run(arguments)
        } catch {
            return report(error, from: name)
        }
    }

    private static func help(_ name: String?) -> ExitCode {
        guard let name else { return say(help(for: commands.map(\.specification))) }
        guard let command = commands.first(where: { $0.specification.name == name }) else {
            Printer.printError("there is no command '\(name)'; 'mdns --help' lists them")
            return .usage
        }
        return say(command.specification.help)
    }

    private static func say(_ text: String) -> ExitCode {
        do throws(SystemError) {
            try StandardStream.output.write(text)
            return .success
        } catch {
            return OutputClosed(cause: error).exitCode
        }
    }

    private static func report(_ error: any Error, from command: String) -> ExitCode {
        switch error {
        case let error as OutputClosed:
            return error.exitCode
        case let error as SystemError where error.code == .brokenPipe:
            return .success
        case let error as UsageError:
            Printer.printError("\(error); 'mdns \(command) --help' says more")
            return .usage
        case let error as MDNSError:
            Printer.printError(error.description)
            return error.isAboutInput ? .usage : .network
        case let error as SystemError:
            Printer.printError(words(for: error))
            return .network
        default:
            Printer.printError("unknown error")
            return .network
        }
    }

    /// A failure of the system, with what can be done about the one that is easily mended.
    private static func words(for error: SystemError) -> String {
        guard error.code == .tooManyFiles else { return error.description }
        return "this program may not open as many files as it needs (\(error)); "
            + "raise the limit with 'ulimit -n'"
    }

    /// The text of `mdns --help`.
    static func help(for commands: [CommandSpecification]) -> String {
        var text = """
            mdns: find, resolve and offer services on the local network

            Usage: mdns COMMAND [ARGUMENTS] [OPTIONS]

            Commands:

            """
        let width = commands.reduce(0) { max($0, $1.name.count) } + 2
        for command in commands {
            let space = String(repeating: " ", count: width - command.name.count)
            text += "  \(command.name)\(space)\(command.summary)\n"
        }
        text += """

            'mdns COMMAND --help' says more about each.

            Exit codes: 0 done or found, 1 nothing found in time, 2 wrong command line,
            3 the network or the system is in the way, 4 damaged input.

            Examples:
              mdns demo
                  Shows everything at work, without a network.
              mdns browse _http._tcp --resolve
                  Shows web servers on the local network.

            """
        return text
    }
}

extension MDNSError {
    /// Whether what was asked for is wrong, not the world.
    fileprivate var isAboutInput: Bool {
        [
            Code.invalidName, .unicastName, .invalidServiceType, .invalidTXTRecord, .invalidPort,
            .invalidRegistration,
        ].contains(code)
    }
}
