/// The program: its commands, and what it says when no command is given.
enum Program {
    /// All commands, in the order of the help.
    static let commands: [CommandSpecification] = []

    /// The text of `mdns --help`.
    static func help(for commands: [CommandSpecification]) -> String {
        var text = """
            mdns: find, resolve and offer services on the local network

            Usage: mdns COMMAND [ARGUMENTS] [OPTIONS]

            """
        let width = commands.reduce(0) { max($0, $1.name.count) } + 2
        if !commands.isEmpty { text += "\nCommands:\n" }
        for command in commands {
            let space = String(repeating: " ", count: width - command.name.count)
            text += "  \(command.name)\(space)\(command.summary)\n"
        }
        text += "\nmdns COMMAND --help says more about each.\n"
        return text
    }
}
