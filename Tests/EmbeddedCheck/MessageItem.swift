import DNSMessages

/// A question or record as it stands in a message, also one that the decoder refuses.
struct MessageItem {
    let section: MessageSection
    let offset: Int
    let name: DomainName
    let type: UInt16
    let classBits: UInt16
    /// TTL and RDLENGTH; a question has neither.
    let fields: (timeToLive: UInt32, length: Int)?
    /// Its data as text.
    let data: String

    /// All items in the order of the wire.
    static func items(of decoded: DecodedMessage) -> [MessageItem] {
        var items = decoded.refused.map { MessageItem($0) }
        var section = MessageSection.question
        var index = 0
        for position in decoded.positions {
            if position.section != section {
                section = position.section
                index = 0
            }
            items.append(
                section == .question
                    ? MessageItem(decoded.message.questions[index], position)
                    : MessageItem(decoded.message.records(in: section)[index], position))
            index += 1
        }
        return items.sorted { $0.offset < $1.offset }
    }

    private init(_ record: DecodedMessage.RefusedRecord) {
        section = record.section
        offset = record.offset
        name = record.name
        type = record.type.rawValue
        classBits = record.classBits
        fields = (record.timeToLive, record.data.count)
        data = "refused"
    }

    private init(_ question: Question, _ position: DecodedMessage.Position) {
        section = position.section
        offset = position.offset
        name = question.name
        type = question.type.rawValue
        classBits = question.recordClass.rawValue | (question.prefersUnicast ? 0x8000 : 0)
        fields = nil
        data = "question"
    }

    private init(_ record: ResourceRecord, _ position: DecodedMessage.Position) {
        section = position.section
        offset = position.offset
        name = record.name
        type = record.type.rawValue
        classBits = record.recordClass.rawValue | (record.cacheFlush ? 0x8000 : 0)
        fields = (record.timeToLive.rawValue, position.dataLength)
        data = record.data.description
    }

    /// What a dissector says otherwise; `nil` if it agrees. Of OPT, class and TTL are other
    /// things.
    func fault(beside truth: JSONValue, namesAreEscaped: Bool) -> String? {
        if truth["section"] != .string(section.description) { return "section" }
        if truth["offset"] != .number("\(offset)") { return "offset" }
        if truth["type"] != .number("\(type)") { return "type \(type)" }
        if let text = truth["name"]?.text, !isNamed(text, isEscaped: namesAreEscaped) {
            return "name \(name)"
        }
        if let fields, truth["rdlength"] != .number("\(fields.length)") {
            return "rdlength \(fields.length)"
        }
        if type == RecordType.opt.rawValue { return nil }
        if truth["class"] != .number("\(classBits & 0x7FFF)") { return "class \(classBits)" }
        if truth["class_top_bit"] != .boolean(classBits & 0x8000 != 0) { return "top bit" }
        let timeToLive = fields.map { JSONValue.number("\($0.timeToLive)") }
        return truth["ttl"] == timeToLive ? nil : "ttl"
    }

    private func isNamed(_ text: String, isEscaped: Bool) -> Bool {
        if isEscaped { return text == name.description }
        var bytes: [UInt8] = []
        for label in name.labels {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ".")) }
            bytes.append(contentsOf: label.bytes)
        }
        return Array(text.utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8)
    }
}
