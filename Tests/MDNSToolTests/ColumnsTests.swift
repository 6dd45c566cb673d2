import Testing

@testable import MDNSTool

@Suite("Lines of columns")
struct ColumnsTests {
    @Test("A program gets tabs and no colour, the last cell unpadded")
    func tabs() {
        var columns = Columns(minimumWidths: [9, 9], isAligned: false, isColoured: false)
        #expect(columns.line([Cell("a", .good), Cell("b"), Cell("c")]) == "a\tb\tc")
        // A tab inside a cell can't be taken for one between cells.
        #expect(columns.line([Cell("a\tb"), Cell("c")]) == "a\\u{9}b\tc")
    }

    @Test("A person gets columns as wide as the widest cell so far")
    func aligned() {
        var columns = Columns(minimumWidths: [3], isAligned: true, isColoured: false)
        #expect(columns.line([Cell("a"), Cell("b")]) == "a    b")
        #expect(columns.line([Cell("台所台所"), Cell("b")]) == "台所台所  b")
        #expect(columns.line([Cell("a"), Cell("b"), Cell("c")]) == "a         b  c")
        let long = String(repeating: "x", count: 60)
        #expect(columns.line([Cell(long), Cell("b")]) == long + "  b")
        #expect(columns.line([Cell("a"), Cell("b")]).utf8.count == 44 + 2 + 1)
    }

    @Test("Colour surrounds the text and not the padding; what the text holds is escaped")
    func coloured() {
        var columns = Columns(minimumWidths: [4], isAligned: true, isColoured: true)
        #expect(
            columns.line([Cell("ok", .good), Cell("\u{1B}[2J", .bad)])
                == "\u{1B}[32mok\u{1B}[0m    \u{1B}[31m\\u{1b}[2J\u{1B}[0m")
    }
}
