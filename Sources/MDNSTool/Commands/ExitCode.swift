/// What the program says to the shell at its end.
enum ExitCode: Int32, Sendable {
    /// Done, or found.
    case success = 0
    /// Nothing found in time.
    case nothingFound = 1
    /// The command line can't be carried out.
    case usage = 2
    /// The network or the system is in the way.
    case network = 3
    /// The input is damaged.
    case damagedInput = 4
}
