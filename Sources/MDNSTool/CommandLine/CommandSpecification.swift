/// An option of a command.
struct OptionSpecification: Sendable {
    /// The name behind the two dashes.
    var name: String
    /// The letter behind one dash.
    var letter: Character?
    /// What its value is called in the help; `nil` for a switch.
    var value: String?
    /// Whether it may be given more than once.
    var isRepeatable = false
    /// One line of help; further lines are indented under it.
    var help: String

    /// How it is written: `-i, --interface NAME`.
    var usage: String {
        let short = letter.map { "-\($0), " } ?? "    "
        return short + "--" + name + (value.map { " " + $0 } ?? "")
    }
}

/// A command: what it takes and what its help says.
struct CommandSpecification: Sendable {
    /// The word after `mdns`.
    var name: String
    /// Its arguments as shown: `NAME TYPE PORT [KEY=VALUE...]`.
    var arguments: String = ""
    /// How many arguments it takes.
    var argumentCount: ClosedRange<Int>
    /// One line, for the list of commands.
    var summary: String
    /// More, for its own help.
    var details: String = ""
    var options: [OptionSpecification] = []
    /// Lines to type, each with what it does.
    var examples: [(line: String, purpose: String)] = []

    /// The text of `mdns COMMAND --help`.
    var help: String {
        var text = "mdns \(name): \(summary)\n\nUsage: mdns \(name)"
        if !arguments.isEmpty { text += " " + arguments }
        text += " [OPTIONS]\n"
        if !details.isEmpty { text += "\n\(details)\n" }
        let options = self.options + [Self.helpOption]
        text += "\nOptions:\n"
        let width = options.reduce(0) { max($0, $1.usage.count) } + 2
        for option in options {
            let usage = option.usage
            text += "  " + usage + String(repeating: " ", count: width - usage.count)
            let indent = "\n" + String(repeating: " ", count: width + 2)
            text += option.help.split(separator: "\n").joined(separator: indent) + "\n"
        }
        if !examples.isEmpty {
            text += "\nExamples:\n"
            for example in examples { text += "  \(example.line)\n      \(example.purpose)\n" }
        }
        return text
    }

    static let helpOption = OptionSpecification(
        name: "help", letter: "h", help: "Say all this.")
}
