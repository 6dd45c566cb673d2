/// One field of a line of output.
struct Cell: Hashable, Sendable {
    /// As it came, perhaps from the network.
    var text: String
    var style = TextStyle.plain

    init(_ text: String, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}

/// Lines of cells, in aligned columns where a person reads them and with tabs between where a
/// program does.
///
/// Lines come one by one, so nobody knows the widest cell beforehand: a column is as wide as the
/// widest cell so far, and has a minimum.
struct Columns: Sendable {
    private var widths: [Int]
    private let isAligned: Bool
    private let isColoured: Bool
    private static let widest = 44

    init(minimumWidths: [Int], isAligned: Bool, isColoured: Bool) {
        widths = minimumWidths
        self.isAligned = isAligned
        self.isColoured = isColoured
    }

    /// One line without its end.
    mutating func line(_ cells: [Cell]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let text = SafeText.escaped(cell.text)
            line += isColoured ? cell.style.applied(to: text) : text
            guard index < cells.count - 1 else { break }
            line += isAligned ? padding(after: text, column: index) : "\t"
        }
        return line
    }

    private mutating func padding(after text: String, column: Int) -> String {
        if column >= widths.count { widths.append(0) }
        let width = SafeText.width(text)
        widths[column] = min(max(widths[column], width), Self.widest)
        return String(repeating: " ", count: max(widths[column] - width, 0) + 2)
    }
}
