import DNSMessages
import NetworkPrimitives
import Testing

/// Rows D-3 to D-8 of the rules for refusing: names.
///
/// Each vector has a good record in bytes 12 to 36, the faulty one from byte 37 (0x25) on, and a
/// good one after it.
@Suite struct MalformedNameTests {
    private func around(_ bytes: String) -> [UInt8] {
        responseHeader(0, 3) + goodRecord("1before") + wire(bytes) + goodRecord("2behind")
    }
    private let both = ["1before.x", "2behind.x"]
    /// Type A, class IN, 120 s, an address.
    private let a = "0001 0001 00000078 0004 C0000201"
    /// Type PTR, class IN, 120 s; RDLENGTH and data to follow.
    private let ptr = "000C 0001 00000078"

    @Test(
        "D-3 a pointer to itself, or back into its own name, costs one record",
        arguments: ["C025", "0161 C025", "0161 0162 C027"])
    func circle(owner: String) throws {
        try expectDecoding(
            around(owner + a), keeps: both, skips: [Skip(.answer, 1, .pointerNotBackwards)])
    }

    @Test("D-3 two pointers to each other cost the two records they are in")
    func mutual() throws {
        // The data of the record at 37 is at 37 + 3 + 10 = 50 (0x32) and points to 52 (0x34),
        // the owner of the next, which points back.
        let bytes =
            responseHeader(0, 4) + goodRecord("1before")
            + wire("0161 00" + ptr + "0002 C034" + "C032" + a) + goodRecord("2behind")
        try expectDecoding(
            bytes, keeps: both,
            skips: [
                Skip(.answer, 1, .pointerNotBackwards), Skip(.answer, 2, .pointerNotBackwards),
            ])
    }

    @Test("D-3 a chain that returns costs one record")
    func chain() throws {
        // Owner: label, then back to the data before it, which leads back again to the owner.
        let bytes =
            responseHeader(0, 4) + goodRecord("1before")
            + wire("0161 00 03E7 0001 00000078 0004 0162 C036" + "0163 C032" + a)
            + goodRecord("2behind")
        try expectDecoding(
            bytes, keeps: ["1before.x", "a", "2behind.x"],
            skips: [Skip(.answer, 2, .pointerNotBackwards)])
    }

    @Test(
        "D-3 in a question the question is lost, those around it are kept",
        arguments: ["C015", "0161 C015", "C000", "FFFF"])
    func question(bytes: String) throws {
        // The first question takes bytes 12 to 20 (0x14).
        let message =
            [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]
            + wire("\"abc\" 0001 0001" + bytes + "000C 0001" + "\"def\" 0001 8001")
        try expectDecoding(
            message, keeps: ["abc", "def"], skips: [Skip(.question, 1, .pointerNotBackwards)])
    }

    @Test(
        "D-4 a pointer forward, beyond the end, or into the header costs one record",
        arguments: ["C027", "C040", "FFFF", "C03B", "C000", "C00B", "0161 C002"])
    func elsewhere(owner: String) throws {
        try expectDecoding(
            around(owner + a), keeps: both, skips: [Skip(.answer, 1, .pointerNotBackwards)])
    }

    @Test(
        "D-4 in data the same",
        arguments: ["0002 C030", "0002 C031", "0002 C004", "0002 FFFE", "0004 0161 C030"])
    func elsewhereInData(data: String) throws {
        // The owner is the root: data at 37 + 1 + 10 = 48 (0x30).
        try expectDecoding(
            around("00" + ptr + data), keeps: both,
            skips: [Skip(.answer, 1, .pointerNotBackwards)])
    }

    @Test("D-4 the first byte behind the header can be pointed to")
    func firstByte() throws {
        try expectDecoding(
            around("C00C" + a), keeps: ["1before.x", "1before.x", "2behind.x"], skips: [])
        try expectDecoding(
            around("0161 C014" + a), keeps: ["1before.x", "a.x", "2behind.x"], skips: [])
    }

    @Test(
        "D-5 a label past the end, or half a pointer, in an owner name: the rest is lost",
        arguments: ["3F61", "0161 C0", "C0", "0161", "0161 0361 62"])
    func cutOwner(owner: String) throws {
        let bytes = responseHeader(0, 2) + goodRecord("1before") + wire(owner)
        try expectDecoding(
            bytes, keeps: ["1before.x"], skips: [Skip(.answer, 1, .nameCut, ends: true)])
    }

    @Test(
        "D-5 in a question the same; those before it are kept",
        arguments: ["3F61", "0161 C0", "0161"])
    func cutQuestion(owner: String) throws {
        let bytes = [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + wire("\"abc\" 00FF 0001" + owner)
        try expectDecoding(
            bytes, keeps: ["abc"], skips: [Skip(.question, 1, .nameCut, ends: true)])
    }

    @Test(
        "D-5 in data only that record is lost",
        arguments: ["0002 3F61", "0001 C0", "0003 0161 C0", "0002 0161"])
    func cutData(data: String) throws {
        try expectDecoding(
            around("00" + ptr + data), keeps: both, skips: [Skip(.answer, 1, .nameLeavesData)])
    }

    @Test("D-5 a label past the end behind a pointer: the end is known, one record is lost")
    func cutBehindPointer() throws {
        // Points to the last address byte of the record before, made a length of 63.
        var bytes = around("C024" + a)
        bytes[36] = 63
        try expectDecoding(bytes, keeps: both, skips: [Skip(.answer, 1, .nameCut)])
    }

    @Test(
        "D-6 label types 01 and 10 in an owner name: the rest is lost",
        arguments: ["40", "41 08 FF", "80", "BF", "0161 7F"])
    func labelTypeInOwner(owner: String) throws {
        try expectDecoding(
            around(owner + "00" + a), keeps: ["1before.x"],
            skips: [Skip(.answer, 1, .labelType, ends: true)])
    }

    @Test("D-6 in a question the same")
    func labelTypeInQuestion() throws {
        let bytes =
            [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]
            + wire("\"abc\" 00FF 0001 4161 00 00FF 0001 \"def\" 00FF 0001")
        try expectDecoding(
            bytes, keeps: ["abc"], skips: [Skip(.question, 1, .labelType, ends: true)])
    }

    @Test(
        "D-6 in data only that record is lost",
        arguments: ["0002 4100", "0001 80", "0004 0161 4100"])
    func labelTypeInData(data: String) throws {
        try expectDecoding(
            around("00" + ptr + data), keeps: both, skips: [Skip(.answer, 1, .labelType)])
    }

    @Test("D-7 a name of 256 bytes before its zero costs one record, one of 255 is kept")
    func tooLong() throws {
        let label = String(repeating: "61", count: 63)
        let three = String(repeating: "3F" + label, count: 3)
        let longest = three + "3E" + String(repeating: "62", count: 62) + "00"
        let a63 = String(repeating: "a", count: 63)
        let longestText = [a63, a63, a63, String(repeating: "b", count: 62)]
            .joined(separator: ".")
        try expectDecoding(
            around(longest + a),
            keeps: ["1before.x", longestText, "2behind.x"],
            skips: [])
        for tooLong in [
            three + "3F" + label + "00",  // 256 by labels
            three + "3F" + label + "3F" + label + "0161 00",  // more
            three + "3F" + label + "C00C",  // its end is a pointer
        ] {
            try expectDecoding(
                around(tooLong + a), keeps: both, skips: [Skip(.answer, 1, .nameTooLong)])
        }
        // 250 bytes, and a pointer to `1before.x`.
        let behindPointer = three + "39" + String(repeating: "62", count: 57) + "C00C"
        try expectDecoding(
            around(behindPointer + a), keeps: both, skips: [Skip(.answer, 1, .nameTooLong)])
        // 253 bytes, and a pointer to `x`.
        let justFits = three + "3C" + String(repeating: "62", count: 60) + "C014"
        #expect(try Message.decode(around(justFits + a)).skipped.isEmpty)
    }

    @Test("D-7 a name too long whose end can't be found: the rest is lost")
    func tooLongWithoutEnd() throws {
        let four = String(repeating: "3F" + String(repeating: "61", count: 63), count: 4)
        for end in ["41", "80", "3F61", "C0"] {
            let bytes = responseHeader(0, 3) + goodRecord("1before") + wire(four + "0161" + end)
            try expectDecoding(
                bytes, keeps: ["1before.x"],
                skips: [Skip(.answer, 1, .nameTooLong, ends: true)])
        }
    }

    @Test("D-7 many pointers that make a long name cost no more than their records")
    func bomb() throws {
        // Each record's owner: one label, and a pointer to the owner before it.
        var bytes = responseHeader(0, 200)
        var last: Int?
        for _ in 0..<200 {
            let at = bytes.count
            bytes += [7] + Array("abcdefg".utf8)
            bytes += last.map { [0xC0 | UInt8($0 >> 8), UInt8($0 & 255)] } ?? [0]
            bytes += wire(a)
            last = at
        }
        let decoded = try Message.decode(bytes)
        // 31 labels of 8 bytes make 248; every name after that is too long.
        #expect(decoded.message.answers.map(\.name.byteCount) == (1...31).map { $0 * 8 })
        #expect(decoded.skipped.count == 169)
        #expect(decoded.skipped.allSatisfy { $0.reason == .nameTooLong && !$0.endsReading })
    }

    @Test("D-7 at most 128 jumps")
    func jumps() throws {
        // The data of a record of unknown type is the root and a ladder of pointers, each to the
        // one before; the owner of the next record points to the last.
        func message(rungs: Int) -> [UInt8] {
            let length = 2 + 2 * rungs
            var bytes = responseHeader(0, 2) + wire("00 03E7 0001 00000078")
            bytes += [UInt8(length >> 8), UInt8(length & 255), 0, 0]
            for _ in 0...rungs {
                let target = bytes.count - 2
                bytes += [0xC0 | UInt8(target >> 8), UInt8(target & 255)]
            }
            return bytes + wire(a)
        }
        try expectDecoding(message(rungs: 127), keeps: [".", "."], skips: [])
        try expectDecoding(
            message(rungs: 128), keeps: ["."], skips: [Skip(.answer, 1, .tooManyPointers)])
    }

    @Test("D-7 the jumps behind a name that was read before count for those that lead to it")
    func jumpsThroughKnownName() throws {
        // `a` with a pointer to a ladder of 100; then a ladder from that name on, and an owner
        // that points to its last rung.
        func message(rungs: Int) -> [UInt8] {
            func ladder(_ bytes: inout [UInt8], from first: Int?, rungs: Int) {
                let length = 1 + 2 * rungs
                bytes += wire("00 03E7 0001 00000078") + [0, UInt8(length), 0]
                var target = first ?? bytes.count - 1
                for _ in 0..<rungs {
                    bytes += [0xC0 | UInt8(target >> 8), UInt8(target & 255)]
                    target = bytes.count - 2
                }
            }
            var bytes = responseHeader(0, 4)
            ladder(&bytes, from: nil, rungs: 100)
            let known = bytes.count
            bytes += [1, 0x61, 0xC0 | UInt8((known - 2) >> 8), UInt8((known - 2) & 255)] + wire(a)
            ladder(&bytes, from: known, rungs: rungs)
            let last = bytes.count - 2
            return bytes + [0xC0 | UInt8(last >> 8), UInt8(last & 255)] + wire(a)
        }
        try expectDecoding(message(rungs: 26), keeps: [".", "a", ".", "a"], skips: [])
        try expectDecoding(
            message(rungs: 27), keeps: [".", "a", "."],
            skips: [Skip(.answer, 3, .tooManyPointers)])
    }

    @Test(
        "D-8 a name that runs beyond RDLENGTH, though inside the message, costs one record",
        arguments: [
            "0003 0461 62",  // the label's end is behind
            "0002 0161",  // the zero is behind
            "0001 03",
            "0000",  // no byte at all
        ])
    func beyondData(data: String) throws {
        try expectDecoding(
            around("00" + ptr + data), keeps: both, skips: [Skip(.answer, 1, .nameLeavesData)])
    }
}
