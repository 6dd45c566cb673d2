import LinuxNetworking
import TestSupport

/// The project as it lies on the disk, from the folder that holds Package.swift.
struct Repository {
    /// Every Swift file of the package's targets.
    let files: [SourceFile]
    /// Whatever else lies in a target's folder.
    let others: [String]
    /// Paths under `Fixtures`.
    let fixtures: [String]
    let manifest: Manifest

    init(top: String = ProjectFiles.root) throws {
        let paths = try ["Sources", "Tests"].flatMap { folder in
            try SystemFile.files(under: "\(top)/\(folder)").map { "\(folder)/\($0)" }
        }
        files = try paths.filter { $0.hasSuffix(".swift") }.map {
            SourceFile(path: $0, text: try Self.text("\(top)/\($0)"))
        }
        others = paths.filter { $0.hasPrefix("Sources/") && !$0.hasSuffix(".swift") }
        let fixtures = "\(top)/Fixtures"
        self.fixtures =
            SystemFile.isDirectory(fixtures) ? try SystemFile.files(under: fixtures) : []
        manifest = Manifest(text: try Self.text("\(top)/Package.swift"))
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try SystemFile.read(path), as: UTF8.self)
    }
}

extension Repository {
    /// Everything that breaks a rule.
    var findings: [Finding] {
        files.flatMap(Self.findings) + ManifestRules.findings(in: manifest, sources: files)
            + MachineRules.findings(in: files)
            + FixtureRule.findings(fixtures: fixtures, tests: files.filter(\.isTest))
            + others.filter { !Self.isHeader($0) && $0 != "Sources/README.md" }.map {
                Finding(path: $0, line: 1, what: "not a Swift file", rule: .otherLanguages)
            }
    }

    private static func findings(in file: SourceFile) -> [Finding] {
        ImportRules.findings(in: file) + LogicRoomRules.findings(in: file)
            + TrapRules.findings(in: file) + SizeRules.findings(in: file)
            + DocumentationRule.findings(in: file) + NameRules.findings(in: file)
            + UnfinishedRule.findings(in: file)
    }

    private static func isHeader(_ path: String) -> Bool {
        path.hasPrefix("Sources/CLinux/") && (path.hasSuffix(".h") || path.hasSuffix(".modulemap"))
    }
}
