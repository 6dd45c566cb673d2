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

    /// `.ci/embedded` compiles just the rooms that promise it, each after those that it imports:
    /// those of logic for every processor, those that talk to the kernel for Linux.
    @Test func roomsThatPromiseItAreEmbedded() throws {
        let script = try SystemFile.read("\(ProjectFiles.root)/.ci/embedded")
        let text = String(decoding: script, as: UTF8.self)
        let rooms = try list("ROOMS", in: text)
        #expect(Set(rooms) == Set(Room.all.filter(\.isLogic).map(\.name)))
        let all = rooms + (try list("LINUX_ROOMS", in: text))
        #expect(Set(all) == Set(Room.all.filter(\.isEmbedded).map(\.name)))
        for (place, name) in all.enumerated() {
            let needed = try #require(Room.named(name)?.rooms).filter { $0 != "CLinux" }
            #expect(Set(needed).isSubset(of: all[..<place]), "\(name)")
        }
    }

    /// The words of a list of the shell.
    private func list(_ name: String, in script: String) throws -> [String] {
        let begin = try #require(script.firstRange(of: "\n\(name)=(")?.upperBound)
        return script[begin...].prefix { $0 != ")" }.split(whereSeparator: \.isWhitespace)
            .map(String.init)
    }
}
