import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Holders of a name that answer no probe within a second of their last multicast of it, as
/// mDNSResponder (captured by Tests/long/mdnsresponder).
@Suite struct SilentHolderTests {
    @Test(
        "M8-12 who has announced just before our first probe, and is silent for a second, is found",
        arguments: [1, 100, 200] as [UInt64])
    func announcedBefore(seed: UInt64) {
        var harness = EngineHarness(seed: seed)
        // Beside another program on the port: answers by unicast could go to that.
        harness.engine.mayAskForUnicast = false
        let id = harness.publish(World.hostSet)
        harness.advanceToProbe()
        let silentUntil = (harness.probes.first?.time ?? .zero).advanced(by: .seconds(1))
        var answered = 0
        while harness.now < silentUntil.advanced(by: .seconds(1)) {
            let before = harness.probes.count
            harness.advance(by: .milliseconds(10))
            guard harness.probes.count > before, harness.now >= silentUntil else { continue }
            harness.advance(by: .milliseconds(100))
            harness.respond([World.rival(World.host)])
            answered += 1
        }
        #expect(answered == 1)
        #expect(harness.statuses(of: id) == [.probing, .conflicted(World.host)])
        #expect(harness.responses.isEmpty)
    }

    @Test("M8-7 M8-8 alone on the port three probes are enough, beside another program four")
    func probeCounts() {
        for (mayAskForUnicast, count) in [(true, 3), (false, 4)] {
            var harness = EngineHarness()
            harness.engine.mayAskForUnicast = mayAskForUnicast
            let id = harness.publish(World.hostSet)
            harness.advance(by: .seconds(5))
            #expect(harness.probes.count == count)
            #expect(harness.statuses(of: id) == [.probing, .established])
            let times = harness.probes.map { $0.time }
            #expect(
                zip(times, times.dropFirst()).prefix(2).allSatisfy {
                    $0.duration(to: $1) == .milliseconds(250)
                })
        }
    }

    @Test("M8-12 M8-23 the winner of a tie that announces while we wait has the name")
    func winnerAnnounces() {
        for destination in [IPAddress.multicastDNS(.ipv4), .device] {
            var harness = EngineHarness()
            let id = harness.publish(World.hostSet)
            harness.advanceToProbe()
            let winner = World.rival(World.host, lastByte: 255)
            harness.probe(World.host, proposing: [winner.flushing(false)])
            #expect(harness.engine.statistics.tiebreaksLost == 1)
            harness.advance(by: .milliseconds(700))
            if destination.isMulticast {
                harness.respond([winner])
            } else {
                harness.respond([winner], to: .device)
            }
            #expect(harness.statuses(of: id).last == .conflicted(World.host))
        }
    }

    @Test("M8-23 A-20 our own data from before an update does not take the name in that wait")
    func echoInTheWait() {
        var harness = EngineHarness()
        let id = harness.establish(World.hostSet)
        let later = ResourceRecord(World.host, .a(IPv4Address(192, 0, 2, 7)), timeToLive: .host)
        harness.update(id, to: [.init(later, .unique)])
        harness.advance(by: .seconds(2))
        harness.respond([World.rival(World.host)])
        harness.advance(by: .milliseconds(300))
        harness.probe(
            World.host, proposing: [World.rival(World.host, lastByte: 255).flushing(false)])
        harness.respond([World.address.flushing(true)])
        #expect(harness.statuses(of: id).last != .conflicted(World.host))
    }
}
