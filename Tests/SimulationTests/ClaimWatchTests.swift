import DNSMessages
import NetworkPrimitives
import Testing

@testable import NetworkSimulation

/// Names are claimed, defended and given up as others may rely on: what is wrong is seen, what is
/// right is not.
@Suite struct ClaimWatchTests {
    private typealias History = WireHistory

    @Test(
        "M8-7 M8-8 three probes 250 ms apart before a name is used",
        arguments: [
            ([0, 250, 500], 750, true), ([0, 250, 500], 700, false), ([0, 250], 500, false),
            ([0, 200, 400], 650, false), ([], 1_000, false),
        ] as [([Int64], Int64, Bool)])
    func probes(_ probes: [Int64], _ use: Int64, _ isRight: Bool) throws {
        var history = History()
        for time in probes { try history.send(History.probe(History.location()), at: time) }
        try history.send(History.response(History.location()), at: use)
        #expect(history.breaches.isEmpty == isRight)
    }

    @Test("M8-20 a probe that proposes nothing for its name is no probe")
    func proposals() throws {
        var history = History()
        for time in [0, 250, 500] as [Int64] {
            try history.send(Message(questions: [Question(History.instance, .any)]), at: time)
        }
        try history.send(History.response(History.location()), at: 750)
        #expect(history.breaches.count == 1)
    }

    @Test(
        "M8-40 an update of a claimed name needs no probe, a host that woke does",
        arguments: [false, true])
    func updateAndWake(_ wakes: Bool) throws {
        var history = History()
        try history.claim(from: 0)
        if wakes {
            history.invariants.claims.reset(History.first, at: History.time(5_000))
        }
        try history.send(History.response(History.location(632)), at: 6_000)
        #expect(history.breaches.isEmpty == !wakes)
    }

    @Test("M8-17 a name that stands for an address needs no probe")
    func reverse() throws {
        var history = History()
        let name = ReverseMapping.name(of: .v4(IPv4Address(10, 0, 0, 1)))
        let record = ResourceRecord(
            name, .ptr(Offer.named("a.local")), timeToLive: .host, cacheFlush: true)
        try history.send(History.response(record), at: 0)
        #expect(history.breaches.isEmpty)
    }

    @Test(
        "M8-21 M8-22 M8-23 the later data wins a tie, the earlier waits a second",
        arguments: [
            (631, 632, 1_010, true), (631, 632, 260, false), (632, 631, 250, true),
            (632, 631, 1_010, false), (631, 631, 250, true),
        ] as [(UInt16, UInt16, Int64, Bool)])
    func ties(_ own: UInt16, _ rival: UInt16, _ next: Int64, _ isRight: Bool) throws {
        var history = History()
        let probe = History.probe(History.location(own))
        try history.send(probe, at: 1_000)
        try history.receive(History.probe(History.location(rival)), at: 1_005)
        try history.send(probe, at: 1_000 + next)
        #expect(history.breaches.isEmpty == isRight)
    }

    @Test(
        "M8-12 M9-1 a response with other data ends a claim, one with the same does not",
        arguments: [631, 632])
    func conflict(_ port: UInt16) throws {
        var probing = History()
        for time in [0, 250, 500] as [Int64] {
            try probing.send(History.probe(History.location()), at: time)
        }
        var holding = History()
        try holding.claim(from: 0)
        try probing.receive(History.response(History.location(port)), at: 600)
        try holding.receive(History.response(History.location(port)), at: 5_000)
        try probing.send(History.response(History.location()), at: 750)
        try holding.send(History.response(History.location()), at: 6_000)
        #expect(probing.breaches.isEmpty == (port == 631))
        #expect(holding.breaches.isEmpty == (port == 631))
    }

    @Test(
        "M9-3 a name that was given up is not used two seconds later",
        arguments: [1_900, 2_100] as [Int64])
    func lost(_ time: Int64) throws {
        var history = History()
        history.invariants.claims.gaveUp(
            History.instance, by: History.first, at: History.time(0))
        try history.send(History.response(History.pointer()), at: time)
        #expect(history.breaches.isEmpty == (time < 2_000))
    }

    @Test("M6-24 an NSEC denies no type that there is, and has none that was withdrawn")
    func negative() throws {
        func breaches(_ types: [RecordType], withdraws: Bool = false) throws -> Int {
            var history = History()
            try history.claim(from: 0)
            try history.send(History.response(try History.text("a=b")), at: 2_000)
            if withdraws {
                var goodbye = try History.text("a=b")
                goodbye.timeToLive = .goodbye
                try history.send(History.response(goodbye), at: 4_000)
            }
            let data = RecordData.nsec(NextSecure(nextName: History.instance, types: types))
            try history.send(
                History.response(
                    ResourceRecord(
                        History.instance, data, timeToLive: .host, cacheFlush: true)), at: 6_000)
            return history.breaches.count
        }
        #expect(try breaches([.srv, .txt]) == 0)
        #expect(try breaches([.srv]) == 1)
        #expect(try breaches([.srv], withdraws: true) == 0)
        #expect(try breaches([.srv, .txt], withdraws: true) == 1)
    }

    @Test("M10-11 a shared record with the cache-flush bit is seen")
    func sharedFlush() throws {
        var history = History()
        try history.send(History.response(History.pointer()), at: 0)
        #expect(history.breaches.isEmpty)
        var flushing = History.pointer()
        flushing.cacheFlush = true
        try history.send(History.response(flushing), at: 2_000)
        #expect(history.breaches.contains { $0.hasSuffix("flushes others'") })
    }
}
