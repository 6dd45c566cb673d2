/// The engine's four machines keep their state to themselves. Their files share it, which takes
/// internal properties; so that nobody else uses these, not even to read, they are found by name.
enum MachineRules {
    /// What the link calls each machine, and the file that declares its state.
    static let machines = [
        "cache": "Cache/RecordCache.swift", "querier": "Querier/Querier.swift",
        "claims": "Claims/NameClaims.swift", "responder": "Responder/Responder.swift",
    ]

    static func findings(in files: [SourceFile]) -> [Finding] {
        let room = files.filter { $0.isSource && $0.target == "MulticastDNS" }
        var state: [String: Set<String>] = [:]
        for (machine, path) in machines {
            guard let file = room.first(where: { $0.path.hasSuffix("MulticastDNS/" + path) })
            else {
                return [
                    Finding(
                        path: "Sources/MulticastDNS/" + path, line: 1,
                        what: "no file of the machine \(machine)", rule: .machines)
                ]
            }
            state[machine] = sharedState(in: file)
        }
        return room.flatMap { uses(of: state, in: $0) }
    }

    /// The stored properties of the file's first type that other files can change.
    static func sharedState(in file: SourceFile) -> Set<String> {
        var names: Set<String> = []
        var depth = 0
        for (index, token) in file.tokens.enumerated() {
            if token.isSymbol("{") { depth += 1 }
            if token.isSymbol("}") {
                depth -= 1
                if depth == 0 { break }
            }
            guard depth == 1, token.isWord("var"), let name = file.token(index + 1)?.text,
                !isPrivate(index, in: file), isStored(index, in: file)
            else { continue }
            names.insert(name)
        }
        return names
    }

    private static func isPrivate(_ index: Int, in file: SourceFile) -> Bool {
        let before = file.token(index - 1)
        return before?.isWord("private") == true || before?.isSymbol(")") == true
    }

    /// Whether no getter opens on the line of the variable, nor behind its type.
    private static func isStored(_ index: Int, in file: SourceFile) -> Bool {
        let line = file.tokens[index].line
        return !file.tokens[index...].prefix { $0.line == line }.contains { $0.isSymbol("{") }
    }

    private static func uses(of state: [String: Set<String>], in file: SourceFile) -> [Finding] {
        file.tokens.indices.compactMap { index in
            let machine = file.tokens[index].text
            guard let names = state[machine], file.token(index + 1)?.isSymbol(".") == true,
                let name = file.token(index + 2), names.contains(name.text)
            else { return nil }
            return file.finding(.machines, at: name.line, "\(machine).\(name.text)")
        }
    }
}
