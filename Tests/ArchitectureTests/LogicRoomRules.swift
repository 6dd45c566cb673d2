/// Rooms of logic are values and time handed in: the same input gives the same output.
enum LogicRoomRules {
    private static let banned: [String: String] = [
        "async": "concurrency", "await": "concurrency", "Task": "concurrency",
        "AsyncStream": "concurrency", "AsyncSequence": "concurrency", "nonisolated": "concurrency",
        "ContinuousClock": "a clock", "SuspendingClock": "a clock", "CommandLine": "environment",
        "SystemRandomNumberGenerator": "chance that is not handed in",
    ]

    /// Calls that draw from the system's generator unless another is given.
    private static let drawing: Set = ["random", "randomElement", "shuffle", "shuffled"]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isSource, Room.named(file.target)?.isLogic == true else { return [] }
        var findings: [Finding] = []
        var depth = 0
        for (index, token) in file.tokens.enumerated() {
            if token.isSymbol("{") { depth += 1 }
            if token.isSymbol("}") { depth -= 1 }
            guard token.kind == .word else { continue }
            if let what = word(at: index, depth: depth, in: file) {
                findings.append(file.finding(.logicRooms, at: token.line, what))
            }
        }
        return findings
    }

    private static func word(at index: Int, depth: Int, in file: SourceFile) -> String? {
        let token = file.tokens[index]
        let next = file.token(index + 1)
        let isMember = index > 0 && file.tokens[index - 1].isSymbol(".")
        let isLabel = next?.isSymbol(":") == true
        if let kind = banned[token.text], !isMember, !isLabel { return "\(token.text): \(kind)" }
        switch token.text {
        case "actor" where next?.kind == .word && next?.line == token.line && !isMember:
            return "an actor"
        case "class" where next?.kind == .word && !isMember:
            return "a class"
        case "var" where depth == 0 && !isMember:
            return "a global variable"
        case "var" where index > 0 && file.tokens[index - 1].isWord("static"):
            return isStored(at: index, in: file) ? "a variable of a type" : nil
        case let name where drawing.contains(name) && next?.isSymbol("(") == true && isMember:
            let call = file.tokens[index + 1...file.closing(index + 1)]
            return call.contains { $0.isWord("using") }
                ? nil : "\(name)() without using: chance that is not handed in"
        default: return nil
        }
    }

    /// Whether a value is given to the variable before any brace of a getter opens.
    private static func isStored(at index: Int, in file: SourceFile) -> Bool {
        file.tokens[index...].first { $0.isSymbol("=") || $0.isSymbol("{") }?.isSymbol("=") == true
    }
}
