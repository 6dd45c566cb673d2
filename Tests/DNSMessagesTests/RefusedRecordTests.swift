import DNSMessages
import Testing

@Suite struct RefusedRecordTests {
    /// A response with an A of three bytes and one of four.
    static let message: [UInt8] =
        [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0]
        + [1, 0x61, 0, 0, 1, 0x80, 1, 0x80, 0, 0, 1, 0, 3, 7, 8, 9]
        + [1, 0x62, 0, 0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, 192, 0, 2, 1]

    @Test("Inspecting tells what a refused record says, decoding does not")
    func refused() throws {
        let shown = try Message.inspect(Self.message)
        let record = try #require(shown.refused.first)
        #expect(shown.refused.count == 1)
        #expect(record.section == .answer)
        #expect(record.offset == 12)
        #expect(record.name.description == "a")
        #expect(record.type == .a)
        #expect(record.classBits == 0x8001)
        #expect(record.timeToLive == 0x8000_0001)
        #expect(record.data == [7, 8, 9])
        #expect(shown.message.answers.map(\.name.description) == ["b"])
        #expect(try Message.decode(Self.message).refused.isEmpty)
    }

    @Test("Positions are those of what was kept, also behind what was skipped")
    func positions() throws {
        #expect(try Message.decode(Self.message).positions.map(\.offset) == [28])
        // A question whose name points to itself, a good one, a record refused for its class, a
        // good one, and one that is cut.
        let bytes =
            [0, 0, 0x84, 0, 0, 2, 0, 2, 0, 0, 0, 1]
            + wire("C00C 0001 0001" + "0171 00 000C 0001")
            + wire("0161 00 0001 0003 00000078 0004 C0000201")
            + wire("C012 0001 0001 00000078 0004 C0000201" + "C012 0001")
        let decoded = try Message.decode(bytes)
        #expect(decoded.skipped.map(\.offset) == [12, 25, 58])
        #expect(decoded.positions.map(\.offset) == [18, 42])
        #expect(decoded.positions.map(\.section) == [.question, .answer])
        #expect(decoded.positions.map(\.dataLength) == [0, 4])
    }
}
