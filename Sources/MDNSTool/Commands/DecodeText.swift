import DNSMessages
import NetworkPrimitives
import PacketCapture

/// Decoded packets as text: a block each, a line a record, as dig shows them.
struct DecodeText: Sendable {
    /// What was written and not taken away yet.
    var bytes: [UInt8] = []
    /// The time of the first packet: the others' are relative to it.
    private var origin: CaptureTime?
    private var hasBlock = false

    /// Writes a packet of a capture, or one that came in on an interface.
    mutating func write(
        _ datagram: CapturedDatagram, _ message: ReadMessage, interface: String? = nil
    ) {
        beginBlock()
        let since = origin
        if origin == nil { origin = datagram.time }
        bytes.append(addingCapacity: HeaderLines.room) { (line: inout OutputSpan<UInt8>) in
            line.appendHeader(of: datagram, since: since)
        }
        if let interface {
            bytes.append(text: ";; on ")
            bytes.append(text: SafeText.escaped(interface))
            endLine()
        }
        write(message)
    }

    /// Writes a message that was not in a capture.
    mutating func write(_ bytes: Int, _ message: ReadMessage) {
        beginBlock()
        self.bytes.append(text: ";; message of ")
        self.bytes.append(decimal: UInt64(bytes))
        self.bytes.append(text: " bytes")
        endLine()
        write(message)
    }

    private mutating func write(_ message: ReadMessage) {
        switch message.outcome {
        case .unreadable(let error):
            bytes.append(text: message.isCut ? ";; cut within the header" : ";; no DNS message: ")
            if !message.isCut { bytes.append(text: error.description) }
            endLine()
        case .read(let decoded):
            writeHeader(decoded)
            // What is cut can't hold what its header promises.
            if let rejectionReason = decoded.rejectionReason, !message.isCut {
                bytes.append(text: ";; not for multicast DNS: ")
                bytes.append(text: rejectionReason.description)
                endLine()
            }
            writeRecords(decoded)
            for item in decoded.skipped { write(item, isCut: message.isCut) }
            for record in decoded.refused { write(record) }
            if decoded.trailingByteCount > 0 {
                bytes.append(text: ";; ")
                bytes.append(decimal: UInt64(decoded.trailingByteCount))
                bytes.append(text: " bytes follow the last record")
                endLine()
            }
        }
    }

    private mutating func writeHeader(_ decoded: DecodedMessage) {
        bytes.append(addingCapacity: HeaderLines.room) { (line: inout OutputSpan<UInt8>) in
            line.appendHeader(of: decoded)
        }
    }

    private mutating func writeRecords(_ decoded: DecodedMessage) {
        let message = decoded.message
        if !message.questions.isEmpty {
            bytes.append(text: ";; question:\n")
            for question in message.questions { write(question) }
        }
        write(message.answers, under: ";; answer:\n")
        write(message.authorities, under: ";; authority:\n")
        write(message.additionals, under: ";; additional:\n")
    }

    private mutating func write(_ question: Question) {
        bytes.append(UInt8(ascii: ";"))
        appendLine(of: question.name, indented: 1) { (line, width) in
            line.appendColumns(of: question, after: width)
        }
        endLine()
    }

    private mutating func write(_ records: [ResourceRecord], under title: String) {
        guard !records.isEmpty else { return }
        bytes.append(text: title)
        let span = records.span
        for index in span.indices { write(span[index]) }
    }

    private mutating func write(_ record: ResourceRecord) {
        if case .opt(let options) = record.data { return write(options) }
        appendLine(of: record.name) { (line, width) in
            line.appendColumns(of: record, after: width)
        }
        append(record.data)
        endLine()
    }

    /// Appends a name and the columns that `body` adds. It gets the width of what stands
    /// before them.
    private mutating func appendLine(
        of name: DomainName, indented indent: Int = 0,
        _ body: (inout OutputSpan<UInt8>, Int) -> Void
    ) {
        var isPlain = false
        bytes.append(addingCapacity: 255 + RecordColumns.room) {
            (line: inout OutputSpan<UInt8>) in
            isPlain = name.appendPlainText(to: &line)
            if isPlain { body(&line, line.count + indent) }
        }
        if isPlain { return }
        let start = bytes.count
        appendName(name)
        let width = bytes.count - start + indent
        bytes.append(addingCapacity: RecordColumns.room) { (line: inout OutputSpan<UInt8>) in
            body(&line, width)
        }
    }

    private mutating func append(_ data: RecordData) {
        switch data {
        case .a(let address): IPAddress.v4(address).appendText(to: &bytes)
        case .aaaa(let address): IPAddress.v6(address).appendText(to: &bytes)
        case .ptr(let name), .cname(let name): appendName(name)
        case .srv(let location):
            bytes.append(decimal: UInt64(location.priority))
            bytes.append(UInt8(ascii: " "))
            bytes.append(decimal: UInt64(location.weight))
            bytes.append(UInt8(ascii: " "))
            bytes.append(decimal: UInt64(location.port))
            bytes.append(UInt8(ascii: " "))
            appendName(location.target)
        case .txt(let text): appendStrings(text.wireBytes)
        case .nsec(let next):
            appendName(next.nextName)
            for type in next.types {
                bytes.append(UInt8(ascii: " "))
                bytes.append(text: type.description)
            }
        case .hinfo(let host):
            appendQuoted(host.processor[...])
            bytes.append(UInt8(ascii: " "))
            appendQuoted(host.operatingSystem[...])
        case .opt: break
        case .unknown(_, let data):
            // The form of RFC 3597 §5.
            bytes.append(text: "\\# ")
            bytes.append(decimal: UInt64(data.count))
            bytes.append(UInt8(ascii: " "))
            bytes.append(hexadecimal: data)
        }
    }

    private mutating func write(_ options: ExtensionOptions) {
        bytes.append(text: "; OPT version ")
        bytes.append(decimal: UInt64(options.version))
        bytes.append(text: ", UDP payload size ")
        bytes.append(decimal: UInt64(options.udpPayloadSize))
        bytes.append(text: ", flags ")
        bytes.append(decimal: UInt64(options.flags))
        bytes.append(text: ", extended response code ")
        bytes.append(decimal: UInt64(options.extendedResponseCode))
        endLine()
        for option in options.options {
            bytes.append(text: ";   option ")
            bytes.append(decimal: UInt64(option.code))
            bytes.append(text: ": ")
            bytes.append(hexadecimal: option.bytes)
            endLine()
        }
    }

    /// What a skipped record says, as a comment; its data in the form of RFC 3597 §5.
    private mutating func write(_ record: DecodedMessage.RefusedRecord) {
        bytes.append(text: ";; byte ")
        bytes.append(decimal: UInt64(record.offset))
        bytes.append(text: ": ")
        appendName(record.name)
        bytes.append(UInt8(ascii: " "))
        bytes.append(decimal: UInt64(record.timeToLive))
        bytes.append(UInt8(ascii: " "))
        bytes.append(text: RecordClass(rawValue: record.classBits).description)
        bytes.append(text: record.classBits & 0x8000 != 0 ? ",flush " : " ")
        bytes.append(text: record.type.description)
        bytes.append(UInt8(ascii: " "))
        append(.unknown(record.type, record.data))
        endLine()
    }

    private mutating func write(_ item: SkippedItem, isCut: Bool) {
        bytes.append(text: isCut && item.endsReading ? ";; cut off from " : ";; skipped ")
        bytes.append(text: DecodeNames.section(item.section))
        bytes.append(text: " ")
        bytes.append(decimal: UInt64(item.index + 1))
        bytes.append(text: " at byte ")
        bytes.append(decimal: UInt64(item.offset))
        if !(isCut && item.endsReading) {
            bytes.append(text: ": ")
            bytes.append(text: item.reason.description)
        }
        endLine()
    }
}

// The parts of a line.
extension DecodeText {
    private mutating func beginBlock() {
        if hasBlock { endLine() }
        hasBlock = true
    }

    private mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    /// A name; characters that a terminal may act on, though the grammar of names lets them be,
    /// come out escaped.
    private mutating func appendName(_ name: DomainName) {
        let start = bytes.count
        name.appendText(to: &bytes)
        var index = start
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        guard index < bytes.count else { return }
        let text = String(decoding: bytes[start...], as: UTF8.self)
        bytes.removeSubrange(start...)
        bytes.append(text: SafeText.escaped(text))
    }

    /// The strings of a TXT record, each behind its length byte.
    private mutating func appendStrings(_ wire: [UInt8]) {
        var at = 0
        while at < wire.count {
            if at > 0 { bytes.append(UInt8(ascii: " ")) }
            let end = min(at + 1 + Int(wire[at]), wire.count)
            appendQuoted(wire[at + 1..<end])
            at = end
        }
    }

    private mutating func appendQuoted(_ string: ArraySlice<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        if string.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
            bytes.append(contentsOf: string)
        } else {
            DecodeNames.appendEscaped(string, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
