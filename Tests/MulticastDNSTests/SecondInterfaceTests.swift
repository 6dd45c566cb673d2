import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Every operation of the engine on two interfaces, and with two queries and two publications:
/// what the first one gets, the second one gets too.
@Suite struct SecondInterfaceTests {
    private static let other = [
        RecordSet.Member(
            ResourceRecord(
                named("Second._ipp._tcp.local"),
                .srv(ServiceLocation(target: World.otherHost, port: 80)), timeToLive: .host),
            .unique)
    ]
    private static let both = [InterfaceIndex.first, .second]

    private func twoLinks(_ configuration: Configuration = Configuration()) -> EngineHarness {
        EngineHarness(configuration: configuration, interfaces: [.dual, .secondLAN])
    }

    private func renamed(_ interface: NetworkInterface, to name: String) -> NetworkInterface {
        var interface = interface
        interface.name = name
        return interface
    }

    /// What of the packets left by each of the interfaces.
    private func each<Value>(
        _ sent: [EngineHarness.Sent], _ body: ([EngineHarness.Sent]) -> Value
    ) -> [Value] {
        Self.both.map { index in body(sent.filter { $0.interface == index }) }
    }

    @Test("M8-1 M10-20 M5-22 wake-up: probes, announcements, queries and cache of both interfaces")
    func wakeUp() {
        var harness = twoLinks()
        harness.establish(World.hostSet)
        let query = harness.startQuery(World.type, .ptr)
        for interface in Self.both {
            harness.respond(
                [World.foundPointer], from: interface == .first ? .tester : .testerSecond,
                interface: interface)
        }
        harness.advance(by: .seconds(400))
        harness.clear()
        harness.wake()
        harness.advance(by: .seconds(12))
        // Over both families of the first interface, over the one of the second.
        #expect(each(harness.probes) { $0.count } == [6, 3])
        #expect(each(harness.multicastResponses) { $0.count } == [4, 2])
        let questions = harness.queries.filter { $0.asks(Question(World.type, .ptr)) }
        #expect(each(questions) { $0.count >= 2 } == [true, true])
        let first = each(questions) { $0.first?.message.questions.first?.prefersUnicast }
        #expect(first == [true, true])
        #expect(harness.removed(from: query).count == 2)
    }

    @Test("M10-1 M10-2 a withdrawn publication, and the end, say goodbye on both interfaces")
    func goodbyes() {
        for endsAll in [false, true] {
            var harness = twoLinks()
            let ids = [harness.establish(World.all), harness.establish(Self.other)]
            if endsAll {
                harness.engine.withdrawAll(at: harness.now)
                harness.drain()
            } else {
                for id in ids { harness.withdraw(id) }
            }
            let records = [World.address, World.pointer, World.location, Self.other[0].record]
            for record in records {
                let goodbyes = harness.responses.filter { $0.saysGoodbye(to: record) }
                #expect(
                    each(goodbyes) { $0.map(\.destination.address.family) } == [
                        [.ipv4, .ipv6], [.ipv4],
                    ])
            }
            for (interface, source) in zip(Self.both, [IPAddress.tester, .testerSecond]) {
                harness.ask(World.host, .any, from: source, interface: interface)
                harness.ask(Self.other[0].record.name, .any, from: source, interface: interface)
            }
            harness.clear()
            harness.advance(by: .seconds(5))
            #expect(harness.sent.isEmpty)
            // The names are free again: they are probed for by whoever wants them next.
            let again = harness.publish(World.all + Self.other)
            harness.advance(by: .seconds(5))
            #expect(each(harness.probes) { $0.count } == [6, 3])
            #expect(harness.probes.allSatisfy { $0.message.questions.count == 3 })
            #expect(harness.statuses(of: again) == [.probing, .established])
        }
    }

    @Test("M10-21 M10-22 a record is reconfirmed on both interfaces")
    func reconfirmation() {
        var harness = twoLinks()
        let query = harness.startQuery(World.otherHost, .a)
        for interface in Self.both {
            harness.respond(
                [World.foundAddress], from: interface == .first ? .tester : .testerSecond,
                interface: interface)
        }
        harness.advance(by: .seconds(5))
        harness.clear()
        harness.reconfirm(World.foundAddress)
        harness.advance(by: .seconds(11))
        #expect(each(harness.queries) { $0.count >= 2 } == [true, true])
        #expect(harness.removed(from: query).count == 2)
    }

    @Test("M5-15 a query that was ended asks on neither interface, and reports nothing")
    func endedQuery() {
        var harness = twoLinks()
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(5))
        for interface in Self.both {
            harness.respond(
                [World.foundPointer.lasting(20)],
                from: interface == .first ? .tester : .testerSecond, interface: interface)
        }
        harness.stopQuery(query)
        harness.clear()
        harness.advance(by: .seconds(100))
        #expect(harness.sent.isEmpty)
        #expect(harness.changes(of: query).isEmpty)
    }

    @Test("what was found but not yet reported is not, once the query has ended")
    func unreportedAnswers() {
        var engine = Engine(configuration: Configuration(), generator: SeededGenerator(seed: 1))
        let now = Instant(nanoseconds: 1_000_000_000)
        engine.update(interfaces: [.lan], at: now)
        let first = engine.startQuery(Question(World.type, .ptr), on: .all, at: now)
        let second = engine.startQuery(Question(World.type, .ptr), on: .all, at: now)
        let bytes = (try? Message(header: .response, answers: [World.foundPointer]).encoded()) ?? []
        engine.receive(
            bytes.span,
            with: DatagramInfo(
                source: SocketAddress(.tester, port: 5353), destination: .multicastDNS(.ipv4),
                interface: .first), at: now)
        engine.stopQuery(first, at: now)
        var told: [QueryID] = []
        while let output = engine.nextOutput() {
            if case .answer(let id, _) = output { told.append(id) }
        }
        #expect(told == [second])
    }

    @Test("M8-38 M8-42 changed data is announced on both interfaces")
    func changedData() {
        var harness = twoLinks()
        let id = harness.establish(World.all)
        let changed = ResourceRecord(
            World.instance, .txt(text("txtvers=2")), timeToLive: .standard)
        harness.update(
            id, to: World.all.map { $0.record.type == .txt ? .init(changed, .unique) : $0 })
        harness.advance(by: .seconds(5))
        let announced = harness.responses.filter { $0.answers(with: changed) }
        #expect(
            each(announced) { $0.map(\.destination.address.family) }
                == [[.ipv4, .ipv6, .ipv4, .ipv6], [.ipv4, .ipv4]])
        for (interface, source) in zip(Self.both, [IPAddress.tester, .testerSecond]) {
            harness.clear()
            harness.ask(World.instance, .txt, from: source, interface: interface)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.count == 1)
            #expect(harness.responses.first?.answers(with: changed) == true)
        }
    }

    @Test("M14-2 established is what is ours on every interface")
    func establishedEverywhere() {
        for seed in 1...8 as ClosedRange<UInt64> {
            var harness = EngineHarness(
                seed: seed, configuration: Configuration(), interfaces: [.dual, .secondLAN])
            let id = harness.publish(World.hostSet)
            while harness.statuses(of: id).last != .established, harness.probes.count < 30 {
                harness.advance(by: .milliseconds(1))
            }
            let announced = each(harness.multicastResponses) { !$0.isEmpty }
            #expect(announced == [true, true])
        }
    }

    // MARK: Interfaces that come, go and are renamed

    @Test(
        "M14-4 queries and publications follow the names of interfaces, all of them",
        arguments: [0, 1])
    func renaming(_ which: Int) {
        var harness = twoLinks()
        let selection = InterfaceSelection.named(["wlan*"])
        let queries = [World.type, named("_http._tcp.local")].map {
            harness.startQuery($0, .ptr, on: selection)
        }
        let ids = [World.hostSet, Self.other].map { harness.publish($0, on: selection) }
        harness.advance(by: .seconds(5))
        #expect(harness.sent.isEmpty)
        var interfaces = [NetworkInterface.dual, .secondLAN]
        let before = interfaces[which].name
        interfaces[which] = renamed(interfaces[which], to: "wlan7")
        harness.update(interfaces: interfaces)
        harness.advance(by: .seconds(5))
        let index = Self.both[which]
        #expect(harness.sent.allSatisfy { $0.interface == index })
        for name in [World.type, named("_http._tcp.local")] {
            #expect(harness.queries.contains { $0.asks(Question(name, .ptr)) })
        }
        for record in [World.address, Self.other[0].record] {
            #expect(harness.responses.contains { $0.answers(with: record) })
        }
        #expect(ids.map { harness.statuses(of: $0).last } == [.established, .established])
        let source: IPAddress = which == 0 ? .tester : .testerSecond
        let found = [
            World.foundPointer,
            ResourceRecord(
                named("_http._tcp.local"), .ptr(named("X._http._tcp.local")),
                timeToLive: .standard),
        ]
        harness.respond(found, from: source, interface: index)
        #expect(queries.map { harness.present(in: $0).count } == [1, 1])
        // And away again: goodbyes, answers removed, nothing asked any more.
        harness.clear()
        interfaces[which] = renamed(interfaces[which], to: before)
        harness.update(interfaces: interfaces)
        #expect(queries.map { harness.removed(from: $0).count } == [1, 1])
        for record in [World.address, Self.other[0].record] {
            #expect(harness.responses.contains { $0.saysGoodbye(to: record) })
        }
        #expect(ids.map { harness.statuses(of: $0).last } == [.probing, .probing])
        harness.clear()
        harness.advance(by: .seconds(600))
        #expect(harness.sent.isEmpty)
    }

    @Test("M14-1 M8-1 what runs begins on an interface that comes, and ends with one that goes")
    func comingAndGoing() {
        var harness = EngineHarness(interfaces: [.lan])
        let queries = [World.type, named("_http._tcp.local")].map { harness.startQuery($0, .ptr) }
        let ids = [harness.establish(World.hostSet), harness.establish(Self.other)]
        harness.update(interfaces: [.lan, .secondLAN])
        #expect(ids.map { harness.statuses(of: $0).last } == [.probing, .probing])
        harness.advance(by: .seconds(5))
        let there = harness.sent.filter { $0.interface == .second }
        for name in [World.type, named("_http._tcp.local")] {
            #expect(there.contains { $0.asks(Question(name, .ptr)) })
        }
        for record in [World.address, Self.other[0].record] {
            #expect(there.contains { $0.isProbe && $0.carries(record) })
            #expect(there.contains { $0.answers(with: record) })
        }
        #expect(ids.map { harness.statuses(of: $0).last } == [.established, .established])
        harness.respond([World.foundPointer], from: .testerSecond, interface: .second)
        harness.clear()
        harness.update(interfaces: [.lan])
        #expect(harness.removed(from: queries[0]).count == 1)
        harness.update(interfaces: [])
        #expect(ids.map { harness.statuses(of: $0).last } == [.probing, .probing])
        harness.clear()
        harness.advance(by: .seconds(60))
        #expect(harness.sent.isEmpty)
    }

    @Test("M8-35 a family that goes is no change of connectivity, one that comes is")
    func familyComesAndGoes() {
        for first in [NetworkInterface.lan, .dual] {
            var harness = EngineHarness(configuration: Configuration(), interfaces: [first])
            harness.establish(World.hostSet)
            harness.update(interfaces: [first == .lan ? .dual : .lan])
            harness.advance(by: .seconds(5))
            #expect(harness.probes.isEmpty == (first == .dual))
        }
    }

    @Test("a family is used once it has an address that is not tentative")
    func tentativeAddress() {
        var interface = NetworkInterface.dual
        interface.addresses[1].isTentative = true
        var harness = EngineHarness(configuration: Configuration(), interfaces: [interface])
        harness.publish(World.hostSet)
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(5))
        #expect(!harness.sent.isEmpty)
        #expect(harness.sent.allSatisfy { $0.destination.address.family == .ipv4 })
        harness.clear()
        harness.update(interfaces: [.dual])
        harness.advance(by: .seconds(5))
        for sent in [harness.probes, harness.queries, harness.responses] {
            #expect(Set(sent.map(\.destination.address.family)) == [.ipv4, .ipv6])
        }
    }
}
