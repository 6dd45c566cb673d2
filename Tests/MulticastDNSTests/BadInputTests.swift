import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What a strict decoder refuses, as the engine meets it: counted under the right name, never
/// answered, and the records beside it are used.
@Suite struct BadInputTests {
    /// A damaged message and the counter that it goes under.
    struct Input: Sendable, CustomTestStringConvertible {
        let id: String
        /// The answer section in hexadecimal; the good record goes in front of it.
        let records: String
        /// How many records it says it has, the good one not counted.
        var count: UInt16 = 1

        var testDescription: String { id }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    /// other.local A 192.0.2.2, flush bit, 120 s: 27 bytes at offset 12.
    private static let good = "05 6f74686572 05 6c6f63616c 00 0001 8001 00000078 0004 c0000202"

    private static func response(_ input: Input) -> [UInt8] {
        let count = input.count + 1
        return bytes("0000 8400 0000") + [UInt8(count >> 8), UInt8(count & 0xFF)]
            + bytes("0000 0000" + good + input.records)
    }

    private static let damaged = [
        // Owner names; what stands behind the owner is A 192.0.2.9.
        Input(id: "D-3 a pointer to itself", records: "c027 0001 0001 00000078 0004 c0000209"),
        Input(id: "D-4 a pointer forwards", records: "c040 0001 0001 00000078 0004 c0000209"),
        Input(
            id: "D-4 a pointer into the header", records: "c004 0001 0001 00000078 0004 c0000209"),
        Input(id: "D-4 a pointer past the end", records: "ff00 0001 0001 00000078 0004 c0000209"),
        Input(id: "D-5 a label that runs past the end", records: "3f 6162 0001 0001 00000078"),
        Input(id: "D-5 half a pointer", records: "c0"),
        Input(id: "D-6 label type 01", records: "41 61 00 0001 0001 00000078 0004 c0000209"),
        Input(id: "D-6 label type 10", records: "81 61 00 0001 0001 00000078 0004 c0000209"),
        Input(
            id: "D-7 a name over 255 bytes",
            records: String(repeating: "3f" + String(repeating: "61", count: 63), count: 5)
                + "00 0001 0001 00000078 0004 c0000209"),
        // Data.
        Input(
            id: "D-8 a name that is longer than its data",
            records: "c00c 000c 0001 00000078 0002 0161 00"),
        Input(id: "D-9 data past the end", records: "c00c 0001 0001 00000078 00ff c0000209"),
        Input(id: "D-10 a header cut short", records: "c00c 0001 0001 0000"),
        Input(id: "D-10 nothing where a record is promised", records: "c00c"),
        Input(id: "D-12 A of five bytes", records: "c00c 0001 0001 00000078 0005 c000020900"),
        Input(id: "D-12 AAAA of four bytes", records: "c00c 001c 0001 00000078 0004 c0000209"),
        Input(id: "D-13 SRV of six bytes", records: "c00c 0021 0001 00000078 0006 000000000050"),
        Input(id: "D-13 bytes behind a PTR", records: "c00c 000c 0001 00000078 0003 c00c00"),
        Input(
            id: "D-14 a string past the end", records: "c00c 0010 0001 00000078 0002 0561"),
        Input(
            id: "D-15 NSEC with a block of no length",
            records: "c00c 002f 0001 00000078 0004 c00c0000"),
        Input(id: "D-17 ANY as a record", records: "c00c 00ff 0001 00000078 0004 c0000209"),
        Input(id: "D-17 type 0", records: "c00c 0000 0001 00000078 0004 c0000209"),
        Input(id: "D-19 class 255", records: "c00c 0001 00ff 00000078 0004 c0000209"),
        Input(
            id: "D-19 a lifetime with its top bit", records: "c00c 0001 0001 80000078 0004 c0000209"
        ),
    ]

    @Test("a damaged record is counted, and the one beside it is used", arguments: damaged)
    func damagedRecords(_ input: Input) {
        var harness = EngineHarness()
        harness.establish(World.all)
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .seconds(1))
        harness.clear()
        let bytes = Self.response(input)
        harness.receive(bytes)
        let statistics = harness.engine.statistics
        #expect(statistics.damaged == 1)
        #expect(statistics.skippedRecords == 1)
        #expect(statistics.malformedMessages == 0)
        #expect(harness.added(to: query) == [World.foundAddress])
        // Cut anywhere it is one of these or less, and never more than that.
        for length in 0..<bytes.count { harness.receive(Array(bytes.prefix(length))) }
        let after = harness.engine.statistics
        #expect(after.malformedMessages >= 12)
        #expect(after.malformedMessages + after.damaged + after.responsesReceived >= bytes.count)
        harness.advance(by: .seconds(10))
        #expect(harness.responses.isEmpty)
        #expect(after.conflicts == 0)
    }

    @Test(
        "D-1 D-11 D-16 D-25 what is no message is counted and dropped as a whole",
        arguments: [
            "", "00", "0000 8400 0000 0000 0000 00",
            "0000 8400 ffff ffff ffff ffff", "0000 8400 0000 0100 0000 0000" + good,
            // Two OPT records.
            "0000 8400 0000 0001 0000 0002" + good + "00 0029 05a0 00000000 0000"
                + "00 0029 05a0 00000000 0000",
            // A text, and what phones send to lamps.
            "7b 22 74 79 70 65 22 3a 31 7d", "0aba1000",
        ])
    func noMessages(_ text: String) {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.receive(Self.bytes(text))
        #expect(harness.engine.statistics.malformedMessages == 1)
        #expect(harness.engine.statistics.responsesReceived == 0)
        #expect(harness.added(to: query).isEmpty)
    }

    @Test(
        "D-2 D-25 other operations and failures are counted", arguments: ["8c00", "8403", "2800"])
    func unsupportedOpcodes(_ flags: String) {
        var harness = EngineHarness()
        harness.receive(Self.bytes("0000 \(flags) 0000 0001 0000 0000" + Self.good))
        #expect(harness.engine.statistics.unsupportedOpcodes == 1)
        #expect(harness.engine.statistics.responsesReceived == 0)
        #expect(harness.sent.isEmpty)
    }

    @Test("D-10 A-11 bytes behind the last record are counted, the records used")
    func trailingBytes() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.receive(Self.bytes("0000 8400 0000 0001 0000 0000" + Self.good + "c00c00"))
        #expect(harness.engine.statistics.trailingBytes == 1)
        #expect(harness.added(to: query) == [World.foundAddress])
    }

    @Test("D-24 D-26 D-27 labels of any bytes, and bytes behind a root name, are read as they are")
    func oddLabels() {
        var harness = EngineHarness()
        harness.establish(World.all)
        let odd = ["02 ff00", "03 2e5c2e", "01 00", "00"]
        for label in odd {
            harness.receive(
                Self.bytes(
                    "0000 8400 0000 0001 0000 0000" + label
                        + (label == "00" ? "" : "05 6c6f63616c 00")
                        + "0001 0001 00000078 0004 c0000209"))
        }
        #expect(harness.engine.statistics.unwantedRecords == odd.count)
        #expect(harness.engine.statistics.damaged == 0)
        #expect(harness.engine.statistics.conflicts == 0)
        harness.advance(by: .seconds(5))
        #expect(harness.sent.isEmpty)
    }
}
