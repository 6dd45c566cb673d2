import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite struct LifeCycleTests {
    @Test("a service is probed three times, announced twice, and found by a browser")
    func found() throws {
        var link = TestLink(hosts: 2)
        let query = try link.with(1) { engine, now in
            engine.startQuery(Question(try name("_http._tcp.local"), .ptr), on: .all, at: now)
        }
        link.run(.seconds(2))
        let set = try serviceSet("One", host: "a.local")
        let id = link.with(0) { engine, now in engine.publish(set, at: now) }
        link.run(.seconds(5))
        let own = link.sent.filter { $0.host == 0 }
        #expect(own.map(\.message.header.isResponse) == [false, false, false, true, true])
        #expect(own[0].message.questions.map(\.prefersUnicast) == [true])
        #expect(own[0].message.authorities.count == 2)
        #expect(own[1].time - own[0].time == .milliseconds(250))
        #expect(own[3].message.answers.map(\.cacheFlush) == [false, true, true])
        let status = link.events.filter { $0.host == 0 }.map(\.output)
        #expect(status == [.publication(id, .probing), .publication(id, .established)])
        let found = link.events.filter { $0.host == 1 }.map(\.output)
        #expect(found.count == 1)
        guard case .answer(query, .added(let record, _)) = found[0] else {
            Issue.record("\(found)")
            return
        }
        #expect(try record.data == .ptr(name("One._http._tcp.local")))
    }

    @Test("M10-3 M10-4 a withdrawn service says goodbye and is gone a second later, once")
    func goodbye() throws {
        var link = TestLink(hosts: 2)
        _ = try link.with(1) { engine, now in
            engine.startQuery(Question(try name("_http._tcp.local"), .ptr), on: .all, at: now)
        }
        let set = try serviceSet("One", host: "a.local")
        let id = link.with(0) { engine, now in engine.publish(set, at: now) }
        link.run(.seconds(5))
        link.with(0) { engine, now in engine.withdraw(id, at: now) }
        let goodbye = try #require(link.sent.last)
        #expect(goodbye.message.answers.allSatisfy { $0.timeToLive == .goodbye })
        #expect(goodbye.message.answers.count == 3)
        link.run(.seconds(20))
        let changes = link.events.filter { $0.host == 1 }
        #expect(changes.count == 2)
        #expect(changes.last?.time == .milliseconds(6001))
    }

    @Test("a name in use is given up after the second conflict")
    func conflict() throws {
        var link = TestLink(hosts: 2)
        let first = try serviceSet("One", host: "a.local")
        let second = try serviceSet("One", host: "b.local")
        _ = link.with(0) { engine, now in engine.publish(first, at: now) }
        link.run(.seconds(5))
        let id = link.with(1) { engine, now in engine.publish(second, at: now) }
        link.run(.seconds(5))
        let status = link.events.filter { $0.host == 1 }.map(\.output)
        #expect(
            status == [
                .publication(id, .probing),
                .publication(id, .conflicted(try name("One._http._tcp.local"))),
            ])
        #expect(!link.events.contains { $0.host == 0 && $0.time > .seconds(5) })
    }

    @Test("M8-21 of two that probe at once the later data wins, the other ends up conflicted")
    func tie() throws {
        var link = TestLink(hosts: 2)
        let sets = [
            try serviceSet("One", host: "a.local"), try serviceSet("One", host: "b.local"),
        ]
        let ids = sets.indices.map { host in
            link.with(host) { engine, now in engine.publish(sets[host], at: now) }
        }
        link.run(.seconds(10))
        let final = [0, 1].map { host in link.events.last { $0.host == host }?.output }
        #expect(final[1] == .publication(ids[1], .established))
        #expect(final[0] == .publication(ids[0], .conflicted(try name("One._http._tcp.local"))))
    }

    @Test("a unique answer settles a question, and it is refreshed four times before it goes")
    func refresh() throws {
        var link = TestLink(hosts: 1)
        let host = try name("x.local")
        _ = link.with(0) { engine, now in
            engine.startQuery(Question(host, .a), on: .all, at: now)
        }
        link.run(.milliseconds(200))
        let record = ResourceRecord(
            host, .a(IPv4Address(10, 0, 0, 9)), timeToLive: .seconds(100), cacheFlush: true)
        try link.inject(
            Message(header: .response, answers: [record]),
            from: SocketAddress(.v4(IPv4Address(10, 0, 0, 9)), port: 5353))
        link.run(.seconds(100))
        let queries = link.sent.dropFirst().map { $0.time - .milliseconds(200) }
        #expect(queries.count == 4)
        for (time, percent) in zip(queries, [80, 85, 90, 95]) {
            #expect(time >= .seconds(percent) && time <= .seconds(percent + 2))
        }
        guard case .answer(_, .removed) = link.events.last?.output else {
            Issue.record("not removed: \(link.events)")
            return
        }
        #expect(link.events.last?.time == .milliseconds(100_200))
    }

    @Test("M6-5 a type that an own name lacks gets a negative response")
    func negative() throws {
        var link = TestLink(hosts: 2)
        let set = try hostSet("a.local", IPv4Address(10, 0, 0, 1))
        _ = link.with(0) { engine, now in engine.publish(set, at: now) }
        link.run(.seconds(5))
        let query = try link.with(1) { engine, now in
            engine.startQuery(Question(try name("A.local"), .aaaa), on: .all, at: now)
        }
        link.run(.seconds(5))
        #expect(
            link.events.filter { $0.host == 1 }.map(\.output) == [
                .answer(query, .absent(.aaaa, InterfaceIndex(rawValue: 2)))
            ])
        let answer = try #require(link.sent.last { $0.host == 0 })
        #expect(answer.message.answers.first?.type == .nsec)
        #expect(answer.message.answers.first?.timeToLive == .host)
    }

    @Test("nothing is scheduled when nothing is due")
    func idle() throws {
        var link = TestLink(hosts: 1)
        let set = try hostSet("a.local", IPv4Address(10, 0, 0, 1))
        _ = link.with(0) { engine, now in engine.publish(set, at: now) }
        link.run(.seconds(10))
        #expect(link.engines[0].deadline == nil)
    }

    @Test(
        "M8-17 a reverse mapping is not probed for, and left to another stack of this machine",
        arguments: [(UInt8(1), true), (2, false)])
    func deferring(prober: UInt8, isGivenUp: Bool) throws {
        var link = TestLink(hosts: 1)
        let reverse = try name("1.0.0.10.in-addr.arpa")
        let ours = ResourceRecord(reverse, .ptr(try name("ours.local")), timeToLive: .host)
        let theirs = ResourceRecord(reverse, .ptr(try name("theirs.local")), timeToLive: .host)
        let id = link.with(0) { engine, now in
            engine.publish(RecordSet([.init(ours, .deferring)]), at: now)
        }
        link.run(.seconds(5))
        #expect(link.sent.allSatisfy { $0.message.header.isResponse })
        let before = link.sent.count
        try link.inject(
            Message(questions: [Question(reverse, .any)], authorities: [theirs]),
            from: SocketAddress(.v4(IPv4Address(10, 0, 0, prober)), port: 5353))
        link.run(.seconds(5))
        let answers = link.sent.dropFirst(before)
        if isGivenUp {
            #expect(answers.isEmpty)
            #expect(link.events.last?.output == .publication(id, .conflicted(reverse)))
        } else {
            #expect(answers.first?.message.answers.first?.isSameRecord(as: ours) == true)
            #expect(link.events.last?.output == .publication(id, .established))
        }
    }

    @Test(
        "M5-22 M5-26 a question of a link's first moment asks for unicast, a later one does not",
        arguments: [(Duration.zero, true), (.milliseconds(250), true), (.milliseconds(251), false)])
    func firstBatch(wait: Duration, asksForUnicast: Bool) throws {
        var link = TestLink(hosts: 1)
        link.run(wait)
        _ = try link.with(0) { engine, now in
            engine.startQuery(Question(try name("_http._tcp.local"), .ptr), on: .all, at: now)
        }
        link.run(.seconds(2))
        #expect(
            link.sent.map { $0.message.questions.map(\.prefersUnicast) }
                == [[asksForUnicast], [false]])
    }
}
