import DNSMessages
import PacketCapture

/// A message as it was read, or why it was not.
struct ReadMessage: Sendable {
    enum Outcome: Sendable {
        /// It was read, perhaps in part.
        case read(DecodedMessage)
        /// There is not even a header.
        case unreadable(MessageDecodingError)
    }

    let outcome: Outcome
    /// Whether the snap length cut the packet.
    let isCut: Bool

    /// Reads a message to show it.
    init(_ bytes: Span<UInt8>, isCut: Bool = false) {
        self.isCut = isCut
        do throws(MessageDecodingError) {
            outcome = .read(try Message.inspect(bytes))
        } catch {
            outcome = .unreadable(error)
        }
    }

    /// What is wrong with it, in one line with the place; `nil` for a sound message.
    var damage: String? {
        switch outcome {
        case .unreadable(let error): return "\(error) (at byte 0)"
        case .read(let decoded):
            guard let first = decoded.skipped.first else { return nil }
            return "\(DecodeNames.section(first.section)) \(first.index + 1): \(first.reason) "
                + "(at byte \(first.offset))"
        }
    }
}

extension CapturedDatagram {
    /// Whether the UDP header's length is not that of the payload that is there.
    var hasOddLengthField: Bool { Int(lengthField) != payload.count + 8 }
}

/// A capture on its way from bytes to text or JSON.
struct CaptureDecoding: Sendable {
    private var reader = CaptureReader()
    private var extraction = DatagramExtraction()
    private var text = DecodeText()
    private var json = DecodeJSON()
    private let isJSON: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// What was met so far.
    var statistics: DatagramExtraction.Statistics { extraction.statistics }

    /// Takes the next bytes of the file and shows the packets that end in them.
    ///
    /// - Throws: `CaptureError`, when the packets before the damage were shown.
    mutating func append(_ bytes: [UInt8]) throws(CaptureError) {
        reader.append(bytes)
        try drain()
    }

    /// Ends the file.
    ///
    /// - Throws: `CaptureError`, when the packets before the damage were shown.
    mutating func finish() throws(CaptureError) {
        reader.finish()
        try drain()
        extraction.finish()
    }

    /// Hands what was written since to `body`, whole lines always.
    mutating func withOutput<E: Error>(_ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
        if isJSON {
            try body(json.json.bytes.span)
            json.json.bytes.removeAll(keepingCapacity: true)
        } else {
            try body(text.bytes.span)
            text.bytes.removeAll(keepingCapacity: true)
        }
    }

    private mutating func drain() throws(CaptureError) {
        while let frame = try reader.next() {
            guard let datagram = extraction.datagram(in: frame) else { continue }
            let message = ReadMessage(datagram.payload.span, isCut: datagram.isCut)
            if isJSON {
                json.write(datagram, message)
            } else {
                text.write(datagram, message)
            }
        }
    }
}
