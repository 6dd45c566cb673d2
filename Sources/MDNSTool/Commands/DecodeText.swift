import DNS
import NetworkPrimitives
import PacketCapture

/// Decoded packets as text: a block each, a line a record, as dig shows them.
struct DecodeText: Sendable {
    /// What was written and not taken away yet.
    var bytes: [UInt8] = []
    /// The time of the first packet: the others' are told from it.
    private var origin: CaptureTime?
    private var hasBlock = false

    /// Writes a packet of a capture.
    mutating func write(_ datagram: CapturedDatagram, _ message: ReadMessage) {
        beginBlock()
        bytes.append(text: ";; frame ")
        bytes.append(decimal: UInt64(datagram.frameNumber))
        if let time = datagram.time {
            bytes.append(text: "  ")
            appendTime(time)
        }
        bytes.append(text: "  ")
        append(datagram.source)
        bytes.append(text: " > ")
        append(datagram.destination)
        bytes.append(text: "  ")
        bytes.append(decimal: UInt64(datagram.payload.count))
        bytes.append(text: " bytes")
        if datagram.isCut {
            bytes.append(text: " of ")
            bytes.append(decimal: UInt64(datagram.lengthField) - 8)
            bytes.append(text: ", cut by the snap length")
        } else if datagram.hasOddLengthField {
            bytes.append(text: ", though the UDP header says ")
            bytes.append(decimal: UInt64(datagram.lengthField) &- 8)
        }
        endLine()
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
            if let objection = decoded.objection, !message.isCut {
                bytes.append(text: ";; not for multicast DNS: ")
                bytes.append(text: objection.description)
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
        let header = decoded.message.header
        bytes.append(text: header.isResponse ? ";; response" : ";; query")
        bytes.append(text: ", id ")
        bytes.append(decimal: UInt64(header.id))
        bytes.append(text: ", flags")
        if header.flags & 0x07F0 == 0 { bytes.append(text: " none") }
        // QR is told in words, OPCODE and RCODE are numbers (RFC 1035 §4.1.1, RFC 2535 §6.1).
        appendFlag(" aa", 0x0400, of: header)
        appendFlag(" tc", 0x0200, of: header)
        appendFlag(" rd", 0x0100, of: header)
        appendFlag(" ra", 0x0080, of: header)
        appendFlag(" z", 0x0040, of: header)
        appendFlag(" ad", 0x0020, of: header)
        appendFlag(" cd", 0x0010, of: header)
        appendCount(", questions ", decoded.counts.questions)
        appendCount(", answers ", decoded.counts.answers)
        appendCount(", authority ", decoded.counts.authorities)
        appendCount(", additional ", decoded.counts.additionals)
        endLine()
    }

    private mutating func appendFlag(_ name: String, _ bit: UInt16, of header: MessageHeader) {
        if header.flags & bit != 0 { bytes.append(text: name) }
    }

    private mutating func appendCount(_ name: String, _ count: UInt16) {
        guard count > 0 else { return }
        bytes.append(text: name)
        bytes.append(decimal: UInt64(count))
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
        for index in records.indices { write(records[index]) }
    }

    private mutating func write(_ record: ResourceRecord) {
        if case .opt(let options) = record.data { return write(options) }
        appendLine(of: record.name) { (line, width) in
            line.appendColumns(of: record, after: width)
        }
        append(record.data)
        endLine()
    }

    /// Appends a name and the columns that `body` adds. It is told the width of what stands
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

    /// The first packet's date, the others' distance from it.
    private mutating func appendTime(_ time: CaptureTime) {
        guard let origin else {
            origin = time
            return DecodeNames.appendDate(time, to: &bytes)
        }
        let nanoseconds = time.nanoseconds(since: origin)
        bytes.append(UInt8(ascii: nanoseconds < 0 ? "-" : "+"))
        let microseconds = nanoseconds.magnitude / 1000
        bytes.append(decimal: microseconds / 1_000_000)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: microseconds % 1_000_000, digits: 6)
        bytes.append(text: " s")
    }

    private mutating func append(_ endpoint: SocketAddress) {
        let isV6 = endpoint.address.family == .ipv6
        if isV6 { bytes.append(UInt8(ascii: "[")) }
        endpoint.address.appendText(to: &bytes)
        bytes.append(text: isV6 ? "]:" : ":")
        bytes.append(decimal: UInt64(endpoint.port))
    }

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
