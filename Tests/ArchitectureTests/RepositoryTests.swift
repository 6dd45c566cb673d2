import LinuxNetworking
import TestSupport
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

    /// `.ci/embedded` compiles just those rooms, each after those that it imports.
    @Test func logicRoomsAreEmbedded() throws {
        let script = try SystemFile.read("\(ProjectFiles.root)/.ci/embedded")
        let text = String(decoding: script, as: UTF8.self)
        let begin = try #require(text.firstRange(of: "ROOMS=(")?.upperBound)
        let rooms = text[begin...].prefix { $0 != ")" }.split(whereSeparator: \.isWhitespace)
            .map(String.init)
        #expect(Set(rooms) == Set(Room.all.filter(\.isLogic).map(\.name)))
        for (place, name) in rooms.enumerated() {
            let needed = try #require(Room.named(name)?.rooms)
            #expect(Set(needed).isSubset(of: rooms[..<place]), "\(name)")
        }
    }
}
