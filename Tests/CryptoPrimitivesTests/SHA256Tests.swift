import CryptoPrimitives
import NetworkPrimitives
import TestSupport
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    @Test func shortMessagesOfNIST() throws {
        try check(Vectors.records("Crypto/SHA256ShortMsg.rsp"), count: 65)
    }

    @Test(.shared("vectors"))
    func longMessagesOfNIST() throws {
        try check(Vectors.records(path: Vectors.shared("nist/SHA256LongMsg.rsp")), count: 64)
    }

    private func check(_ records: [[String: String]], count: Int) throws {
        let records = records.filter { $0["Len"] != nil }
        #expect(records.count == count)
        for record in records {
            let bits = try #require(record["Len"].flatMap { Int($0) })
            let message = try record.bytes("Msg").prefix(bits / 8)
            #expect(SHA256.hash(Array(message).span) == (try record.bytes("MD")), "\(bits) bits")
        }
    }

    /// Each of the hundred checkpoints is a thousand digests of the three digests before.
    @Test(.shared("vectors"))
    func monteCarloOfNIST() throws {
        let records = try Vectors.records(path: Vectors.shared("nist/SHA256Monte.rsp"))
        let first = try #require(records.first { $0["Seed"] != nil })
        var seed = try first.bytes("Seed")
        let checkpoints = records.filter { $0["COUNT"] != nil }
        #expect(checkpoints.count == 100)
        for record in checkpoints {
            var last = [seed, seed, seed]
            for _ in 0..<1_000 {
                last.append(SHA256.hash(Array(last.joined()).span))
                last.removeFirst()
            }
            seed = last[2]
            #expect(seed == (try record.bytes("MD")))
        }
    }

    @Test func piecesGiveTheSameDigest() {
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = SHA256.hash(message.span)
        for first in 0...130 {
            for second in [0, 1, 63, 64, 65] {
                var hash = SHA256()
                hash.update(message.span.extracting(0..<first))
                hash.update(message.span.extracting(first..<first + second))
                hash.update(message.span.extracting(droppingFirst: first + second))
                #expect(hash.finish() == whole, "\(first), \(second)")
            }
        }
    }

    @Test func aCopyGoesOnByItself() {
        var first = SHA256()
        first.update([1, 2].span)
        var second = first
        second.update([3].span)
        #expect(first.finish() == SHA256.hash([1, 2].span))
        #expect(second.finish() == SHA256.hash([1, 2, 3].span))
    }
}
