import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Conflicting responses while a name is probed for (RFC 6762 §8.1), and the form of the probes
/// that they contradict (§8.2): on both families and either interface, looked at for long.
@Suite struct ConflictingResponseTests {
    /// An engine on two interfaces, the first of which has sent its first probe.
    private func probing(_ set: [RecordSet.Member]) -> (EngineHarness, PublicationID) {
        var harness = EngineHarness(
            configuration: Configuration(), interfaces: [.dual, .secondLAN])
        let id = harness.publish(set)
        for _ in 0..<1_000 where !harness.probes.contains(where: { $0.interface == .first }) {
            harness.advance(by: .milliseconds(1))
        }
        #expect(harness.probes.contains { $0.interface == .first })
        return (harness, id)
    }

    @Test(
        "M8-12 a conflicting response until 250 ms after the third probe ends the name for good",
        arguments: [0, 1, 249, 250, 251, 499, 500, 501, 749] as [Int64], AddressFamily.allCases)
    func givesWay(_ milliseconds: Int64, _ family: AddressFamily) {
        var (harness, id) = probing(World.dualHostSet + World.serviceSet)
        harness.advance(by: .milliseconds(milliseconds))
        let count = harness.sent.count
        harness.respond(
            [World.rival(World.host)], from: family == .ipv4 ? .tester : .tester6)
        harness.advance(by: .seconds(600))
        #expect(harness.statuses(of: id) == [.probing, .conflicted(World.host)])
        #expect(harness.engine.statistics.conflicts == 1)
        // Nothing was announced, so nothing is said: no probe, no announcement, no goodbye.
        #expect(harness.sent.count == count)
        harness.ask(World.host, .a)
        harness.ask(World.host, .a, from: .testerSecond, interface: .second)
        harness.ask(World.instance, .any)
        harness.advance(by: .seconds(2))
        #expect(harness.sent.count == count)
    }

    @Test(
        "M8-12 M8-8 a response after these 250 ms meets a name that is ours", arguments: [751, 900])
    func comesTooLate(_ milliseconds: Int64) {
        var (harness, id) = probing(World.hostSet)
        harness.advance(by: .milliseconds(milliseconds))
        #expect(harness.responses.contains { $0.interface == .first })
        harness.respond([World.rival(World.host)])
        // It is defended: probed for again, and given up only if the other insists.
        harness.advance(by: .seconds(600))
        #expect(harness.statuses(of: id).last == .established)
        #expect(harness.probes.count { $0.interface == .first } >= 6)
    }

    @Test("M8-12 M14-2 a conflicting response on the second interface ends the name on both")
    func secondInterface() {
        var (harness, id) = probing(World.hostSet)
        for _ in 0..<1_000 where !harness.probes.contains(where: { $0.interface == .second }) {
            harness.advance(by: .milliseconds(1))
        }
        harness.respond([World.rival(World.host)], from: .testerSecond, interface: .second)
        let count = harness.sent.count
        harness.advance(by: .seconds(600))
        #expect(harness.statuses(of: id).last == .conflicted(World.host))
        #expect(harness.sent.count == count)
    }

    @Test("M8-12 a conflict ends every publication of the name, the second as well")
    func everyHolder() {
        var (harness, first) = probing(World.hostSet)
        let second = harness.publish(World.hostSet + [.init(World.location, .unique)])
        // What is proposed is other than before, so the series begins anew.
        harness.advance(by: .milliseconds(260))
        harness.respond([World.rival(World.host)])
        harness.advance(by: .seconds(60))
        #expect(harness.statuses(of: first).last == .conflicted(World.host))
        #expect(harness.statuses(of: second).last == .conflicted(World.host))
        #expect(!harness.responses.contains { $0.interface == .first })
    }

    @Test(
        "M8-19 M8-20 a probe has one ANY question for each name and all that is proposed for it",
        arguments: AddressFamily.allCases)
    func formOfProbes(_ family: AddressFamily) {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.publish(World.dualHostSet + World.serviceSet)
        harness.advance(by: .seconds(5))
        let probes = harness.probes.filter { $0.destination.address == .multicastDNS(family) }
        #expect(probes.count == 3)
        let proposed = [
            World.address, World.address6, World.location, World.attributes,
        ]
        for probe in probes {
            let questions = probe.message.questions
            #expect(questions.map { $0.name }.sorted() == [World.instance, World.host].sorted())
            #expect(questions.allSatisfy { $0.type == .any && $0.recordClass == .internet })
            let authorities = probe.message.authorities
            #expect(authorities.count == proposed.count)
            for record in proposed {
                #expect(authorities.contains { $0.isSameRecord(as: record) })
            }
            // What is shared is not probed for, whatever else of the set is.
            #expect(!probe.carries(World.pointer))
        }
    }
}
