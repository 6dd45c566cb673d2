/// What Package.swift says of its targets, as far as literals say it.
struct Manifest {
    struct Target {
        let name: String
        let dependencies: [String]
        let line: Int
    }

    let file: SourceFile
    let targets: [Target]

    init(text: String) {
        let file = SourceFile(path: "Package.swift", text: text)
        self.file = file
        targets = file.tokens.indices.compactMap { Self.target(at: $0, in: file) }
    }

    func target(named name: String) -> Target? { targets.first { $0.name == name } }

    /// Calls that make a target: the package's own, and the manifest functions that call them.
    private static let makers: Set = [
        "room", "tests", "target", "testTarget", "executableTarget", "systemLibrary",
    ]

    private static func target(at index: Int, in file: SourceFile) -> Target? {
        guard file.tokens[index].kind == .word, makers.contains(file.tokens[index].text),
            file.token(index + 1)?.isSymbol("(") == true
        else { return nil }
        var first = index + 2
        if file.token(first)?.isWord("name") == true { first += 2 }
        guard let name = file.token(first), name.kind == .literal else { return nil }
        let end = file.closing(index + 1)
        var dependencies: [String] = []
        if let open = (first...end).first(where: { file.tokens[$0].isSymbol("[") }) {
            let label = file.tokens[open - 2].text
            if file.tokens[open - 1].isSymbol(",") || label == "dependencies" {
                dependencies = file.tokens[open...file.closing(open)].filter {
                    $0.kind == .literal
                }.map(\.text)
            }
        }
        return Target(name: name.text, dependencies: dependencies, line: name.line)
    }
}

enum ManifestRules {
    /// The manifest beside the table of rooms, and the sources' imports beside the manifest.
    static func findings(in manifest: Manifest, sources: [SourceFile]) -> [Finding] {
        tableFindings(in: manifest) + importFindings(in: manifest, sources: sources)
    }

    private static func tableFindings(in manifest: Manifest) -> [Finding] {
        manifest.targets.flatMap { target -> [Finding] in
            guard let room = Room.named(target.name) else { return [] }
            return target.dependencies.filter { !room.rooms.contains($0) }.map {
                manifest.file.finding(
                    .manifest, at: target.line, "\(target.name) may not depend on \($0)")
            }
        }
    }

    private static func importFindings(in manifest: Manifest, sources: [SourceFile]) -> [Finding] {
        let own = Set(Room.all.map(\.name) + manifest.targets.map(\.name))
        return sources.flatMap { file -> [Finding] in
            guard let target = manifest.target(named: file.target) else {
                return [
                    file.finding(.manifest, at: 1, "Package.swift has no target \(file.target)")
                ]
            }
            let declared = Set(target.dependencies)
            return file.imports.filter { own.contains($0.module) && !declared.contains($0.module) }
                .map {
                    file.finding(
                        .manifest, at: $0.line,
                        "Package.swift does not say that \(target.name) depends on \($0.module)")
                }
        }
    }
}
