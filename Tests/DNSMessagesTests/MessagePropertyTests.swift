import DNSMessages
import NetworkPrimitives
import Testing

/// Messages by chance: whatever an encoder writes, a decoder reads, with nothing left out.
@Suite struct MessagePropertyTests {
    /// What a random message is made from: few labels, so that names share suffixes.
    private struct Source {
        var generator: SeededGenerator

        mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
        mutating func word() -> UInt16 { UInt16.random(in: .min ... .max, using: &generator) }
        mutating func flip() -> Bool { Bool.random(using: &generator) }
        mutating func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: range, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
        }

        mutating func name() throws -> DomainName {
            let common = ["local", "_tcp", "_ipp", "a", "A", "x", "printer", "_sub", "local"]
            var labels: [Label] = []
            for _ in 0..<below(6) {
                labels.append(
                    below(8) == 0 ? try Label(bytes(1...63)) : try Label(common[below(9)]))
            }
            while labels.map({ $0.bytes.count + 1 }).reduce(0, +) > 255 { labels.removeLast() }
            return try DomainName(labels: labels)
        }

        mutating func data() throws -> RecordData {
            switch below(11) {
            case 0:
                return .a(IPv4Address(rawValue: UInt32.random(in: 0...(.max), using: &generator)))
            case 1: return .aaaa(IPv6Address(high: generator.next(), low: generator.next()))
            case 2: return .ptr(try name())
            case 3: return .cname(try name())
            case 4:
                return .srv(
                    ServiceLocation(
                        target: try name(), port: word(), priority: word(), weight: word()))
            case 5:
                let count = below(4)
                return .txt(
                    try #require(TextStrings((0..<count).map { _ in bytes(0...255) })))
            case 6:
                let types = (0...below(5)).map { _ in RecordType(rawValue: 1 + word() % 1000) }
                return .nsec(NextSecure(nextName: try name(), types: types + [.a]))
            case 7:
                return .hinfo(
                    try #require(
                        HostInformation(
                            processor: bytes(0...255), operatingSystem: bytes(0...9))))
            case 8: return .unknown(RecordType(rawValue: 1000 + word() / 2), bytes(0...300))
            case 9:
                return .unknown(
                    RecordType(rawValue: 15), bytes(2...2) + (try name().wireBytes) + [0])
            default:
                return .unknown(
                    .soa,
                    (try name().wireBytes) + [0] + (try name().wireBytes) + [0]
                        + bytes(20...20))
            }
        }

        mutating func records(_ most: Int) throws -> [ResourceRecord] {
            var records: [ResourceRecord] = []
            for _ in 0..<below(most) {
                let flush = flip()
                records.append(
                    ResourceRecord(
                        try name(), try data(),
                        timeToLive: .seconds(UInt32.random(in: 0...0x7FFF_FFFF, using: &generator)),
                        cacheFlush: flush))
            }
            return records
        }

        mutating func message() throws -> Message {
            var message = Message(header: MessageHeader(id: word(), flags: word() & 0x87F0))
            for _ in 0..<below(5) {
                message.questions.append(
                    Question(
                        try name(), RecordType(rawValue: word()),
                        recordClass: RecordClass(rawValue: word()), prefersUnicast: flip()))
            }
            message.answers = try records(6)
            message.authorities = try records(3)
            message.additionals = try records(5)
            if flip() {
                let options = (0..<below(3)).map { _ in
                    ExtensionOptions.Option(code: word(), bytes: bytes(0...20))
                }
                message.additionals.append(
                    ResourceRecord(
                        ExtensionOptions(
                            udpPayloadSize: word(), version: UInt8(below(3)), flags: word(),
                            options: options)))
            }
            return message
        }
    }

    @Test("every message comes back as it was, with nothing left out", arguments: 0..<40)
    func roundTrip(seed: UInt64) throws {
        var source = Source(generator: SeededGenerator(seed: seed))
        for _ in 0..<50 {
            let message = try source.message()
            let bytes = try message.encoded(limit: 60_000)
            let decoded = try Message.decode(bytes)
            #expect(decoded.message == message, "seed \(seed)")
            #expect(decoded.message.description == message.description, "seed \(seed)")
            #expect(decoded.skipped.isEmpty, "seed \(seed)")
            #expect(decoded.trailingByteCount == 0, "seed \(seed)")
            #expect(decoded.positions.count == decoded.counts.total, "seed \(seed)")
        }
    }

    @Test("a name is written up to the longest suffix that stands before it", arguments: 0..<10)
    func compression(seed: UInt64) throws {
        var source = Source(generator: SeededGenerator(seed: 2000 + seed))
        // Enough of them to go beyond what a pointer reaches.
        let names = try (0..<1500).map { _ in try source.name() }
        let bytes = try Message(header: .query, questions: names.map { Question($0, .ptr) })
            .encoded(limit: 60_000)
        var expected = Array(bytes[..<12])
        var places: [[UInt8]: Int] = [:]
        for name in names {
            var suffix = name.wireBytes
            while let length = suffix.first, places[suffix] == nil {
                if expected.count <= 0x3FFF { places[suffix] = expected.count }
                expected += suffix.prefix(1 + Int(length))
                suffix.removeFirst(1 + Int(length))
            }
            let place = places[suffix]
            expected += place.map { [UInt8(0xC0 | $0 >> 8), UInt8($0 & 0xFF)] } ?? [0]
            expected += [0, 12, 0, 1]
        }
        #expect(bytes.count > 0x4000)
        #expect(bytes == expected, "seed \(seed)")
    }

    @Test("up to any limit, what is written is what was said to fit", arguments: 0..<20)
    func limits(seed: UInt64) throws {
        var source = Source(generator: SeededGenerator(seed: 1000 + seed))
        for _ in 0..<20 {
            let message = try source.message()
            let limit = 12 + source.below(700)
            var encoder = MessageEncoder(
                header: message.header, limit: limit, compressesServiceTargets: source.flip())
            var kept = Message(header: message.header)
            for question in message.questions where encoder.append(question) {
                kept.questions.append(question)
            }
            for record in message.answers where encoder.append(record, to: .answer) {
                kept.answers.append(record)
            }
            for record in message.authorities where encoder.append(record, to: .authority) {
                kept.authorities.append(record)
            }
            for record in message.additionals where encoder.append(record, to: .additional) {
                kept.additionals.append(record)
            }
            let count = encoder.byteCount
            let bytes = encoder.finish()
            #expect(bytes.count == count && count <= limit, "seed \(seed)")
            let decoded = try Message.decode(bytes)
            #expect(decoded.message == kept, "seed \(seed)")
            #expect(decoded.skipped.isEmpty, "seed \(seed)")
        }
    }

    @Test("any change of any byte leaves a message that can be judged", arguments: 0..<20)
    func damage(seed: UInt64) throws {
        var source = Source(generator: SeededGenerator(seed: 2000 + seed))
        for _ in 0..<10 {
            let whole = try source.message().encoded(limit: 60_000)
            for _ in 0..<50 {
                var bytes = whole
                for _ in 0...source.below(4) {
                    bytes[source.below(bytes.count)] = UInt8(source.below(256))
                }
                guard let decoded = try? Message.inspect(bytes) else { continue }
                // What was kept can be sent on, and comes back.
                let again = try Message.inspect(decoded.message.encoded(limit: 65_535))
                #expect(again.message == decoded.message, "seed \(seed)")
                #expect(again.skipped.isEmpty, "seed \(seed)")
            }
        }
    }
}
