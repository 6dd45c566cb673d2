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
}
