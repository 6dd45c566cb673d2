/// An `import` line.
struct ImportDeclaration: Equatable {
    let module: String
    let line: Int
    let isReexport: Bool
}

extension SourceFile {
    var imports: [ImportDeclaration] {
        tokens.indices.compactMap { index in
            guard tokens[index].isWord("import"), var name = token(index + 1), name.kind == .word
            else { return nil }
            // `import struct Module.Name`
            if Self.importKinds.contains(name.text), let next = token(index + 2),
                next.kind == .word, next.line == name.line
            {
                name = next
            }
            let before = tokens[..<index].suffix(2).filter { $0.line == name.line }
            return ImportDeclaration(
                module: name.text, line: name.line,
                isReexport: before.contains { $0.isWord("@_exported") })
        }
    }

    private static let importKinds: Set = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]
}

enum ImportRules {
    /// Modules that only one room may see; for the others a finding says so in particular.
    static let systemModules: Set = ["Glibc", "Musl", "CLinux"]

    /// Modules that no test imports; those of `MultipeerConnectivity` speak Foundation.
    static let modulesBarredFromTests: Set = [
        "Foundation", "FoundationEssentials", "Glibc", "Musl", "CLinux", "Dispatch", "XCTest",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        let own = file.isSource ? sourceFindings(in: file) : testFindings(in: file)
        return own + twinFindings(in: file) + reexportFindings(in: file)
    }

    private static func sourceFindings(in file: SourceFile) -> [Finding] {
        guard let room = Room.named(file.target) else {
            return [file.finding(.imports, at: 1, "the target \(file.target) is not in the table")]
        }
        let allowed = Set(room.rooms + room.modules + ["Swift", "_Concurrency"])
        return file.imports.filter { !allowed.contains($0.module) }.map { declaration in
            let rule: Rule = systemModules.contains(declaration.module) ? .systemModules : .imports
            return file.finding(
                rule, at: declaration.line, "\(room.name) imports \(declaration.module)")
        }
    }

    private static func testFindings(in file: SourceFile) -> [Finding] {
        var barred = modulesBarredFromTests
        if file.target == "MultipeerConnectivityTests" { barred.remove("Foundation") }
        // Starts programs for tests, which no room does.
        if file.target == "ProcessSupport" { barred.subtract(systemModules) }
        return file.imports.filter { barred.contains($0.module) }.map {
            file.finding(.imports, at: $0.line, "a test imports \($0.module)")
        }
    }

    /// `import Glibc` is the first branch of a condition whose second is Musl.
    private static func twinFindings(in file: SourceFile) -> [Finding] {
        let code = file.lines.map { line in
            String(line.drop { $0 == " " })
        }
        return file.imports.filter { $0.module == "Glibc" }.compactMap { declaration in
            let index = declaration.line - 1
            let before = index > 0 ? code[index - 1] : ""
            let after = code[(index + 1)...].prefix(2)
            let hasDuplicate =
                before == "#if canImport(Glibc)" && after.first == "#elseif canImport(Musl)"
                && after.last?.hasSuffix("import Musl") == true
            return hasDuplicate
                ? nil
                : file.finding(
                    .systemModules, at: declaration.line,
                    "import Glibc without #if canImport(Glibc) … #elseif canImport(Musl)")
        }
    }

    private static func reexportFindings(in file: SourceFile) -> [Finding] {
        let isFacade =
            file.isSource && file.fileName == "Exports.swift"
            && Room.named(file.target)?.isProduct == true
        guard !isFacade else { return [] }
        return file.imports.filter(\.isReexport).map {
            file.finding(.reexports, at: $0.line, "@_exported import \($0.module)")
        }
    }
}
