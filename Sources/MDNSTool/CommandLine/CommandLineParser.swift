/// A command line that can't be carried out as it stands: exit code 2.
struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The words after the command, sorted out.
struct ParsedArguments: Hashable, Sendable {
    /// What is not an option, in order.
    var positionals: [String] = []
    private var values: [String: [String]] = [:]

    /// Whether the option was given.
    func has(_ option: String) -> Bool { values[option] != nil }
    /// The option's value; `nil` if it was not given.
    func value(of option: String) -> String? { values[option]?.last }
    /// All values of an option that may be repeated.
    func values(of option: String) -> [String] { values[option] ?? [] }

    fileprivate mutating func add(_ value: String, to option: String) {
        values[option, default: []].append(value)
    }
}

/// Reads a command's words by its specification.
///
/// `--name value`, `--name=value`, `-n value`, `-nvalue`, switches joined as in `-46`; after
/// `--` nothing is an option. Options and arguments may be mixed. A lone `-` is an
/// argument.
enum CommandLineParser {
    static func parse(
        _ words: [String], for command: CommandSpecification
    ) throws(UsageError) -> ParsedArguments {
        let options = command.options + [CommandSpecification.helpOption]
        var parsed = ParsedArguments()
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                parsed.positionals += rest
                break
            } else if word.hasPrefix("--") {
                try parseLong(word.dropFirst(2), &rest, options, &parsed)
            } else if word.hasPrefix("-"), word != "-" {
                try parseLetters(word.dropFirst(), &rest, options, &parsed)
            } else {
                parsed.positionals.append(word)
            }
        }
        if !parsed.has("help") { try checkCount(parsed.positionals, command) }
        return parsed
    }

    private static func parseLong(
        _ text: Substring, _ rest: inout ArraySlice<String>, _ options: [OptionSpecification],
        _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        let equals = text.firstIndex(of: "=")
        let name = equals.map { text[..<$0] } ?? text
        guard let option = options.first(where: { $0.name == name }) else {
            throw UsageError("there is no option --\(name)")
        }
        let attached = equals.map { String(text[text.index(after: $0)...]) }
        try parseValue(option, attached, &rest, &parsed)
    }

    private static func parseLetters(
        _ letters: Substring, _ rest: inout ArraySlice<String>, _ options: [OptionSpecification],
        _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw UsageError(
                    "there is no option -\(letter); a word that begins with a dash goes behind --")
            }
            if option.value == nil {
                try parseValue(option, nil, &rest, &parsed)
            } else {
                let attached = letters.isEmpty ? nil : String(letters)
                return try parseValue(option, attached, &rest, &parsed)
            }
        }
    }

    private static func parseValue(
        _ option: OptionSpecification, _ attached: String?, _ rest: inout ArraySlice<String>,
        _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        if parsed.has(option.name), !option.isRepeatable, option.value != nil {
            throw UsageError("--\(option.name) can be given only once")
        }
        guard let metavariable = option.value else {
            if attached != nil { throw UsageError("--\(option.name) takes no value") }
            return parsed.add("", to: option.name)
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("--\(option.name) needs a value: --\(option.name) \(metavariable)")
        }
        parsed.add(value, to: option.name)
    }

    private static func checkCount(
        _ positionals: [String], _ command: CommandSpecification
    ) throws(UsageError) {
        let usage = "usage: mdns \(command.name) \(command.arguments)"
        if positionals.count < command.argumentCount.lowerBound {
            throw UsageError("too few arguments; \(usage)")
        }
        if positionals.count > command.argumentCount.upperBound {
            let extra = positionals[command.argumentCount.upperBound]
            throw UsageError("'\(extra)' is one argument too many; \(usage)")
        }
    }
}
