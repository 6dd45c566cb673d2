import Conformance
import Testing

@Suite struct RequirementTests {
    private func count(_ document: Requirement.Document) -> Int {
        Requirement.ofTheDocuments.count { $0.document == document }
    }

    @Test func everyRuleOfBothDocumentsIsThere() {
        #expect(count(.rfc6762) == 286)
        #expect(count(.rfc6763) == 77)
        #expect(Requirement.ofPractice.count == 56)
    }

    @Test(arguments: [
        (Requirement.Level.must, 99), (.mustNot, 34), (.required, 2), (.should, 66),
        (.shouldNot, 16), (.recommended, 1), (.notRecommended, 1), (.may, 9), (.proseMust, 5),
        (.proseShould, 27), (.proseRecommended, 9), (.rule, 94),
    ])
    func everyLevelHasItsCount(_ level: Requirement.Level, _ count: Int) {
        #expect(Requirement.ofTheDocuments.count { $0.level == level } == count)
    }

    @Test func idsAreNumberedWithoutGapsOrRepeats() {
        var last: [Substring: Int] = [:]
        for rule in Requirement.ofTheDocuments + Requirement.ofPractice {
            let parts = rule.id.split(separator: "-")
            #expect(parts.count == 2)
            let number = Int(parts[1]) ?? 0
            #expect(number == last[parts[0], default: 0] + 1, "\(rule.id)")
            last[parts[0]] = number
        }
    }

    @Test func sectionsBelongToTheirIDs() {
        for rule in Requirement.ofTheDocuments {
            let chapter = rule.id.split(separator: "-")[0].dropFirst()
            #expect(rule.section.split(separator: ".").first == chapter, "\(rule.id)")
        }
    }

    @Test func statementsAreOneSentenceOrMoreOnOneLine() {
        for rule in Requirement.ofTheDocuments + Requirement.ofPractice {
            #expect(rule.statement.utf8.last == UInt8(ascii: "."), "\(rule.id)")
            #expect(!rule.statement.contains("\n"), "\(rule.id)")
            #expect(rule.statement.utf8.count > 10, "\(rule.id)")
        }
    }

    @Test func rulesAreFoundByTheirIDs() {
        #expect(Requirement.named("M6-21")?.level == .mustNot)
        #expect(Requirement.named("D-3")?.document == .practice)
        #expect(Requirement.named("M6-99") == nil)
    }
}
