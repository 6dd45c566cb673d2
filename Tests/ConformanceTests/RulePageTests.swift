import LinuxNetworking
import TestSupport
import Testing

@Suite struct RulePageTests {
    @Test("the page of rules and tests is what the sources say")
    func current() throws {
        let path = "\(ProjectFiles.root)/.docs/rules.md"
        let files = try TestNames(project: ProjectFiles.root).filesByID
        let text = RulePage.text(files: files)
        if ProjectFiles.writesGolden { try SystemFile.write(text, to: path) }
        let stored = String(decoding: try SystemFile.read(path), as: UTF8.self)
        #expect(
            stored == text,
            "run: VICINITY_GOLDEN=write swift test --filter RulePageTests, and look at the change")
    }

    @Test("a rule's row names its level, statement and tests")
    func row() {
        let page = RulePage.text(files: ["M6-21": ["SomeTests/SomeFile.swift"]])
        let row = page.split(separator: "\n").first { $0.hasPrefix("| M6-21 |") }
        #expect(row?.contains("MUST NOT") == true)
        #expect(row?.hasSuffix("| `SomeTests/SomeFile.swift` |") == true)
    }
}
