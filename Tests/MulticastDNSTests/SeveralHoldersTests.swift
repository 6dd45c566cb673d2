import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Records and names that several publications hold, and slots that are used again.
@Suite struct SeveralHoldersTests {
    static let hostA = ResourceRecord(
        named("a.local"), .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host)
    static let hostB = ResourceRecord(
        named("b.local"), .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host)
    static let hostB6 = ResourceRecord(
        named("b.local"), .aaaa(IPv6Address(rawValue: 0xFE80 << 112 | 1)), timeToLive: .host)
    static let rivalA = World.rival(named("a.local"))

    private static func twoHolders() -> (EngineHarness, [PublicationID]) {
        var harness = EngineHarness()
        let ids = [
            harness.establish([.init(hostA, .unique)]), harness.establish([.init(hostA, .unique)]),
        ]
        harness.clear()
        return (harness, ids)
    }

    private static func isConflicted(_ harness: EngineHarness, _ id: PublicationID) -> Bool {
        harness.statuses(of: id).contains { if case .conflicted = $0 { true } else { false } }
    }

    @Test("a record that a set lists twice is there once", arguments: [false, true])
    func repeatedRecord(byUpdate: Bool) {
        var harness = EngineHarness()
        let twice: [RecordSet.Member] = [
            .init(World.address, .unique), .init(World.address, .unique),
        ]
        let id = harness.establish(byUpdate ? World.hostSet : twice)
        if byUpdate { harness.update(id, to: twice) }
        harness.ask(World.host, .a)
        harness.advance(by: .seconds(5))
        #expect(harness.responses.allSatisfy { $0.message.answers.count == 1 })
        if byUpdate {
            harness.update(id, to: [.init(World.rival(World.host, lastByte: 50), .unique)])
        } else {
            harness.withdraw(id)
        }
        harness.advance(by: .seconds(5))
        harness.establish([.init(Self.hostA, .unique)])
        harness.establish([.init(World.rival(named("c.local"), lastByte: 7), .unique)])
        harness.ask(named("a.local"), .a)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.flatMap(\.message.answers).map(\.name) == [named("a.local")])
    }

    @Test(
        "a waiting reply answers with the records it was made for or not at all",
        arguments: [UInt16(40_000), 5353])
    func replyOutlivesItsRecords(port: UInt16) {
        var harness = EngineHarness()
        let first = harness.establish([.init(World.pointer, .shared)])
        if port == 5353 {
            harness.ask(World.type, .ptr)
            harness.advance(by: .seconds(2))
            harness.clear()
        }
        harness.ask(World.type, .ptr, prefersUnicast: true, port: port)
        harness.withdraw(first)
        let other = ResourceRecord(
            named("_http._tcp.local"), .ptr(named("Other._http._tcp.local")), timeToLive: .standard)
        harness.publish([.init(other, .shared)])
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.isEmpty)
        #expect(
            harness.multicastResponses.contains { $0.answers(with: other) },
            "the other is announced")
    }

    @Test("M6-24 a queued NSEC leaves out no type that was published since")
    func waitingNegativeResponse() {
        var harness = EngineHarness()
        let id = harness.establish([.init(Self.hostB, .unique)])
        harness.ask(named("b.local"), .aaaa)
        harness.advance(by: .milliseconds(300))
        harness.ask(named("b.local"), .aaaa)
        harness.advance(by: .milliseconds(100))
        harness.clear()
        harness.update(id, to: [.init(Self.hostB, .unique), .init(Self.hostB6, .unique)])
        harness.advance(by: .seconds(3))
        #expect(harness.multicastResponses.contains { $0.answers(with: Self.hostB6) })
        for case .nsec(let next) in harness.multicastResponses.flatMap(\.records).map(\.data) {
            #expect(next.contains(.aaaa))
        }
    }

    @Test(
        "M7-12 known answers in a later packet reach the unicast reply that waits for them",
        arguments: [UInt16(5353), 40_000], [true, false])
    func truncatedUnicast(port: UInt16, isKnown: Bool) {
        var harness = EngineHarness()
        harness.establish([.init(World.pointer, .shared)])
        harness.ask(World.type, .ptr)
        harness.advance(by: .seconds(2))
        harness.clear()
        harness.ask(
            [Question(World.type, .ptr, prefersUnicast: true)], isTruncated: true, port: port)
        harness.advance(by: .milliseconds(50))
        harness.ask([], known: isKnown ? [World.pointer] : [], port: port)
        harness.advance(by: .seconds(2))
        #expect(harness.unicastResponses.count == (isKnown ? 0 : 1))
        #expect(harness.multicastResponses.isEmpty)
    }

    @Test("M7-13 each packet with TC puts the unicast reply off, too")
    func truncatedTwice() {
        var harness = EngineHarness()
        harness.establish([.init(World.pointer, .shared)])
        harness.ask([Question(World.type, .ptr)], isTruncated: true, port: 40_000)
        let asked = harness.now
        for _ in 0..<3 {
            harness.advance(by: .milliseconds(300))
            harness.ask([], isTruncated: true, port: 40_000)
        }
        harness.advance(by: .seconds(2))
        #expect(harness.unicastResponses.count == 1)
        #expect(harness.unicastResponses.allSatisfy { $0.time - asked >= .milliseconds(1_300) })
    }

    @Test("an update can't have a name that another publication holds with other data")
    func updateOntoHeldName() {
        var harness = EngineHarness()
        harness.establish([.init(Self.hostA, .unique)])
        let second = harness.establish([.init(Self.hostB, .unique)])
        harness.update(second, to: [.init(Self.rivalA, .unique)])
        harness.advance(by: .seconds(5))
        #expect(Self.isConflicted(harness, second))
        harness.clear()
        harness.ask(named("a.local"), .a)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.flatMap(\.message.answers).map(\.data) == [Self.hostA.data])
    }

    @Test("M8-1 a name with two holders is probed for again after sleep")
    func twoHoldersWake() {
        var (harness, ids) = Self.twoHolders()
        harness.wake()
        harness.advance(by: .seconds(3))
        #expect(harness.probes.count == 3)
        for id in ids { #expect(harness.statuses(of: id) == [.probing, .established]) }
    }

    @Test("M9-2 M9-4 a conflict sends a name with two holders back to probing")
    func twoHoldersConflict() {
        var (harness, ids) = Self.twoHolders()
        harness.respond([Self.rivalA])
        harness.advance(by: .seconds(3))
        #expect(harness.probes.count == 3)
        for id in ids { #expect(harness.statuses(of: id) == [.probing, .established]) }
    }

    @Test("M9-3 and once it is lost, it is lost to both")
    func conflictOfTwoHolders() {
        var (harness, ids) = Self.twoHolders()
        for _ in 0..<20 {
            harness.respond([Self.rivalA])
            harness.advance(by: .milliseconds(500))
        }
        for id in ids { #expect(Self.isConflicted(harness, id)) }
        harness.clear()
        harness.respond([Self.rivalA])
        harness.ask(named("a.local"), .a)
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
    }

    @Test("M8-23 of a tie over a name with two holders both wait")
    func twoHoldersTie() {
        var harness = EngineHarness()
        harness.publish([.init(Self.hostA, .unique)])
        harness.publish([.init(Self.hostA, .unique)])
        harness.advanceToProbe()
        harness.probe(
            named("a.local"), proposing: [World.rival(named("a.local"), lastByte: 255)])
        harness.clear()
        harness.advance(by: .milliseconds(999))
        #expect(harness.sent.isEmpty)
        harness.advance(by: .seconds(4))
        #expect(harness.probes.count == 3)
    }

    @Test("one of two holders goes without a goodbye, the name stays claimed")
    func oneOfTwoHoldersLeaves() {
        var (harness, ids) = Self.twoHolders()
        harness.withdraw(ids[0])
        harness.ask(named("a.local"), .a)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.count == 1)
        #expect(harness.responses.allSatisfy { $0.answers(with: Self.hostA) })
        harness.withdraw(ids[1])
        #expect(harness.responses.last?.saysGoodbye(to: Self.hostA) == true)
    }
}
