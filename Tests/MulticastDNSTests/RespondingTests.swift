import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §6: what is answered, and to whom.
@Suite struct RespondingTests {
    @Test("M6-1 M6-2 only own records are in responses, never what was learned")
    func ownRecordsOnly() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], cachesEverything: true))
        harness.startQuery(World.type, .ptr)
        harness.establish(World.all)
        harness.respond(
            [World.foundPointer], additionals: [World.foundLocation, World.foundAddress])
        harness.advance(by: .seconds(2))
        harness.clear()
        harness.ask(World.type, .ptr)
        harness.ask(World.otherInstance, .any)
        harness.ask(World.otherHost, .a)
        harness.advance(by: .seconds(2))
        let own = World.all.map(\.record)
        let said = harness.responses.flatMap(\.records).filter { $0.type != .nsec }
        #expect(!said.isEmpty)
        #expect(said.allSatisfy { record in own.contains { $0.isSameRecord(as: record) } })
    }

    @Test(
        "M6-3 M16-6 D-18 names, types and classes must match",
        arguments: [
            (Question(World.host, .a), true), (Question(World.host, .any), true),
            (Question(World.host, .a, recordClass: .any), true),
            (Question(World.host, .any, recordClass: .any), true),
            (Question(named("DEVICE.Local"), .a), true),
            (Question(World.host, .a, recordClass: RecordClass(rawValue: 3)), false),
            (Question(named("x.device.local"), .a), false),
            (Question(named("evice.local"), .a), false),
        ])
    func matching(_ question: Question, _ matches: Bool) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([question])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.contains { $0.answers(with: World.address) } == matches)
        #expect(harness.responses.isEmpty == !matches)
    }

    @Test("M6-3 an alias answers every type")
    func aliases() {
        var harness = EngineHarness()
        let alias = ResourceRecord(named("alias.local"), .cname(World.host), timeToLive: .host)
        harness.establish([.init(alias, .unique)] + World.hostSet)
        harness.ask(named("alias.local"), .a)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.answers(with: alias) == true)
    }

    @Test("M16-7 an alias and what it leads to are taken from one message")
    func aliasWithItsTarget() {
        var harness = EngineHarness()
        let alias = ResourceRecord(
            named("caf\u{E9}.local"), .cname(World.otherHost), timeToLive: .host)
        let query = harness.startQuery(named("caf\u{E9}.local"), .a)
        harness.respond([alias, World.foundAddress])
        #expect(harness.added(to: query).map(\.data) == [alias.data])
        let target = harness.startQuery(World.otherHost, .a)
        #expect(harness.added(to: target).map(\.data) == [World.foundAddress.data])
    }

    @Test(
        "M6-4 M6-6 M6-37 unknown and shared names get no answer at all",
        arguments: [
            Question(named("nobody.local"), .a), Question(named("_http._tcp.local"), .ptr),
            Question(World.type, .srv), Question(World.type, .a),
        ])
    func silence(_ question: Question) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([question])
        harness.advance(by: .seconds(5))
        #expect(harness.sent.isEmpty)
    }

    @Test(
        "M6-5 M6-24 a missing type of an owned name is denied",
        arguments: [RecordType.aaaa, .hinfo, RecordType(rawValue: 99), .https, .svcb])
    func denial(_ type: RecordType) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, type)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        guard let record = harness.responses.first?.message.answers.first,
            case .nsec(let denial) = record.data
        else {
            Issue.record("no NSEC")
            return
        }
        #expect(record.name == World.host)
        #expect(denial.types == [.a])
        #expect(record.cacheFlush)
    }

    @Test("M6-5 a denial goes out whatever the known answers say")
    func denialDespiteKnownAnswers() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .aaaa, known: [World.address])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.message.answers.first?.type == .nsec)
    }

    private func denialOfHost() -> EngineHarness.Sent? {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .aaaa)
        harness.advance(by: .seconds(1))
        return harness.responses.first
    }

    @Test("M6-28 M6-35 M6-36 M18-37 denials have the restricted form, without the NSEC bit")
    func formOfDenials() {
        guard let sent = denialOfHost(), let record = sent.message.answers.first,
            case .nsec(let denial) = record.data
        else {
            Issue.record("no NSEC")
            return
        }
        #expect(denial.nextName == World.host)
        #expect(denial.bitmap == [0, 1, 0x40])
        #expect(!denial.contains(.nsec))
        #expect(record.timeToLive == .host)
        // Owner in full, fixed part, a pointer for the next name, three bytes of bitmap.
        #expect(sent.bytes.count == 12 + World.host.byteCount + 1 + 10 + 2 + 3)
    }

    @Test("M6-29 M6-30 a name with a type over 255 gets a whole bitmap or none")
    func denialsOfNamesWithLargeTypes() {
        var harness = EngineHarness()
        let large = ResourceRecord(
            World.host, .unknown(RecordType(rawValue: 257), [1, 2]), timeToLive: .host)
        harness.establish(World.hostSet + [.init(large, .unique)])
        harness.ask(World.host, .aaaa)
        harness.advance(by: .seconds(1))
        for record in harness.responses.flatMap(\.records) {
            guard case .nsec(let denial) = record.data else { continue }
            #expect(denial.contains(RecordType(rawValue: 257)))
            #expect(denial.contains(.a))
        }
    }

    @Test("M6-37 names that are still being probed are not denied or answered")
    func nothingBeforeProbing() {
        var harness = EngineHarness()
        harness.publish(World.all)
        harness.advance(by: .milliseconds(300))
        harness.ask(World.host, .aaaa)
        harness.ask(World.host, .a)
        harness.ask(World.instance, .any)
        harness.advance(by: .milliseconds(150))
        #expect(harness.responses.isEmpty)
    }

    @Test("M6-7 M18-5 M18-9 M18-10 M18-14 M18-17 header and questions of multicast responses")
    func formOfResponses() {
        var harness = EngineHarness()
        harness.publish(World.all)
        harness.advance(by: .seconds(5))
        harness.ask([Question(World.type, .ptr)], id: 0x1234)
        harness.ask([Question(World.type, .ptr)], isTruncated: true, from: .other)
        harness.advance(by: .seconds(2))
        harness.ask(World.instance, .srv, prefersUnicast: true)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.count >= 4)
        #expect(harness.responses.allSatisfy { $0.message.questions.isEmpty })
        #expect(harness.responses.allSatisfy { $0.message.header == .response })
    }

    @Test("M6-17 M6-18 answers to QM questions go to the group only")
    func destinationOfAnswers() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.type, .ptr)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        let destination = harness.responses.first?.destination
        #expect(destination == SocketAddress(.multicastDNS(.ipv4), port: 5353))
    }

    @Test("M6-16 D-21 M15-2 responses from another port are dropped")
    func wrongPort() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.establish(World.all)
        harness.respond([World.foundAddress], port: 5354)
        harness.respond([World.rival(World.host)], port: 5354)
        harness.advance(by: .seconds(2))
        #expect(harness.added(to: query).isEmpty)
        #expect(harness.probes.isEmpty)
        #expect(harness.engine.statistics.wrongPort == 2)
    }

    @Test("M6-19 M6-20 M18-18 unicast answers to a question that runs are accepted")
    func unicastAnswers() {
        func harnessAfterUnicastQuestion() -> (EngineHarness, QueryID) {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            harness.advance(by: .seconds(20))
            harness.wake()
            harness.advance(by: .milliseconds(150))
            return (harness, query)
        }
        var (soon, soonQuery) = harnessAfterUnicastQuestion()
        soon.respond([World.foundAddress], to: .device)
        #expect(soon.added(to: soonQuery).count == 1)

        var (within, withinQuery) = harnessAfterUnicastQuestion()
        within.advance(by: .milliseconds(1750))
        within.respond([World.foundAddress], to: .device)
        #expect(within.added(to: withinQuery).count == 1)

        var (late, lateQuery) = harnessAfterUnicastQuestion()
        late.advance(by: .milliseconds(2000))
        late.respond([World.foundAddress], to: .device)
        #expect(late.added(to: lateQuery).count == 1)

        // Some responders answer every query by unicast (hashicorp/mdns).
        var never = EngineHarness()
        let query = never.startQuery(World.otherHost, .a)
        never.advance(by: .milliseconds(150))
        never.respond([World.foundAddress], to: .device)
        #expect(never.added(to: query).count == 1)
        // Not what answers no question, and nothing from off the link.
        never.respond([World.rival(World.host)], to: .device)
        #expect(never.engine.statistics.unsolicitedUnicast == 1)
        never.respond([World.rival(World.otherHost)], from: .stranger, to: .device)
        #expect(never.engine.statistics.offLink == 1)
        #expect(never.added(to: query).count == 1)
    }

    @Test("M6-39 all addresses of the name on the interface are in the answer")
    func allAddresses() {
        var harness = EngineHarness()
        let second = ResourceRecord(
            World.host, .a(IPv4Address(192, 0, 2, 77)), timeToLive: .host)
        harness.establish(World.dualHostSet + [.init(second, .unique)])
        harness.ask(World.host, .a)
        harness.advance(by: .seconds(1))
        let response = harness.responses.first
        #expect(response?.answers(with: World.address) == true)
        #expect(response?.answers(with: second) == true)
        #expect(response?.carries(World.address6) == true)
    }

    @Test("M6-40 M14-3 addresses of other interfaces are not said")
    func addressesOfThisInterfaceOnly() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let there = ResourceRecord(
            World.host, .a(IPv4Address(198, 51, 100, 1)), timeToLive: .host)
        harness.publish(World.hostSet, on: .index(.first))
        harness.publish([.init(there, .unique)], on: .index(.second))
        harness.publish(World.serviceSet)
        harness.advance(by: .seconds(6))
        harness.ask(World.type, .ptr)
        harness.ask(World.type, .ptr, from: .testerSecond, interface: .second)
        harness.advance(by: .seconds(2))
        let first = harness.sent.filter { $0.interface == .first }
        let second = harness.sent.filter { $0.interface == .second }
        #expect(first.contains { $0.carries(World.address) })
        #expect(second.contains { $0.carries(there) })
        #expect(!first.contains { $0.carries(there) })
        #expect(!second.contains { $0.carries(World.address) })
    }

    @Test("M6-41 S12-7 A brings AAAA along and the reverse")
    func bothFamilies() {
        for (type, with) in [(RecordType.a, World.address6), (.aaaa, World.address)] {
            var harness = EngineHarness()
            harness.establish(World.dualHostSet)
            harness.ask(World.host, type)
            harness.advance(by: .seconds(1))
            #expect(harness.responses.first?.carries(with) == true)
        }
    }

    @Test("M6-43 M20-2 a host of both families denies neither, on either")
    func dualStackDenials() {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.establish(World.dualHostSet)
        for (source, type) in [(IPAddress.tester, RecordType.a), (.tester6, .aaaa)] {
            harness.ask(World.host, type, from: source)
            harness.advance(by: .seconds(2))
        }
        harness.ask(World.host, .txt)
        harness.advance(by: .seconds(2))
        let denials = harness.responses.flatMap(\.records).compactMap { record in
            if case .nsec(let denial) = record.data { denial.types } else { nil }
        }
        #expect(!denials.isEmpty)
        #expect(denials.allSatisfy { $0 == [.a, .aaaa] })
    }

    @Test("M6-44 M5-21 every question of a query is answered")
    func severalQuestions() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([
            Question(named("nobody.local"), .a), Question(World.host, .a),
            Question(World.instance, .txt), Question(World.type, .ptr),
        ])
        harness.advance(by: .seconds(1))
        for record in [World.address, World.attributes, World.pointer] {
            #expect(harness.responses.contains { $0.answers(with: record) })
        }
    }

    @Test("M6-47 M6-48 answers share a packet, and none waits longer than 620 ms for it")
    func aggregation() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([
            Question(World.type, .ptr), Question(World.instance, .srv),
            Question(World.instance, .txt), Question(World.host, .a),
        ])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)

        for seed in 1...20 as ClosedRange<UInt64> {
            var pair = EngineHarness(seed: seed)
            let second = ResourceRecord(
                named("_scan._tcp.local"), .ptr(World.otherInstance), timeToLive: .standard)
            pair.establish(World.all + [.init(second, .shared)])
            let asked = pair.now
            pair.ask(World.type, .ptr)
            pair.advance(by: .milliseconds(10))
            pair.ask(named("_scan._tcp.local"), .ptr)
            pair.advance(by: .seconds(2))
            #expect(pair.responses.map { $0.message.answers.count } == [2])
            #expect(pair.responses.allSatisfy { $0.time - asked <= .milliseconds(130) })
        }
    }

    @Test("M6-48 an answer waits for others that are about to be ready, 500 ms at most")
    func waitingForOthers() {
        var harness = EngineHarness()
        let types = (0..<80).map { named("_type\($0)._tcp.local") }
        harness.establish(
            types.map {
                .init(ResourceRecord($0, .ptr(World.instance), timeToLive: .standard), .shared)
            })
        let start = harness.now
        for type in types {
            harness.ask(type, .ptr)
            harness.advance(by: .milliseconds(15))
        }
        let first = harness.responses.first
        #expect((first?.time ?? .zero) - start >= .milliseconds(500))
        #expect((first?.time ?? .never) - start <= .milliseconds(620))
        #expect((first?.message.answers.count ?? 0) > 30)
    }

    @Test("M6-48 M7-11 an answer that waits for known answers does not leave with others")
    func deferredAnswersStay() {
        var harness = EngineHarness()
        let second = ResourceRecord(
            named("_scan._tcp.local"), .ptr(World.otherInstance), timeToLive: .standard)
        harness.establish(World.all + [.init(second, .shared)])
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.ask(named("_scan._tcp.local"), .ptr, from: .other)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.map { $0.message.answers.count } == [1, 1])
        #expect(harness.responses.first?.answers(with: second) == true)
    }

    @Test("M3-1 M9-3 an answer planned before the name was lost is never given")
    func answerOfLostName() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.host, .a)], isTruncated: true)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.rival(World.host)])
        let lost = harness.now
        harness.advance(by: .seconds(10))
        let times = harness.responses.filter { $0.answers(with: World.address) }.map(\.time)
        // Won again after 750 ms, and announced twice.
        #expect(times.map { $0 - lost } == [.milliseconds(750), .milliseconds(1750)])
    }

    @Test("M6-49 ANY gets all records of the name")
    func anyType() {
        for recordClass in [RecordClass.internet, .any] {
            var harness = EngineHarness()
            harness.establish(World.all)
            harness.ask([Question(World.instance, .any, recordClass: recordClass)])
            harness.advance(by: .seconds(1))
            let answers = harness.responses.first?.message.answers.map(\.data) ?? []
            #expect(Set(answers) == [World.location.data, World.attributes.data])
        }
    }

    @Test("M12-2 SOA and NS of the domain are nobody's business")
    func noDelegation() {
        var harness = EngineHarness()
        harness.establish(World.all)
        for type in [RecordType.soa, .ns, RecordType(rawValue: 252), .any] {
            harness.ask(.local, type)
        }
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
    }

    // MARK: Others' records

    @Test("M6-50 M8-37 other data beside a shared record is no matter")
    func sharedRecordsDoNotConflict() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.respond([World.foundPointer, World.foundPointer.flushing()])
        harness.advance(by: .seconds(3))
        #expect(harness.sent.isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test("M6-51 M8-37 M9-2 other data of a unique record is a conflict")
    func uniqueRecordsConflict() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.respond([World.rivalLocation()])
        harness.advance(by: .milliseconds(900))
        #expect(harness.probes.count == 3)
        #expect(harness.engine.statistics.conflicts == 1)
    }

    @Test("M6-52 M9-1 the same record with at least half of its life is no matter")
    func sameRecordIsNoMatter() {
        for seconds in [60 as UInt32, 120, 4500] {
            var harness = EngineHarness()
            harness.establish(World.all)
            harness.respond([World.address.lasting(seconds).flushing()])
            harness.advance(by: .seconds(3))
            #expect(harness.sent.isEmpty)
        }
    }

    @Test(
        "M6-53 M10-5 the same record with less is said again, within a second of a goodbye",
        arguments: [0 as UInt32, 1, 59])
    func shortLivedCopies(_ seconds: UInt32) {
        var harness = EngineHarness()
        harness.establish(World.all)
        let received = harness.now
        harness.respond([World.address.lasting(seconds)])
        harness.advance(by: .seconds(3))
        let rescue = harness.multicastResponses.first { $0.answers(with: World.address) }
        #expect(rescue != nil)
        #expect((rescue?.time ?? harness.now) - received < .seconds(1))
        let said = rescue?.message.answers.first { $0.isSameRecord(as: World.address) }
        #expect(said?.timeToLive == .host)
    }

    @Test("M6-37 only what is missing from a name that is ours alone is denied")
    func whatIsNotDenied() {
        var harness = EngineHarness()
        let shared = ResourceRecord(
            named("shared.local"), .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host)
        harness.establish(World.all + [.init(shared, .shared)])
        for (name, type) in [
            (World.instance, RecordType.txt), (named("shared.local"), .a),
            (named("shared.local"), .aaaa), (World.type, .ptr),
        ] {
            harness.ask(name, type)
            harness.advance(by: .seconds(2))
        }
        let denied = harness.responses.flatMap(\.records).filter { $0.type == .nsec }
        #expect(denied.allSatisfy { $0.name == World.host })
    }

    @Test("M6-24 a missing type is denied to who asks for any class as well")
    func deniedToAnyClass() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.host, .aaaa, recordClass: .any)])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.message.answers.map(\.type) == [.nsec])
    }

    @Test("M6-3 M6-37 the answer to ANY has no denial in it, asked for one before or not")
    func anyHasNoDenial() {
        var harness = EngineHarness()
        harness.establish(World.dualHostSet)
        harness.ask(World.host, .txt)
        harness.advance(by: .seconds(2))
        harness.clear()
        harness.ask(World.host, .any)
        harness.advance(by: .seconds(2))
        let types = harness.responses.flatMap(\.message.answers).map(\.type)
        #expect(Set(types) == [.a, .aaaa])
    }

    @Test("M6-43 a host of both families adds no denial to its addresses")
    func noDenialBesideBoth() {
        var harness = EngineHarness()
        harness.establish(World.dualHostSet)
        harness.ask(World.host, .a)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.message.additionals.map(\.type) == [.aaaa])
    }

    @Test("M5-27 M15-2 who asks from this very host is answered by multicast")
    func ownHostAsksForUnicast() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a, prefersUnicast: true, from: .device)
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.isEmpty)
        #expect(harness.multicastResponses.count == 1)
    }

    @Test("M5-27 an answer to two questions is in the unicast reply once")
    func unicastOnce() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([
            Question(World.host, .a, prefersUnicast: true),
            Question(World.host, .any, prefersUnicast: true),
        ])
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.map { $0.message.answers.count } == [1])
    }

    @Test("M6-47 M10-9 several sets share one packet")
    func setsShareAPacket() {
        var harness = EngineHarness()
        let members = [World.host, World.otherHost].flatMap { name in
            (1...3).map {
                RecordSet.Member(
                    World.rival(name, lastByte: UInt8($0)).flushing(false), .unique)
            }
        }
        harness.establish(members)
        harness.ask([Question(World.host, .a), Question(World.otherHost, .a)])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.map { $0.message.answers.count } == [6])
    }
}
