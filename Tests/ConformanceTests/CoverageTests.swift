import Conformance
import TestSupport
import Testing

/// Every rule has a test whose name begins with its id, or a reason why not.
@Suite struct CoverageTests {
    /// The rules that need a test: all, for what is merely allowed is done or left.
    private static let needed = Requirement.ofTheDocuments + Requirement.ofPractice

    @Test func everyRuleHasATestOrAReason() throws {
        let files = try TestNames(project: ProjectFiles.root).filesByID
        let exempt = Set(Exemptions.all.map(\.id))
        let missing = Self.needed.filter { files[$0.id] == nil && !exempt.contains($0.id) }
        #expect(
            missing.isEmpty,
            "\(missing.count) without a test: \(missing.map(\.id).joined(separator: " "))")
    }

    @Test func exemptionsAreFewAndNeeded() throws {
        let files = try TestNames(project: ProjectFiles.root).filesByID
        #expect(Exemptions.all.count <= Exemptions.limit)
        #expect(Set(Exemptions.all.map(\.id)).count == Exemptions.all.count)
        for (id, reason) in Exemptions.all {
            #expect(Requirement.named(id) != nil, "\(id)")
            #expect(files[id] == nil, "\(id) has a test by now")
            #expect(reason.utf8.count > 20)
        }
    }

    @Test func namesAreReadFromSources() {
        let text = """
            @Test("M1 not an id") func a() {}
            @Test(
                "M6-21 M6-22 two ids",
                arguments: [1]) func b() {}
            @Test func c() {}
            @Test(arguments: ["M6-23 no name"]) func d() {}
            """
        #expect(TestNames.names(in: text) == ["M1 not an id", "M6-21 M6-22 two ids"])
        #expect(TestNames.ids(of: "M6-21 M6-22 two ids M6-23") == ["M6-21", "M6-22"])
        #expect(TestNames.ids(of: "M1 not an id").isEmpty)
    }
}
