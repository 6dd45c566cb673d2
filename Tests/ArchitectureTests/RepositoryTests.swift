import Testing

@Suite("The repository keeps the rules of its rooms")
struct RepositoryTests {
    @Test func nothingBreaksARule() throws {
        let findings = try Repository().findings
        let report = findings.map(\.description).joined(separator: "\n")
        #expect(findings.isEmpty, "\(report)")
    }

    /// A walk that sees nothing finds nothing.
    @Test func theWalkSeesTheProject() throws {
        let repository = try Repository()
        let targets = Set(repository.files.map(\.target))
        #expect(
            targets.isSuperset(
                of: repository.manifest.targets.map(\.name).filter {
                    $0 != "CLinux"
                }))
        #expect(repository.files.contains { $0.path == "Sources/DNSMessages/Names/Label.swift" })
        #expect(repository.others.contains("Sources/CLinux/module.modulemap"))
        #expect(!repository.manifest.targets.isEmpty)
    }
}
