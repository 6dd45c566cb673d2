import Testing

private func file(_ text: String, _ path: String = "Sources/DNSMessages/Label.swift") -> SourceFile
{
    SourceFile(path: path, text: text)
}

/// The lines that a rule finds fault with.
private func lines(_ findings: [Finding], _ rule: Rule) -> [Int] {
    findings.allSatisfy { $0.rule == rule } ? findings.map(\.line) : [-1]
}

@Suite struct FindingTests {
    @Test func saysWhereWhatAndWhich() {
        let finding = file("").finding(.sleeping, at: 3, "usleep")
        #expect(
            finding.description
                == "Sources/DNSMessages/Label.swift:3: usleep (a test does not sleep)")
    }
}

@Suite struct ImportRuleTests {
    private func found(_ text: String, in path: String) -> [Finding] {
        ImportRules.findings(in: file(text, path))
    }

    @Test func theTableHasNoCircle() {
        var seen: Set<String> = []
        for room in Room.all {
            #expect(seen.isSuperset(of: room.rooms), "\(room.name)")
            #expect(seen.insert(room.name).inserted)
        }
    }

    @Test func roomsAboveAndBesideAreClosed() {
        let text = "import NetworkPrimitives\npublic import MulticastDNS\nimport Foundation\n"
        #expect(lines(found(text, in: "Sources/DNSMessages/A.swift"), .imports) == [2, 3])
        #expect(found(text, in: "Sources/DNSSD/A.swift").map(\.line) == [3])
    }

    @Test func membersOfModulesAreImportsToo() {
        #expect(
            found("import struct Foundation.Data", in: "Sources/DNSMessages/A.swift").count == 1)
    }

    @Test func targetsOutsideTheTableAreFound() {
        #expect(lines(found("", in: "Sources/Common/A.swift"), .imports) == [1])
    }

    @Test func synchronizationIsOpenToThoseThatNeedIt() {
        #expect(found("import Synchronization", in: "Sources/MDNS/A.swift").isEmpty)
        #expect(found("import Synchronization", in: "Sources/DNSSD/A.swift").count == 1)
        #expect(found("import Foundation", in: "Sources/MultipeerConnectivity/A.swift").isEmpty)
    }

    static let twins =
        "#if canImport(Glibc)\nimport Glibc\n#elseif canImport(Musl)\nimport Musl\n#endif"

    @Test func theSystemBelongsToOneRoom() {
        #expect(found(Self.twins, in: "Sources/LinuxNetworking/A.swift").isEmpty)
        #expect(lines(found(Self.twins, in: "Sources/MDNS/A.swift"), .systemModules) == [2, 4])
        #expect(lines(found("import CLinux", in: "Sources/MDNS/A.swift"), .systemModules) == [1])
    }

    @Test func glibcNeedsItsTwin() {
        let path = "Sources/LinuxNetworking/A.swift"
        #expect(lines(found("import Glibc", in: path), .systemModules) == [1])
        let half = "#if canImport(Glibc)\n    import Glibc\n#endif\n"
        #expect(lines(found(half, in: path), .systemModules) == [2])
    }

    @Test func testsSpeakNeitherFoundationNorGlibc() {
        let text = "import Testing\nimport Foundation\nimport Glibc\nimport XCTest\n"
        let findings = found(text, in: "Tests/DNSMessagesTests/A.swift").filter {
            $0.rule == .imports
        }
        #expect(findings.map(\.line) == [2, 3, 4])
        #expect(found("import Foundation", in: "Tests/MultipeerConnectivityTests/A.swift").isEmpty)
        let support = "Tests/ProcessSupport/A.swift"
        #expect(found(Self.twins + "import CLinux\n", in: support).isEmpty)
        #expect(found("import Foundation", in: support).count == 1)
    }

    @Test func reexportsStandInOnePlace() {
        let text = "@_exported public import DNSMessages"
        #expect(found(text, in: "Sources/MDNS/Exports.swift").isEmpty)
        #expect(lines(found(text, in: "Sources/MDNS/A.swift"), .reexports) == [1])
        #expect(lines(found(text, in: "Sources/MulticastDNS/Exports.swift"), .reexports) == [1])
        #expect(lines(found(text, in: "Tests/MDNSTests/Exports.swift"), .reexports) == [1])
    }
}

@Suite struct ManifestRuleTests {
    private let manifest = Manifest(
        text: """
            func room(_ name: String, _ dependencies: [String] = []) -> Target {
                .target(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) })
            }
            let package = Package(name: "p", targets: [
                room("NetworkPrimitives"),
                room("DNSMessages", ["NetworkPrimitives", "MDNS"]),
                .executableTarget(name: "MDNSTool", dependencies: ["MDNS"], path: "x"),
                .systemLibrary(name: "CLinux"),
                tests("DNSMessagesTests", ["DNSMessages"]),
            ])
            """)

    @Test func targetsAreRead() {
        #expect(
            manifest.targets.map(\.name) == [
                "NetworkPrimitives", "DNSMessages", "MDNSTool", "CLinux", "DNSMessagesTests",
            ])
        #expect(
            manifest.targets.map(\.dependencies) == [
                [], ["NetworkPrimitives", "MDNS"], ["MDNS"], [], ["DNSMessages"],
            ])
    }

    @Test func dependenciesFollowTheTable() {
        let findings = ManifestRules.findings(in: manifest, sources: [])
        #expect(lines(findings, .manifest) == [6])
        #expect(findings.first?.what == "DNSMessages may not depend on MDNS")
    }

    @Test func importsAreDeclared() {
        let sources = [
            file("import NetworkPrimitives", "Sources/DNSMessages/A.swift"),
            file("import Testing\nimport NetworkPrimitives", "Tests/DNSMessagesTests/A.swift"),
            file("", "Sources/Noise/A.swift"),
        ]
        let paths = ManifestRules.findings(in: manifest, sources: sources).map(\.path)
        #expect(
            paths == ["Package.swift", "Tests/DNSMessagesTests/A.swift", "Sources/Noise/A.swift"])
    }
}

@Suite struct MachineRuleTests {
    private static let machine = """
        struct RecordCache {
            struct Part { var inner = 0 }
            var entries = [0]
            private var names = [0]
            private(set) var unused = [0]
            var count: Int { entries.count }
        }
        struct Other { var field = 0 }
        """

    private static func room(_ link: String) -> [SourceFile] {
        MachineRules.machines.values.map {
            file($0.hasPrefix("Cache") ? machine : "struct A {}", "Sources/MulticastDNS/\($0)")
        } + [file(link, "Sources/MulticastDNS/Link.swift")]
    }

    @Test func onlySharedStateCounts() {
        let state = MachineRules.sharedState(in: file(Self.machine))
        #expect(state == ["entries"])
    }

    @Test func stateThatIsTouchedFromOutsideIsFound() {
        let found = MachineRules.findings(in: Self.room("cache.count\nlinks[0].cache.entries[1]\n"))
        #expect(lines(found, .machines) == [2])
        #expect(MachineRules.findings(in: Self.room("cache.count; entries.count")).isEmpty)
    }

    @Test func aMachineThatIsNotThereIsFound() {
        #expect(!MachineRules.findings(in: [file("")]).isEmpty)
    }
}

@Suite struct LogicRoomRuleTests {
    @Test(arguments: [
        "func a() async {}", "let a = Task { }", "actor A {}", "final class A {}",
        "var a = 1", "struct A { static var a = 1 }", "let a = ContinuousClock.now",
        "let a = Int.random(in: 0..<3)", "let a = b.shuffled()", "nonisolated(unsafe) let a = 1",
        "var generator: SystemRandomNumberGenerator",
    ])
    func bannedWordsAreFound(_ text: String) {
        #expect(!LogicRoomRules.findings(in: file(text)).isEmpty)
        #expect(LogicRoomRules.findings(in: file(text, "Sources/MDNS/A.swift")).isEmpty)
        #expect(LogicRoomRules.findings(in: file(text, "Tests/DNSMessagesTests/A.swift")).isEmpty)
    }

    @Test(arguments: [
        "// an actor, async", "let a = \"class b\"", "let `class` = record.class",
        "f(class: .internet, async: 1)", "struct A { var a = 1 }",
        "struct A { static var a: Int { let b = 1; return b } }",
        "let a = Int.random(in: 0..<3, using: &generator)",
    ])
    func otherUsesAreNot(_ text: String) {
        #expect(LogicRoomRules.findings(in: file(text)).isEmpty)
    }
}

@Suite struct TrapRuleTests {
    @Test(arguments: [
        "let a = try! b()", "let a = b as! C", "fatalError()", "let a = b!", "let a = b()!.c",
        "let a = b[0]!", "var a: Int!", "let a = \"\\(b!)\"", "if let a = b?.c! {}",
        "let a = [Int]!.none",
    ])
    func trapsAreFound(_ text: String) {
        #expect(lines(TrapRules.findings(in: file(text)), .traps) == [1])
        #expect(TrapRules.findings(in: file(text, "Tests/DNSMessagesTests/A.swift")).isEmpty)
    }

    @Test(arguments: [
        "if !a {}", "a != b", "a!=b", "f(!a)", "[!a]", "// b!", "\"b!\"", "#if !os(Linux)",
        "try? a", "a as? B", "a && !b",
    ])
    func otherMarksAreNot(_ text: String) {
        #expect(TrapRules.findings(in: file(text)).isEmpty)
    }

    @Test(arguments: [
        "try await Task.sleep(for: .seconds(1))", "usleep(10)",
        "ContinuousClock().sleep(for: a)", "clock.sleep(until: b)",
    ])
    func sleepIsFoundInTests(_ text: String) {
        #expect(lines(TrapRules.findings(in: file(text, "Tests/A/A.swift")), .sleeping) == [1])
        #expect(TrapRules.findings(in: file("run(\"sleep\", 1)", "Tests/A/A.swift")).isEmpty)
        #expect(TrapRules.findings(in: file("network.sleep(host)", "Tests/A/A.swift")).isEmpty)
    }
}

@Suite struct SizeRuleTests {
    private func text(_ count: Int, _ line: String = "// x") -> String {
        String(repeating: line + "\n", count: count)
    }

    @Test func longFilesAreFound() {
        #expect(SizeRules.findings(in: file(text(600))).isEmpty)
        #expect(lines(SizeRules.findings(in: file(text(601))), .size) == [601])
    }

    @Test func longLinesAreFoundByCharacters() {
        let wide = "// " + String(repeating: "é", count: 97)
        #expect(SizeRules.findings(in: file(wide)).isEmpty)
        #expect(lines(SizeRules.findings(in: file("\n" + wide + "é")), .size) == [2])
    }

    @Test(arguments: ["func a(\n)", "init", "deinit", "subscript(a: Int) -> Int"])
    func longFunctionsAreFound(_ head: String) {
        let extra = head.contains("\n") ? 1 : 0
        let fits = "struct A {\n\(head) {\n\(text(68 - extra))}\n}"
        #expect(SizeRules.findings(in: file(fits)).isEmpty)
        let tooLong = "struct A {\n\(head) {\n\(text(69 - extra))}\n}"
        #expect(lines(SizeRules.findings(in: file(tooLong)), .size) == [2])
    }

    @Test func requirementsHaveNoBody() {
        let text = "protocol A {\nfunc a()\ninit()\n}\nlet b = {\n\(text(80))}"
        #expect(SizeRules.findings(in: file(text)).isEmpty)
    }
}

@Suite struct DocumentationRuleTests {
    @Test(arguments: [
        "public struct A {}", "struct A {\n    public init() {}\n}", "/// A.\n\npublic let a = 1",
        "// A.\npublic static func a(b: Int) -> Bool", "@inlinable public var a: Int",
        "public init(a: Int)", "public subscript(a: Int) -> Int",
        "/// A.\nlet a = 1\npublic private(set) var b = 1",
    ])
    func missingCommentsAreFound(_ text: String) {
        #expect(DocumentationRule.findings(in: file(text)).count == 1)
        #expect(DocumentationRule.findings(in: file(text, "Tests/A/A.swift")).isEmpty)
    }

    @Test(arguments: [
        "/// A.\npublic struct A {}", "/// A.\n@inlinable\n@frozen\npublic func a()",
        "public static func < (a: Int, b: Int) -> Bool", "public init(rawValue: Int)",
        "public func hash(into hasher: inout Hasher)",
        "public import DNSMessages", "package func a()", "let a = \"public let\"",
        "enum A {\ncase open\ncase closed\n}", "let a = B.open\nlet b = 1",
        "public var startIndex: Int { 0 }",
        "/// A.\npublic private(set) var a = 1", "/// A.\n    @inlinable public var a: Int",
    ])
    func presentCommentsAreSeen(_ text: String) {
        #expect(DocumentationRule.findings(in: file(text)).isEmpty)
    }

    @Test func theFindingNamesTheDeclaration() {
        let findings = DocumentationRule.findings(in: file("public static let ptr = 1"))
        #expect(findings.first?.what == "let ptr has no doc comment")
    }
}

@Suite struct NameRuleTests {
    @Test(arguments: [
        "struct SocketManager {}", "enum DNSHelper {}", "protocol HandlerA {}", "class NetUtils {}",
        "typealias A = B\nstruct ABase {}", "actor QueryImpl {}",
    ])
    func emptyNamesAreFound(_ text: String) {
        #expect(NameRules.findings(in: file(text)).count == 1)
    }

    @Test(arguments: ["struct Database {}", "let manager = 1", "struct Implementation {}"])
    func otherNamesAreNot(_ text: String) {
        #expect(NameRules.findings(in: file(text)).isEmpty)
    }

    @Test(arguments: [
        "// TODO: a", "let placeholder = 1", "/// Simplified,\n", "// for  now", "// FIXME",
    ])
    func unfinishedWorkIsFound(_ text: String) {
        #expect(lines(UnfinishedRule.findings(in: file(text)), .unfinished) == [1])
    }

    @Test func wordsInsideWordsAreNot() {
        #expect(UnfinishedRule.findings(in: file("// shackle, todos, for nowhere")).isEmpty)
    }
}

@Suite struct FixtureRuleTests {
    private func found(_ fixture: String, _ literal: String) -> Bool {
        let test = file("let a = \"\(literal)\"", "Tests/DNSMessagesTests/A.swift")
        return !FixtureRule.findings(fixtures: [fixture], tests: [test]).isEmpty
    }

    @Test func filesNobodyNamesAreFound() {
        #expect(found("Captures/avahi/a.pcap", "b.pcap"))
        #expect(found("Captures/avahi/a.pcap", "avahi"))
        #expect(found("Captures/avahi/a.pcap", "pcap"))
        #expect(found("Captures/avahi/a.pcap", ""))
    }

    @Test(arguments: [
        "a.pcap", "a", "avahi/a.pcap", "Captures/avahi", "Captures", "Fixtures/Captures/",
    ])
    func namedFilesAreNot(_ literal: String) {
        #expect(!found("Captures/avahi/a.pcap", literal))
        #expect(!found("README.md", literal))
    }
}
