import Conformance

/// The page that says for every rule where its test is.
enum RulePage {
    static func text(files: [String: [String]]) -> String {
        var text = """
            # Every rule and its test

            The rules of RFC 6762 (M…) and RFC 6763 (S…), and what damaged (D-…) and odd (A-…)
            messages from real networks call for, in our own words. A test's name begins with the
            ids of the rules it proves: `grep -rn "M6-21" Tests` finds it. This page is written by
            `VICINITY_GOLDEN=write swift test --filter RulePageTests`, and a test compares it.

            """
        for document in Requirement.Document.allCases {
            let rules = (Requirement.ofTheDocuments + Requirement.ofPractice)
                .filter { $0.document == document }
            text += "\n## \(title(of: document))\n\n"
            text += "| rule | section | level | statement | tests |\n"
            text += "| --- | --- | --- | --- | --- |\n"
            for rule in rules { text += row(rule, files[rule.id] ?? []) }
        }
        return text
    }

    private static func title(of document: Requirement.Document) -> String {
        document == .practice ? "Practice" : document.rawValue
    }

    private static func row(_ rule: Requirement, _ files: [String]) -> String {
        var place = files.map { "`\($0)`" }.joined(separator: ", ")
        if place.isEmpty {
            place =
                Exemptions.all.first { $0.id == rule.id }.map { "none: \($0.reason)" } ?? "none"
        }
        let cells = [
            rule.id, rule.section, rule.level.rawValue, rule.statement, place,
        ].map { $0.split(separator: "|").joined(separator: "\\|") }
        return "| \(cells.joined(separator: " | ")) |\n"
    }
}
