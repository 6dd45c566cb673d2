import DNSMessages

/// Puts questions and known answers into as few packets as they take (RFC 6762 §7.2).
enum QueryAssembly {
    /// The first packets hold the questions. Known answers fill up the last of them; what does
    /// not fit follows in packets without a question, all but the last of them with TC set.
    static func packets(
        _ questions: [Question], known: [ResourceRecord], limit: Int
    ) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var encoder = MessageEncoder(header: .query, limit: limit)
        var first = 0
        for (index, question) in questions.enumerated() where !encoder.append(question) {
            // Known answers belong to the packet with their question, so a packet that is full
            // of questions goes with those of its own.
            let own = questions[first..<index]
            finish(&encoder, answering: own, known, limit, into: &packets)
            first = index
            encoder = MessageEncoder(header: .query, limit: limit)
            _ = encoder.append(question)
        }
        finish(&encoder, answering: questions[first...], known, limit, into: &packets)
        return packets
    }

    private static func finish(
        _ encoder: inout MessageEncoder, answering questions: ArraySlice<Question>,
        _ known: [ResourceRecord], _ limit: Int, into packets: inout [[UInt8]]
    ) {
        for record in known where questions.contains(where: { $0.matches(record) }) {
            if encoder.append(record, to: .answer) { continue }
            // On all but the last of them (M7-8, M7-10).
            encoder.header.isTruncated = true
            packets.append(encoder.finish())
            encoder = MessageEncoder(header: .query, limit: limit)
            // Further packets have no question (M7-9). A record that fits no packet is left
            // out: at worst it is answered once more.
            _ = encoder.append(record, to: .answer)
        }
        packets.append(encoder.finish())
    }
}
