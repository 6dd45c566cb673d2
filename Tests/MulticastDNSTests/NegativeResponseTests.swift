import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// NSEC records of our own names: when there is one, and what it says (RFC 6762 §6.1, §6.2).
@Suite struct NegativeResponseTests {
    private static let reverse = ResourceRecord(
        named("1.2.0.192.in-addr.arpa"), .ptr(World.host), timeToLive: .host)

    /// The types of each NSEC of that name in these packets.
    private func types(_ name: DomainName, _ sent: [EngineHarness.Sent]) -> [[RecordType]] {
        sent.flatMap { $0.records }.compactMap { record in
            guard record.name == name, case .nsec(let data) = record.data else { return nil }
            return data.types
        }
    }

    /// Asks, and gives the packets that come back; no rate limit is left afterwards.
    private func answers(
        _ harness: inout EngineHarness, _ name: DomainName, _ type: RecordType,
        from source: IPAddress = .tester
    ) -> [EngineHarness.Sent] {
        harness.clear()
        harness.ask(name, type, from: source)
        harness.advance(by: .seconds(2))
        return harness.responses
    }

    @Test(
        "M6-25 M6-42 M6-41 an address goes with the NSEC that says the other family is absent",
        arguments: [(World.address, RecordType.a), (World.address6, .aaaa)])
    func oneFamily(_ address: ResourceRecord, _ type: RecordType) {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.establish([.init(address, .unique)] + World.serviceSet)
        for (name, asked) in [
            (World.host, type), (World.instance, .srv), (World.type, .ptr),
        ] {
            for response in answers(&harness, name, asked) {
                let negative = response.message.additionals.filter { $0.type == .nsec }
                #expect(negative.map { $0.name } == [World.host], "\(asked)")
                #expect(types(World.host, [response]) == [[type]], "\(asked)")
                #expect(negative.allSatisfy { $0.timeToLive == .host && $0.cacheFlush })
                #expect(response.carries(address), "\(asked)")
            }
            #expect(harness.responses.count == 1)
        }
    }

    @Test("M6-42 M6-43 it comes and goes with the second family")
    func secondFamilyComesAndGoes() {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        let id = harness.establish(World.hostSet)
        #expect(types(World.host, answers(&harness, World.host, .a)) == [[.a]])
        harness.update(id, to: World.dualHostSet)
        harness.advance(by: .seconds(3))
        #expect(types(World.host, answers(&harness, World.host, .a)).isEmpty)
        #expect(harness.responses.allSatisfy { $0.carries(World.address6) })
        #expect(types(World.host, answers(&harness, World.host, .txt)) == [[.a, .aaaa]])
        harness.update(id, to: [.init(World.address6, .unique)])
        harness.advance(by: .seconds(3))
        #expect(types(World.host, answers(&harness, World.host, .aaaa)) == [[.aaaa]])
        #expect(types(World.host, answers(&harness, World.host, .a)) == [[.aaaa]])
    }

    @Test("M6-24 M6-37 it names the types of every publication of the name, and no longer than so")
    func severalPublications() {
        var harness = EngineHarness()
        let text = ResourceRecord(World.host, .txt(text("x")), timeToLive: .seconds(60))
        let first = harness.establish(World.hostSet)
        #expect(types(World.host, answers(&harness, World.host, .srv)) == [[.a]])
        let second = harness.establish([.init(text, .unique)])
        #expect(types(World.host, answers(&harness, World.host, .srv)) == [[.a, .txt]])
        // It lives no longer than the shortest of them.
        #expect(harness.responses.flatMap { $0.records }.map { $0.timeToLive } == [.seconds(60)])
        harness.withdraw(first)
        harness.advance(by: .seconds(2))
        #expect(types(World.host, answers(&harness, World.host, .srv)) == [[.txt]])
        harness.withdraw(second)
        harness.advance(by: .seconds(2))
        #expect(answers(&harness, World.host, .srv).isEmpty)
    }

    @Test("M6-38 all types of a name are ours by prior certainty, or by probing with ANY")
    func ownership() {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.publish(World.hostSet + World.serviceSet + [.init(Self.reverse, .knownUnique)])
        harness.advanceToProbe()
        // Not while they are probed for: no record of the set is answered with, nor its absence.
        harness.ask(World.host, .txt)
        harness.ask(World.instance, .a, from: .tester6)
        harness.ask(Self.reverse.name, .txt)
        harness.advance(by: .milliseconds(100))
        #expect(harness.responses.isEmpty)
        harness.advance(by: .seconds(5))
        // The reverse mapping was not probed for, all else with ANY only.
        let asked = harness.probes.flatMap { $0.message.questions }
        #expect(Set(asked.map { $0.name }) == [World.host, World.instance])
        #expect(asked.allSatisfy { $0.type == .any })
        for (name, owned) in [
            (Self.reverse.name, [RecordType.ptr]), (World.host, [.a]),
            (World.instance, [.txt, .srv]),
        ] {
            for source in [IPAddress.tester, .tester6] {
                let found = types(name, answers(&harness, name, .hinfo, from: source))
                #expect(found == [owned], "\(name) \(source)")
            }
        }
        // A shared name belongs to nobody, and what we do not have neither.
        for name in [World.type, World.otherHost, named("local")] {
            #expect(answers(&harness, name, .hinfo).isEmpty, "\(name)")
        }
    }

    @Test("M6-38 M9-4 a name that is probed for again after a conflict is not owned meanwhile")
    func lostOwnership() {
        var harness = EngineHarness()
        harness.establish(World.hostSet)
        #expect(types(World.host, answers(&harness, World.host, .txt)) == [[.a]])
        harness.clear()
        harness.respond([World.rival(World.host)])
        harness.ask(World.host, .txt)
        harness.advance(by: .milliseconds(700))
        #expect(harness.responses.isEmpty)
        #expect(!harness.probes.isEmpty)
        #expect(harness.probes.flatMap { $0.message.questions }.allSatisfy { $0.type == .any })
        harness.advance(by: .seconds(5))
        #expect(types(World.host, answers(&harness, World.host, .txt)) == [[.a]])
    }
}
