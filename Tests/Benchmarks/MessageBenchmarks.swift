import DNSMessages

/// Decoding and encoding all messages of a corpus, over and over, on one thread.
enum MessageBenchmarks {
    /// Decodes into owned messages for so many seconds.
    static func decode(_ corpus: Corpus, seconds: Double) -> String {
        var accepted = 0
        var records = 0
        for bytes in corpus.messages {
            guard let decoded = try? Message.decode(bytes) else { continue }
            accepted += 1
            records += recordCount(decoded.message)
        }
        let rate = rounds(seconds: seconds) { decodeRound(corpus.messages) }
        return line("decode", corpus, rate, "accepted=\(accepted)/\(corpus.messages.count)")
            + " records=\(records)"
    }

    /// Encodes the corpus' messages for so many seconds.
    static func encode(_ corpus: Corpus, seconds: Double) -> String {
        let messages = corpus.messages.compactMap { try? Message.decode($0).message }
        let encoded = messages.compactMap { try? $0.encoded(limit: 65_535).count }
        let rate = rounds(seconds: seconds) { encodeRound(messages) }
        return line("encode", corpus, rate, "written=\(encoded.count)/\(messages.count)")
            + " bytes=\(encoded.reduce(0, +))"
    }

    /// Runs a fixed number of rounds, for tools that count what a round costs.
    static func repeated(_ what: String, _ corpus: Corpus, rounds: Int) -> String {
        var total = 0
        if what == "encode" {
            let messages = corpus.messages.compactMap { try? Message.decode($0).message }
            for _ in 0..<rounds { total += encodeRound(messages) }
        } else {
            for _ in 0..<rounds { total += decodeRound(corpus.messages) }
        }
        return "\(what) rounds=\(rounds) messages=\(corpus.messages.count) total=\(total)"
    }

    @inline(never)
    private static func decodeRound(_ messages: [[UInt8]]) -> Int {
        var total = 0
        for bytes in messages {
            guard let decoded = try? Message.decode(bytes) else { continue }
            total += recordCount(decoded.message)
        }
        return total
    }

    @inline(never)
    private static func encodeRound(_ messages: [Message]) -> Int {
        var total = 0
        for message in messages {
            guard let bytes = try? message.encoded(limit: 65_535) else { continue }
            total += bytes.count
        }
        return total
    }

    private static func recordCount(_ message: Message) -> Int {
        message.answers.count + message.authorities.count + message.additionals.count
    }

    /// Rounds a second.
    private static func rounds(seconds: Double, _ round: () -> Int) -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        var total = 0
        while start.duration(to: clock.now) < .seconds(seconds) {
            total += round()
            count += 1
        }
        precondition(total > 0, "nothing was decoded or encoded")
        return Double(count) / (start.duration(to: clock.now) / .seconds(1))
    }

    private static func line(
        _ what: String, _ corpus: Corpus, _ rate: Double, _ rest: String
    ) -> String {
        let messages = Int(rate * Double(corpus.messages.count))
        let megabytes = (rate * Double(corpus.byteCount) / 1e5).rounded() / 10
        return "vicinity-\(what) messages/s=\(messages) MB/s=\(megabytes) \(rest)"
    }
}
