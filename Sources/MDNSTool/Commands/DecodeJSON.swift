import DNSMessages
import NetworkPrimitives
import PacketCapture

/// Decoded packets as JSON: an object and a line each, as `mdns decode --help` describes them.
struct DecodeJSON: Sendable {
    /// What was written and not taken away yet.
    var json = JSONWriter()

    /// Writes a packet of a capture, or one that came in on an interface.
    mutating func write(
        _ datagram: CapturedDatagram, _ message: ReadMessage, interface: String? = nil
    ) {
        json.beginObject()
        json.member("frame", datagram.frameNumber)
        json.key("time")
        if let time = datagram.time {
            json.number(text: Self.seconds(time))
        } else {
            json.null()
        }
        json.member("src") { datagram.source.address.appendText(to: &$0) }
        json.member("dst") { datagram.destination.address.appendText(to: &$0) }
        json.member("sport", datagram.source.port)
        json.member("dport", datagram.destination.port)
        json.member("udp_payload_len", datagram.payload.count)
        if datagram.hasOddLengthField { json.member("udp_length_field", datagram.lengthField) }
        if let interface { json.member("interface", interface) }
        write(message)
        json.endObject()
        json.endLine()
    }

    /// Writes a message that was not in a capture: without what only packets have.
    mutating func write(_ byteCount: Int, _ message: ReadMessage) {
        json.beginObject()
        json.member("udp_payload_len", byteCount)
        write(message)
        json.endObject()
        json.endLine()
    }

    private mutating func write(_ message: ReadMessage) {
        switch message.outcome {
        case .unreadable(let error):
            for key in ["id", "flags", "counts"] {
                json.key(key)
                json.null()
            }
            json.key("records")
            json.beginArray()
            json.endArray()
            json.member("malformed", !message.isCut)
            json.key("skipped")
            json.beginArray()
            json.beginObject()
            json.member("section", "header")
            json.member("index", 0)
            json.member("offset", 0)
            json.member("reason", message.isCut ? Self.cutReason : error.description)
            json.endObject()
            json.endArray()
        case .read(let decoded):
            write(decoded, isCut: message.isCut)
        }
    }

    private mutating func write(_ decoded: DecodedMessage, isCut: Bool) {
        json.member("id", decoded.message.header.id)
        json.member("flags", decoded.message.header.flags)
        json.key("counts")
        json.beginArray()
        for section in MessageSection.allCases { json.integer(decoded.counts[section]) }
        json.endArray()
        json.key("records")
        json.beginArray()
        writeRecords(decoded)
        json.endArray()
        json.member("malformed", decoded.skipped.contains { !(isCut && $0.endsReading) })
        json.key("skipped")
        json.beginArray()
        for item in decoded.skipped {
            json.beginObject()
            json.member("section", DecodeNames.section(item.section))
            json.member("index", item.index)
            json.member("offset", item.offset)
            json.member(
                "reason", isCut && item.endsReading ? Self.cutReason : item.reason.description)
            json.endObject()
        }
        json.endArray()
    }

    private static let cutReason = "cut by the snap length"

    /// Kept and refused records in the order of the wire; positions are in that order, and so
    /// are the sections and what is in them.
    private mutating func writeRecords(_ decoded: DecodedMessage) {
        var refused = decoded.refused[...]
        var index = 0
        var section = MessageSection.question
        for position in decoded.positions {
            while let record = refused.first, record.offset < position.offset {
                write(record)
                refused.removeFirst()
            }
            if position.section != section {
                section = position.section
                index = 0
            }
            json.beginObject()
            json.member("section", DecodeNames.section(section))
            json.member("offset", position.offset)
            if section == .question {
                write(decoded.message.questions[index])
            } else {
                write(
                    decoded.message.records(in: section)[index], length: position.dataLength)
            }
            json.endObject()
            index += 1
        }
        for record in refused { write(record) }
    }

    private mutating func write(_ record: DecodedMessage.RefusedRecord) {
        json.beginObject()
        json.member("section", DecodeNames.section(record.section))
        json.member("offset", record.offset)
        json.member("name") { record.name.appendText(to: &$0) }
        json.member("type", record.type.rawValue)
        json.member("class", record.classBits & 0x7FFF)
        json.member("class_top_bit", record.classBits & 0x8000 != 0)
        json.member("ttl", record.timeToLive)
        json.member("rdlength", record.data.count)
        json.key("rdata")
        json.null()
        json.endObject()
    }

    private mutating func write(_ question: Question) {
        json.member("name") { question.name.appendText(to: &$0) }
        json.member("type", question.type.rawValue)
        json.member("class", question.recordClass.rawValue)
        json.member("class_top_bit", question.prefersUnicast)
    }

    private mutating func write(_ record: ResourceRecord, length: Int) {
        json.member("name") { record.name.appendText(to: &$0) }
        json.member("type", record.type.rawValue)
        if case .opt(let options) = record.data {
            json.member("rdlength", length)
            return write(options)
        }
        json.member("class", record.recordClass.rawValue)
        json.member("class_top_bit", record.cacheFlush)
        json.member("ttl", record.timeToLive.rawValue)
        json.member("rdlength", length)
        json.key("rdata")
        json.beginObject()
        write(record.data)
        json.endObject()
    }

    private mutating func write(_ options: ExtensionOptions) {
        json.member("udp_payload_size", options.udpPayloadSize)
        json.member("extended_rcode", options.extendedResponseCode)
        json.member("version", options.version)
        json.member("flags", options.flags)
        json.key("options")
        json.beginArray()
        for option in options.options {
            json.beginObject()
            json.member("code", option.code)
            json.member("hex", Hexadecimal.text(option.bytes))
            json.endObject()
        }
        json.endArray()
    }

    private mutating func write(_ data: RecordData) {
        switch data {
        case .a(let address): json.member("address") { address.appendText(to: &$0) }
        case .aaaa(let address): json.member("address") { address.appendText(to: &$0) }
        case .ptr(let name), .cname(let name): json.member("target") { name.appendText(to: &$0) }
        case .srv(let location):
            json.member("priority", location.priority)
            json.member("weight", location.weight)
            json.member("port", location.port)
            json.member("target") { location.target.appendText(to: &$0) }
        case .txt(let text):
            json.key("strings")
            json.beginArray()
            for string in text.strings { write(string) }
            json.endArray()
        case .nsec(let next):
            json.member("next_name") { next.nextName.appendText(to: &$0) }
            json.key("types")
            json.beginArray()
            for type in next.types { json.integer(type.rawValue) }
            json.endArray()
        case .hinfo(let host):
            json.key("cpu")
            write(host.processor)
            json.key("os")
            write(host.operatingSystem)
        case .opt: break
        case .unknown(_, let data): json.member("hex", Hexadecimal.text(data))
        }
    }

    /// Bytes: as text where they are UTF-8, else as `{"hex": …}`.
    private mutating func write(_ string: [UInt8]) {
        if let text = String(validating: string, as: UTF8.self) {
            json.string(text)
        } else {
            json.beginObject()
            json.member("hex", Hexadecimal.text(string))
            json.endObject()
        }
    }

    /// Seconds since 1970 with nine places.
    private static func seconds(_ time: CaptureTime) -> String {
        var text: [UInt8] = []
        var seconds = time.seconds
        var nanoseconds = time.nanoseconds
        if seconds < 0 {
            // Whole seconds are rounded down: -4.75 s is held as -5 s and 0.25 s.
            text.append(UInt8(ascii: "-"))
            if nanoseconds > 0 {
                seconds += 1
                nanoseconds = 1_000_000_000 - nanoseconds
            }
        }
        text.append(decimal: seconds.magnitude)
        text.append(UInt8(ascii: "."))
        text.append(decimal: UInt64(nanoseconds), digits: 9)
        return String(decoding: text, as: UTF8.self)
    }
}
