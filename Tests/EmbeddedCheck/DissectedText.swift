import DNSMessages
import NetworkPrimitives
import PacketCapture

/// What an independent dissector read from packets, a line of JSON each, and whether the decoder
/// reads the same.
struct DissectedText {
    private let lines: [ArraySlice<UInt8>]
    /// Whether names stand there as `DomainName` prints them, or their bytes as they are.
    private let namesAreEscaped: Bool
    private var count = 0
    private var recordCount = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var faults: [String] = []

    init(_ text: [UInt8], namesAreEscaped: Bool) {
        lines = text.split(separator: 0x0A)
        self.namesAreEscaped = namesAreEscaped
    }

    /// How much was compared, and a hash of all that the decoder read.
    var summary: String {
        "\(count) messages, \(recordCount) records, hash \(String(hash, radix: 16))"
    }

    /// The faults, when nothing more comes.
    func finish() -> [String] {
        count == lines.count ? faults : faults + ["\(count) messages of \(lines.count)"]
    }

    /// The file that the next line is about, where each is about another.
    var nextFile: String? {
        count < lines.count ? JSONValue(lines[count])?["file"]?.text : nil
    }

    /// What the decoder makes of a message.
    static func text(of message: [UInt8]) -> String {
        var text = DissectedText([], namesAreEscaped: false)
        text.mix(message.span)
        return text.summary
    }

    // MARK: Comparing

    mutating func compare(capture: [UInt8]) {
        var reader = CaptureReader()
        var extraction = DatagramExtraction()
        reader.append(capture)
        reader.finish()
        do throws(CaptureError) {
            while let frame = try reader.next() {
                guard let datagram = extraction.datagram(in: frame) else { continue }
                guard let truth = nextTruth("frame \(datagram.frameNumber)") else { return }
                compare(datagram, with: truth)
            }
        } catch {
            faults.append("the capture is damaged: \(error)")
        }
    }

    mutating func compare(message: [UInt8], _ name: String) {
        guard let truth = nextTruth(name) else { return }
        compare(message.span, isCut: false, with: truth, in: name)
    }

    private mutating func nextTruth(_ place: String) -> JSONValue? {
        guard count < lines.count, let truth = JSONValue(lines[count]) else {
            faults.append("\(place) has no line")
            return nil
        }
        count += 1
        return truth
    }

    private mutating func compare(_ datagram: CapturedDatagram, with truth: JSONValue) {
        let place = "frame \(datagram.frameNumber)"
        expect(truth["frame"], number: datagram.frameNumber, place)
        expect(truth["src"], text: "\(datagram.source.address)", place)
        expect(truth["dst"], text: "\(datagram.destination.address)", place)
        expect(truth["sport"], number: datagram.source.port, place)
        expect(truth["dport"], number: datagram.destination.port, place)
        expect(truth["udp_payload_len"], number: datagram.payload.count, place)
        let damage = compare(
            datagram.payload.span, isCut: datagram.isCut, with: truth, in: place)
        if truth["malformed"] != .boolean(damage) {
            faults.append("\(place): malformed \(damage)")
        }
    }

    /// Compares a message; whether it is malformed.
    @discardableResult
    private mutating func compare(
        _ bytes: Span<UInt8>, isCut: Bool, with truth: JSONValue, in place: String
    ) -> Bool {
        guard let decoded = mix(bytes) else {
            if let id = truth["id"], id != .null { faults.append("\(place) can't be read") }
            return !isCut
        }
        expect(truth["id"], number: decoded.message.header.id, place)
        expect(truth["flags"], number: decoded.message.header.flags, place)
        let counts = MessageSection.allCases.map {
            JSONValue.number("\(decoded.counts[$0])")
        }
        if truth["counts"] != .array(counts) { faults.append("\(place): counts") }
        let items = MessageItem.items(of: decoded)
        let truths = truth["records"]?.elements ?? []
        if items.count != truths.count { faults.append("\(place): \(items.count) records") }
        for (item, truth) in zip(items, truths) {
            if let fault = item.fault(beside: truth, namesAreEscaped: namesAreEscaped) {
                faults.append("\(place), byte \(item.offset): \(fault)")
            }
        }
        return decoded.skipped.contains { !(isCut && $0.endsReading) }
    }

    private mutating func expect(
        _ value: JSONValue?, number: some BinaryInteger & CustomStringConvertible, _ place: String
    ) {
        if value != .number(number.description) { faults.append("\(place): \(number)") }
    }

    private mutating func expect(_ value: JSONValue?, text: String, _ place: String) {
        if value != .string(text) { faults.append("\(place): \(text)") }
    }

    // MARK: All that was read

    /// Decodes a message and adds what it says to the hash; `nil` if it has no header.
    @discardableResult
    private mutating func mix(_ bytes: Span<UInt8>) -> DecodedMessage? {
        let decoded: DecodedMessage
        do throws(MessageDecodingError) {
            decoded = try Message.inspect(bytes)
        } catch {
            mix(error.description)
            return nil
        }
        mix(decoded.message.description)
        mix(decoded.rejectionReason?.description ?? "accepted")
        for item in decoded.skipped { mix("\(item.index) \(item.offset) \(item.reason)") }
        for item in MessageItem.items(of: decoded) {
            mix("\(item.offset) \(item.data)")
            recordCount += 1
        }
        return decoded
    }

    private mutating func mix(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
