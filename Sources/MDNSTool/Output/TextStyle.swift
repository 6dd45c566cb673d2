/// The few colours of the output.
enum TextStyle: String, Sendable {
    case plain = ""
    case good = "32"
    case warning = "33"
    case bad = "31"
    case strong = "1"
    case faint = "2"

    /// `text` in this style, by the control sequences that every terminal knows.
    func applied(to text: String) -> String {
        self == .plain || text.isEmpty ? text : "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }
}
