import DNSMessages
import NetworkPrimitives
import Testing

@testable import NetworkSimulation

/// Questions are answered, and as they have to be.
@Suite struct AnswerWatchTests {
    private typealias History = WireHistory

    /// What is still to be multicast when all of it should have been.
    private func due(_ history: inout WireHistory) -> [AnswerWatch.Reason] {
        var reasons: [AnswerWatch.Reason] = []
        while let expected = history.invariants.answers.due(at: History.time(100_000)) {
            reasons.append(expected.reason)
        }
        return reasons
    }

    @Test(
        "M7-3 M7-4 a question calls for what is not known with half of its lifetime left",
        arguments: [(nil, 1), (2_249, 1), (2_250, 0)] as [(UInt32?, Int)])
    func known(_ lifetime: UInt32?, _ count: Int) throws {
        var history = History()
        try history.send(History.response(History.pointer()), at: 0)
        try history.send(
            Message(
                questions: [Question(History.type, .ptr)],
                answers: lifetime.map { [History.pointer(.seconds($0))] } ?? []),
            by: History.second, at: 10_000)
        #expect(due(&history) == Array(repeating: .query, count: count))
    }

    @Test(
        "M5-28 a reply by unicast calls for a multicast once a quarter of the lifetime is over",
        arguments: [(29_000, 0), (31_000, 1)] as [(Int64, Int)])
    func quarter(_ time: Int64, _ count: Int) throws {
        var history = History()
        try history.claim(from: 0)
        try history.send(
            History.response(History.location()), at: time + 750,
            to: AddressPlan.ipv4(History.second, on: History.link).address)
        #expect(due(&history) == Array(repeating: .reply, count: count))
    }

    @Test("M10-5 the goodbye of one calls for the record of another who has it")
    func rescue() throws {
        var history = History()
        try history.send(History.response(History.pointer()), at: 0)
        try history.send(History.response(History.pointer()), by: History.second, at: 10)
        try history.send(History.response(History.pointer(.goodbye)), at: 5_000)
        #expect(due(&history) == [.goodbye])
        try history.send(
            History.response(History.pointer(.goodbye)), by: History.second, at: 7_000)
        #expect(due(&history).isEmpty)
    }

    @Test(
        "M6-57 M10-14 a legacy reply has ten seconds at most and flushes nothing",
        arguments: [(10, false, 0), (11, false, 1), (10, true, 1)] as [(UInt32, Bool, Int)])
    func legacy(_ lifetime: UInt32, _ flushes: Bool, _ count: Int) throws {
        var history = History()
        try history.claim(from: 0)
        var record = History.location()
        record.timeToLive = .seconds(lifetime)
        record.cacheFlush = flushes
        let reply = Message(
            header: .response, questions: [Question(History.instance, .srv)], answers: [record])
        try history.send(
            reply, at: 2_000, port: 40_000,
            to: AddressPlan.ipv4(History.second, on: History.link).address)
        #expect(history.breaches.count == count)
    }

    @Test(
        "M7-12 whoever announces more known answers is waited for",
        arguments: [(350, 1), (450, 0)] as [(Int64, Int)])
    func truncated(_ time: Int64, _ count: Int) throws {
        var history = History()
        try history.send(History.response(History.pointer()), at: 0)
        var header = MessageHeader.query
        header.isTruncated = true
        try history.ask(
            Message(header: header, questions: [Question(History.type, .ptr)]), at: 100_000)
        try history.send(History.response(History.pointer()), at: 100_000 + time)
        #expect(history.breaches.count == count)
    }

    @Test("M7-12 what is among the known answers that follow is not sent")
    func continued() throws {
        var history = History()
        try history.send(History.response(History.pointer()), at: 0)
        var header = MessageHeader.query
        header.isTruncated = true
        try history.ask(
            Message(header: header, questions: [Question(History.type, .ptr)]), at: 100_000)
        try history.ask(Message(answers: [History.pointer()]), at: 100_200)
        try history.send(History.response(History.pointer()), at: 100_450)
        #expect(history.breaches.count == 1)
        #expect(history.invariants.situations[.truncated] == 1)
    }
}
