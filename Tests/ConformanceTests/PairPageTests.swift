import LinuxNetworking
import PairTable
import TestSupport
import Testing

/// The page that says for every pair of behaviours which test tries it.
enum PairPage {
    static func text(tables: [PairGroupTable]) -> String {
        let count = tables.reduce(0) { $0 + $1.count }
        var text = """
            # Behaviours in pairs

            What is right by itself has to be right together with the rest. Every pair below is a
            case of the test that is named, tried in each of these places:

            \(PairPlace.allCases.map { "- \($0.rawValue)" }.joined(separator: "\n"))

            These are \(count) cases. Neighbours, on each interface and over each family, keep what
            they receive as RFC 6762 §10 says; what they have in the end is compared with what is
            published, or what a second host shows with what is true of the first. The table is
            in `Tests/PairTable`, and this page is written by
            `VICINITY_GOLDEN=write swift test --filter PairPageTests`; a test compares it.

            """
        for table in tables { text += section(table) }
        return text
    }

    private static func section(_ table: PairGroupTable) -> String {
        var text = "\n## \(table.title)\n\n`\(table.file)`: “\(table.test)”\n\n"
        text += "|  | \(table.columns.joined(separator: " | ")) |\n"
        text += "| --- |" + String(repeating: " --- |", count: table.columns.count) + "\n"
        for row in table.rows {
            text += "| \(row.name) | \(row.cells.joined(separator: " | ")) |\n"
        }
        for (index, obstacle) in table.obstacles.enumerated() {
            text += "\n(\(index + 1)) \(obstacle)\n"
        }
        return text
    }
}

@Suite struct PairPageTests {
    @Test("the page of pairs is what the table says")
    func current() throws {
        let path = "\(ProjectFiles.root)/.docs/pairs.md"
        let text = PairPage.text(tables: PairTable.tables)
        if ProjectFiles.writesGolden { try SystemFile.write(text, to: path) }
        let stored = String(decoding: try SystemFile.read(path), as: UTF8.self)
        #expect(
            stored == text,
            "run: VICINITY_GOLDEN=write swift test --filter PairPageTests, and look at the change")
    }

    @Test("each group of pairs is what its test is given")
    func named() throws {
        let names = try TestNames(project: ProjectFiles.root).entries
        for table in PairTable.tables {
            #expect(names.contains { $0.file == table.file && $0.name == table.test })
        }
    }

    @Test("a pair is tested, or has a reason why it can't be")
    func cells() {
        for table in PairTable.tables {
            for cell in table.rows.flatMap(\.cells) where cell != "tested" {
                let number = cell.split(separator: "(").last?.dropLast()
                let reason = number.flatMap { Int($0) }.map { table.obstacles[$0 - 1] }
                #expect(reason?.isEmpty == false, "\(table.title): \(cell)")
            }
        }
        #expect(
            PairTable.restarts.pairs.allSatisfy {
                $0.second != .familyComes || !$0.place.hasOneFamily
            })
    }
}
