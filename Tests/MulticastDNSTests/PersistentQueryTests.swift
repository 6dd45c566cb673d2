import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What no peer and no change of the interface may do to a query that runs.
@Suite struct PersistentQueryTests {
    private static let families: [(NetworkInterface, IPAddress)] = [
        (.lan, .tester), (.dual, .tester6),
    ]

    private func harness(_ interfaces: [NetworkInterface] = [.lan]) -> EngineHarness {
        EngineHarness(configuration: Configuration(), interfaces: interfaces)
    }

    @Test("a query by interface name follows the name, and ends when it is stopped")
    func renamedInterface() {
        var harness = harness([.lan, .secondLAN])
        let old = harness.startQuery(World.type, .ptr, on: .named(["eth0"]))
        let new = harness.startQuery(World.otherHost, .a, on: .named(["lan0"]))
        harness.respond([World.foundPointer])
        harness.advance(by: .seconds(10))
        var renamed = NetworkInterface.lan
        renamed.name = "lan0"
        harness.update(interfaces: [renamed, .secondLAN])
        #expect(harness.present(in: old).isEmpty)
        harness.clear()
        harness.advance(by: .seconds(10))
        #expect(!harness.queries.isEmpty)
        #expect(harness.queries.allSatisfy { $0.asks(Question(World.otherHost, .a)) })
        #expect(harness.queries.allSatisfy { $0.interface == .first })
        harness.stopQuery(old)
        harness.stopQuery(new)
        harness.clear()
        harness.advance(by: .seconds(600))
        #expect(harness.queries.isEmpty)
    }

    @Test("F6 a query that was stopped after its interface's renaming is asked no more")
    func stoppedAfterRenaming() {
        var harness = harness()
        let id = harness.startQuery(World.type, .ptr, on: .named(["eth0"]))
        harness.advance(by: .seconds(10))
        var renamed = NetworkInterface.lan
        renamed.name = "lan0"
        harness.update(interfaces: [renamed])
        harness.stopQuery(id)
        harness.clear()
        harness.advance(by: .seconds(600))
        #expect(harness.queries.isEmpty)
    }

    @Test("M5-12 M10-22 who joins a question that only reconfirms has all records refreshed")
    func joinedReconfirmation() {
        var harness = harness()
        harness.startQuery(World.type, .ptr)
        let one = World.foundAddress
        let two = World.rival(World.otherHost)
        harness.respond([World.foundPointer], additionals: [World.foundLocation, one, two])
        harness.advance(by: .seconds(5))
        harness.reconfirm(one)
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([one])
        harness.clear()
        // The refresh of the one that was not received again, and not of the other.
        harness.advance(by: .seconds(95))
        #expect(harness.queries.contains { $0.asks(Question(World.otherHost, .a)) })
    }

    private static let sharedNames = [
        "_ipp._tcp.local", "_x._sub._ipp._tcp.local", "color._sub._ipp._udp.local",
        "_services._dns-sd._udp.local", "b._dns-sd._udp.local", "lb._dns-sd._udp.local",
    ]

    /// Whether a question's series goes on after such a response, and how many of another
    /// source's records that removed it or sent an NSEC.
    private func effect(
        of response: ResourceRecord, _ family: (NetworkInterface, IPAddress)
    ) -> (queries: Int, removed: Int, absent: Int) {
        var harness = harness([family.0, .secondLAN])
        let query = harness.startQuery(response.name, .ptr, on: .named(["eth0"]))
        harness.advance(by: .milliseconds(200))
        harness.respond(
            [ResourceRecord(response.name, .ptr(World.otherInstance), timeToLive: .standard)],
            from: .other)
        harness.advance(by: .seconds(2))
        harness.respond([response], from: family.1)
        harness.advance(by: .milliseconds(1))
        harness.clear()
        harness.advance(by: .seconds(70))
        return (
            harness.queries.count { $0.asks(Question(response.name, .ptr)) },
            harness.removed(from: query).count, harness.absences(of: query).count
        )
    }

    @Test("M10-8 A-9 a cache-flush bit ends no series at a set that is shared by definition")
    func flushAtSharedSet() {
        for family in Self.families {
            for name in Self.sharedNames {
                let effect = effect(
                    of: ResourceRecord(
                        named(name), .ptr(World.instance), timeToLive: .standard, cacheFlush: true),
                    family)
                #expect(effect.queries >= 4, "\(name)")
                #expect(effect.removed == 0, "\(name)")
            }
            // The name of an address has one owner.
            let reverse = named("9.2.0.192.in-addr.arpa")
            let unique = effect(
                of: ResourceRecord(
                    reverse, .ptr(World.host), timeToLive: .standard, cacheFlush: true), family)
            #expect(unique.queries == 0)
        }
    }

    @Test("M6-27 M12-3 an NSEC says nothing of PTR at a set that is shared by definition")
    func negativeResponseAtSharedSet() {
        for family in Self.families {
            for name in Self.sharedNames {
                let nsec = NextSecure(nextName: named(name), types: [.txt])
                let effect = effect(
                    of: ResourceRecord(
                        named(name), .nsec(nsec), timeToLive: .standard, cacheFlush: true), family)
                #expect(effect.queries >= 4, "\(name)")
                #expect(effect.absent == 0, "\(name)")
            }
        }
    }

    @Test("M10-4 after a goodbye one query confirms that the record is gone")
    func confirmation() {
        for family in Self.families {
            var harness = harness([family.0])
            let query = harness.startQuery(World.type, .ptr)
            harness.advance(by: .milliseconds(200))
            harness.respond([World.foundPointer], from: family.1)
            // The interval is over half an hour by now.
            harness.advance(by: .seconds(2_100))
            harness.respond([World.foundPointer], from: family.1)
            harness.clear()
            harness.respond([World.foundPointer.lasting(0)], from: family.1)
            harness.advance(by: .milliseconds(1_500))
            let asked = harness.queries.filter { $0.asks(Question(World.type, .ptr)) }
            #expect(asked.count == harness.engine.activeInterfaces[0].familyCount)
            #expect(asked.allSatisfy { !$0.carries(World.foundPointer) })
            // The owner of a record that was taken back by another is still there.
            harness.respond([World.foundPointer], from: family.1)
            #expect(harness.present(in: query).count == 1)
            harness.advance(by: .seconds(60))
            #expect(harness.queries.count == asked.count)
        }
    }

    @Test("M5-4 M10-4 confirmations of one question are a second apart, whatever is removed")
    func confirmationInterval() {
        var harness = harness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(2_100))
        harness.clear()
        for index in 0..<100 {
            let record = ResourceRecord(
                World.type, .ptr(named("\(index)._ipp._tcp.local")), timeToLive: .standard)
            harness.respond([record])
            harness.respond([record.lasting(0)])
            harness.advance(by: .milliseconds(100))
        }
        let times = harness.queries.map(\.time)
        #expect(times.count >= 5)
        #expect(gaps(times).allSatisfy { $0 >= .seconds(1) })
    }

    @Test("M10-8 after a cache flush one query confirms that the other record is gone")
    func confirmationOfFlush() {
        var harness = harness()
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress])
        harness.advance(by: .seconds(5))
        harness.clear()
        harness.respond([World.rival(World.otherHost)], from: .other)
        harness.advance(by: .seconds(3))
        #expect(harness.queries.count { $0.asks(Question(World.otherHost, .a)) } == 1)
    }

    @Test("D-28 a record lives a day at most, whatever its sender says")
    func longestLifetime() {
        for seconds: UInt32 in [86_401, 0x7FFF_FFFF] {
            var harness = harness()
            let query = harness.startQuery(World.otherHost, .a)
            harness.respond([World.foundAddress.lasting(seconds)])
            harness.advance(by: .seconds(86_390))
            #expect(harness.present(in: query).count == 1)
            harness.advance(by: .seconds(20))
            #expect(harness.present(in: query).isEmpty)
        }
    }

    @Test("M5-12 A-18 at a lifetime of 20 s all four refreshes leave, a second apart")
    func refreshesOfShortLifetime() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            harness.startQuery(World.otherHost, .a)
            harness.advance(by: .milliseconds(200))
            harness.respond([World.foundAddress.lasting(20)])
            let start = harness.now
            harness.clear()
            harness.advance(by: .milliseconds(19_900))
            let times = harness.queries.map { $0.time - start }
            #expect(times.count == 4)
            for (time, second) in zip(times, [16, 17, 18, 19] as [Int64]) {
                #expect(time >= .seconds(second) && time <= .milliseconds(second * 1000 + 400))
            }
            #expect(gaps(harness.queries.map(\.time)).allSatisfy { $0 >= .seconds(1) })
        }
    }

    private static let reverse = ResourceRecord(
        named("2.2.0.192.in-addr.arpa"), .ptr(World.otherHost), timeToLive: .host,
        cacheFlush: true)

    @Test("M10-20 the reverse mapping of an address that its host has given up is reconfirmed")
    func changedAddress() {
        var harness = harness()
        harness.startQuery(World.otherHost, .a)
        let names = harness.startQuery(Self.reverse.name, .ptr)
        harness.respond([World.foundAddress, Self.reverse])
        harness.advance(by: .seconds(5))
        harness.clear()
        harness.respond([World.rival(World.otherHost)])
        harness.advance(by: .seconds(12))
        #expect(harness.queries.count { $0.asks(Question(Self.reverse.name, .ptr)) } >= 2)
        #expect(harness.removed(from: names).count == 1)
    }

    @Test("M10-20 an address that is another host's by its reverse mapping is reconfirmed")
    func changedReverseMapping() {
        for answers in [false, true] {
            var harness = harness()
            let addresses = harness.startQuery(World.otherHost, .a)
            harness.startQuery(Self.reverse.name, .ptr)
            harness.respond([World.foundAddress, Self.reverse])
            harness.advance(by: .seconds(5))
            harness.clear()
            var moved = Self.reverse
            moved.data = .ptr(World.host)
            harness.respond([moved], from: .other)
            harness.advance(by: .milliseconds(500))
            #expect(harness.queries.count { $0.asks(Question(World.otherHost, .a)) } == 1)
            if answers { harness.respond([World.foundAddress]) }
            harness.advance(by: .seconds(12))
            #expect(harness.removed(from: addresses).count == (answers ? 0 : 1))
        }
    }
}

extension NetworkInterface {
    fileprivate var familyCount: Int { Set(addresses.map(\.address.family)).count }
}
