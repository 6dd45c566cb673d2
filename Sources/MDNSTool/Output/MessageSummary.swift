import DNSMessages

/// A DNS message in one line.
enum MessageSummary {
    /// What a message asks or says: `query Web._http._tcp.local ANY?`, `response A, AAAA …`.
    static func text(of payload: [UInt8]) -> String {
        guard let decoded = try? Message.decode(payload.span) else { return "no DNS message" }
        let message = decoded.message
        if message.header.isResponse {
            let records = message.answers + message.additionals
            let isGoodbye = !message.answers.isEmpty && message.answers.allSatisfy(isGoodbye)
            return (isGoodbye ? "goodbye: " : "response: ")
                + listed(records.map { "\($0.name) \($0.type)" })
        }
        let questions = message.questions.map { question in
            "\(question.name) \(question.type)\(question.prefersUnicast ? " (QU)" : "")?"
        }
        let word = message.authorities.isEmpty ? "query: " : "probe: "
        let known = message.answers.isEmpty ? "" : ", knows \(message.answers.count)"
        return word + listed(questions) + known
    }

    private static func isGoodbye(_ record: ResourceRecord) -> Bool {
        record.timeToLive == .goodbye
    }

    private static func listed(_ items: [String]) -> String {
        let shown = items.prefix(3).joined(separator: ", ")
        return items.count > 3 ? "\(shown) and \(items.count - 3) more" : shown
    }
}
