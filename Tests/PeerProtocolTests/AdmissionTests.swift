import NetworkPrimitives
import PeerProtocol
import Testing

private func time(_ milliseconds: Int64) -> Instant {
    .zero.advanced(by: .milliseconds(milliseconds))
}

private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

@Suite("Places for connections before trust")
struct AdmissionTableTests {
    @Test(arguments: ["192.0.2.7", "2001:db8::7"])
    func theOldestOfAnAddressGoes(_ text: String) throws {
        var table = AdmissionTable(now: time(0))
        let other = table.admit(from: try address("198.51.100.1"), now: time(0))
        let source = try address(text)
        let first = (0..<4).map { _ in table.admit(from: source, now: time(1)) }
        #expect(first.allSatisfy { $0.evicted == nil })
        let fifth = table.admit(from: try address(text), now: time(2))
        #expect(fifth.evicted == first[0].ticket)
        let sixth = table.admit(from: try address(text), now: time(2))
        #expect(sixth.evicted == first[1].ticket)
        #expect(table.count == 5)
        #expect(table.evictedCount == 2)
        table.remove(other.ticket)
        #expect(table.count == 4)
    }

    @Test func aNetworkOfIPv6HasSixteen() throws {
        var table = AdmissionTable(now: time(0))
        var tickets: [AdmissionTable.Ticket] = []
        for number in 0..<16 {
            let admission = table.admit(from: try address("fe80::\(number + 1)"), now: time(0))
            #expect(admission.evicted == nil)
            tickets.append(admission.ticket)
        }
        let next = table.admit(from: try address("fe80::ffff"), now: time(1))
        #expect(next.evicted == tickets[0])
        #expect(table.admit(from: try address("2001:db8::1"), now: time(1)).evicted == nil)
        // IPv4 has no such limit: neighbours are different hosts.
        for number in 1...20 {
            let admission = table.admit(from: try address("192.0.2.\(number)"), now: time(1))
            #expect(admission.evicted == nil)
        }
    }

    @Test func whenAllAreTakenTheOldestGoes() throws {
        var table = AdmissionTable(now: time(0))
        let first = table.admit(from: try address("192.0.2.1"), now: time(0))
        for number in 2...64 {
            _ = table.admit(from: try address("192.0.2.\(number)"), now: time(Int64(number)))
        }
        #expect(table.count == 64)
        let newcomer = table.admit(from: try address("192.0.2.200"), now: time(99))
        #expect(newcomer.evicted == first.ticket)
        #expect(table.count == 64)
    }

    @Test func loopbackAndTrustedAddressesCountInTotalOnly() throws {
        var table = AdmissionTable(now: time(0))
        for _ in 0..<32 {
            #expect(table.admit(from: try address("127.0.0.1"), now: time(0)).evicted == nil)
            let trusted = table.admit(
                from: try address("192.0.2.1"), isTrustedAddress: true, now: time(0))
            #expect(trusted.evicted == nil)
        }
        #expect(table.count == 64)
        #expect(table.admit(from: try address("::1"), now: time(0)).evicted != nil)
    }

    @Test func silentConnectionsEnd() throws {
        var table = AdmissionTable(now: time(0))
        let first = table.admit(from: try address("192.0.2.1"), now: time(0))
        let second = table.admit(from: try address("192.0.2.2"), now: time(500))
        let third = table.admit(from: try address("192.0.2.3"), now: time(600))
        #expect(table.deadline == time(10_000))
        #expect(table.expire(now: time(9_999)).isEmpty)
        #expect(table.expire(now: time(10_550)) == [first.ticket, second.ticket])
        table.remove(third.ticket)
        #expect(table.deadline == nil)
        #expect(table.expiredCount == 2)
    }

    @Test func handshakesInASecond() {
        var table = AdmissionTable(now: time(0))
        #expect((0..<250).count { _ in table.mayAnswer(now: time(0)) } == 200)
        #expect(table.throttledCount == 50)
        #expect((0..<250).count { _ in table.mayAnswer(now: time(100)) } == 20)
    }

    /// 1,000 connections that say nothing, from everywhere, and one honest peer that needs 200 ms.
    @Test func anHonestPeerGetsThroughAFlood() throws {
        var generator = SeededGenerator(seed: 4)
        var table = AdmissionTable(now: time(0))
        var honest: AdmissionTable.Ticket?
        var isEvicted = false
        for number in 0..<1_000 {
            let now = time(Int64(number) * 5)
            _ = table.expire(now: now)
            // Ten hosts of the link, which are at it for five seconds.
            let host = Int.random(in: 1...10, using: &generator)
            let admission = table.admit(from: try address("192.0.2.\(host)"), now: now)
            if let honest, admission.evicted == honest { isEvicted = true }
            if number == 500 {
                honest = table.admit(from: try address("192.0.2.99"), now: now).ticket
            }
            if number == 540, let ticket = honest { table.remove(ticket) }
            #expect(table.count <= 41)
        }
        #expect(!isEvicted)
    }
}

@Suite("The bucket")
struct TokenBucketTests {
    @Test func refillsAtItsRate() {
        var bucket = TokenBucket(perSecond: 10, burst: 3, now: time(0))
        #expect((0..<5).count { _ in bucket.take(now: time(0)) } == 3)
        #expect(bucket.take(now: time(99)) == false)
        #expect(bucket.take(now: time(100)) == true)
        #expect(bucket.take(now: time(150)) == false)
        #expect(bucket.take(now: time(200)) == true)
        #expect((0..<5).count { _ in bucket.take(now: time(100_000)) } == 3)
    }

    /// A clock that jumps back gives nothing and takes nothing.
    @Test func clockJumps() {
        var bucket = TokenBucket(perSecond: 10, burst: 1, now: time(1_000))
        #expect(bucket.take(now: time(1_000)) == true)
        #expect(bucket.take(now: time(0)) == false)
        #expect(bucket.take(now: time(1_100)) == true)
        #expect(bucket.take(now: Instant(nanoseconds: .max)) == true)
        #expect(bucket.take(now: Instant(nanoseconds: .min)) == false)
    }
}
