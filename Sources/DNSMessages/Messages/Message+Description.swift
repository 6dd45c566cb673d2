import NetworkPrimitives

extension Message: CustomStringConvertible {
    /// The whole message much as dig prints it: a line for the header, then each section that is
    /// not empty, an item a line. Nothing from the network is in it raw.
    public var description: String {
        var lines = [header.description]
        if !questions.isEmpty {
            lines.append("question:")
            lines += questions.map { "    \($0)" }
        }
        for section in MessageSection.allCases where !records(in: section).isEmpty {
            lines.append("\(section):")
            lines += records(in: section).map { "    \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}

extension MessageHeader: CustomStringConvertible {
    /// `response id 0 flags qr aa`, with operation and response code where they are not 0.
    public var description: String {
        let bits: [(UInt16, String)] = [
            (0x8000, "qr"), (0x0400, "aa"), (0x0200, "tc"), (0x0100, "rd"), (0x0080, "ra"),
            (0x0040, "z"), (0x0020, "ad"), (0x0010, "cd"),
        ]
        let names = bits.filter { flags & $0.0 != 0 }.map { $0.1 }
        var text = "\(isResponse ? "response" : "query") id \(id)"
        if !names.isEmpty { text += " flags " + names.joined(separator: " ") }
        if operationCode != 0 { text += " opcode \(operationCode)" }
        if responseCode != 0 { text += " rcode \(responseCode)" }
        return text
    }
}

extension MessageSection: CustomStringConvertible {
    /// `question`, `answer`, `authority` or `additional`.
    public var description: String {
        switch self {
        case .question: "question"
        case .answer: "answer"
        case .authority: "authority"
        case .additional: "additional"
        }
    }
}

extension Question: CustomStringConvertible {
    /// `_ipp._tcp.local IN PTR`, with `QU` at the end where a unicast answer is preferred.
    public var description: String {
        "\(name) \(recordClass) \(type)" + (prefersUnicast ? " QU" : "")
    }
}

extension ResourceRecord: CustomStringConvertible {
    /// `printer.local 120 IN A 192.0.2.1`, with `flush` behind the class where the bit is set.
    public var description: String {
        if case .opt = data { return "\(name) OPT \(data)" }
        return "\(name) \(timeToLive) \(recordClass)\(cacheFlush ? " flush" : "") \(type) \(data)"
    }
}

extension RecordData: CustomStringConvertible {
    /// The data without the type: names in their text form, strings in quotes, and
    /// `\# 3 0a0b0c` for data kept as bytes (RFC 3597 §5).
    public var description: String {
        switch self {
        case .a(let address): address.description
        case .aaaa(let address): address.description
        case .ptr(let name), .cname(let name): name.description
        case .srv(let location):
            "\(location.priority) \(location.weight) \(location.port) \(location.target)"
        case .txt(let strings):
            strings.strings.map { NameText.quoted($0[...]) }.joined(separator: " ")
        case .nsec(let next):
            ([next.nextName.description] + next.types.map { $0.description }).joined(separator: " ")
        case .hinfo(let information):
            NameText.quoted(information.processor[...]) + " "
                + NameText.quoted(information.operatingSystem[...])
        case .opt(let options): options.description
        case .unknown(_, let bytes):
            bytes.isEmpty ? "\\# 0" : "\\# \(bytes.count) \(Hexadecimal.text(bytes))"
        }
    }
}

extension ExtensionOptions: CustomStringConvertible {
    /// `size 1440 option 4 0001`, with version, flags and response code where they are not 0.
    public var description: String {
        var text = "size \(udpPayloadSize)"
        if version != 0 { text += " version \(version)" }
        if flags != 0 { text += " flags \(flags)" }
        if extendedResponseCode != 0 { text += " rcode \(extendedResponseCode)" }
        for option in options {
            text += " option \(option.code) \(Hexadecimal.text(option.bytes))"
        }
        return text
    }
}
