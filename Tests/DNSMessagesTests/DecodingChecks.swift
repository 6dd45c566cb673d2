import DNSMessages
import NetworkPrimitives
import Testing

/// A good record of 25 bytes, `NAME.x 120 IN A 192.0.2.1`, where NAME has seven letters.
func goodRecord(_ name: String) -> [UInt8] {
    wire("\"\(name).x\" 0001 0001 00000078 0004 C0000201")
}

/// What one left-out item should be reported as.
struct Skip: Equatable, CustomStringConvertible {
    var section: MessageSection
    var index: Int
    var reason: SkippedItem.Reason
    var endsReading = false

    init(
        _ section: MessageSection, _ index: Int, _ reason: SkippedItem.Reason, ends: Bool = false
    ) {
        self.section = section
        self.index = index
        self.reason = reason
        endsReading = ends
    }

    init(_ item: SkippedItem) {
        self.init(item.section, item.index, item.reason, ends: item.endsReading)
    }

    var description: String {
        "\(section) \(index): \(reason)\(endsReading ? ", the end" : "")"
    }
}

/// Decodes and compares what was kept (names of questions and records in order) and skipped;
/// then cuts the bytes at every position.
@discardableResult
func expectDecoding(
    _ bytes: [UInt8], keeps: [String], skips: [Skip],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> DecodedMessage {
    let decoded = try Message.decode(bytes)
    #expect(decoded.keptNames == keeps, sourceLocation: sourceLocation)
    #expect(decoded.skipped.map(Skip.init) == skips, sourceLocation: sourceLocation)
    expectCutsSurvived(bytes, sourceLocation: sourceLocation)
    return decoded
}

/// Cut anywhere, a message never crashes the decoder, keeps every item that ends before the cut,
/// and invents none.
func expectCutsSurvived(
    _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let whole = try? Message.inspect(bytes) else { return }
    let starts = whole.positions.map(\.offset)
    for count in 0..<bytes.count {
        let cut = Array(bytes[..<count])
        guard let decoded = try? Message.inspect(cut) else {
            #expect(count < 12, sourceLocation: sourceLocation)
            continue
        }
        // An item ends no later than where the next one begins.
        let certain = zip(starts, starts.dropFirst()).filter { $0.1 <= count }.count
        #expect(decoded.positions.count >= certain, sourceLocation: sourceLocation)
        #expect(
            decoded.positions.elementsEqual(whole.positions.prefix(decoded.positions.count)),
            sourceLocation: sourceLocation)
        #expect(
            decoded.keptItems.elementsEqual(
                whole.keptItems.prefix(decoded.positions.count)),
            "cut at \(count)", sourceLocation: sourceLocation)
        // The strict door differs in nothing but that it may be shut.
        if let strict = try? Message.decode(cut) {
            #expect(strict.message == decoded.message, sourceLocation: sourceLocation)
            #expect(decoded.rejectionReason == nil, sourceLocation: sourceLocation)
        } else {
            #expect(decoded.rejectionReason != nil, sourceLocation: sourceLocation)
        }
    }
}

extension DecodedMessage {
    /// The names of all kept questions and records in the order of the wire.
    var keptNames: [String] {
        (message.questions.map(\.name) + message.allRecords.map(\.name)).map(\.description)
    }

    /// All kept questions and records in the order of the wire, as text.
    var keptItems: [String] {
        message.questions.map(\.description) + message.allRecords.map(\.description)
    }
}

extension Message {
    var allRecords: [ResourceRecord] { answers + authorities + additionals }
}
