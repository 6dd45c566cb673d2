import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// What users of other stacks report of caches and events, of what comes, changes and goes.
@Suite(.runEvidence) struct FieldCacheTests {
    private let printer = Offer.named("Printer._ipp._tcp.local")
    private let camera = Offer.named("camera.local")

    private func address(_ last: UInt8, flush: Bool = true) -> ResourceRecord {
        ResourceRecord(
            camera, .a(IPv4Address(10, 0, 9, last)), timeToLive: .host, cacheFlush: flush)
    }

    /// The addresses that a look-up has after these events.
    private func follow(_ events: [HostEvent], _ addresses: inout [IPAddress]) {
        for case .operation(_, .addresses(let change)) in events {
            switch change {
            case .added(let address, _, _): addresses.append(address)
            case .removed(let address, _, _): addresses.removeAll { $0 == address }
            case .absent: break
            }
        }
    }

    @Test("field 28: flushed records live a second, by a timer of their own; younger ones stay")
    func flushedRecords() throws {
        var world = try FieldWorld(seed: 28, hosts: ["browser"])
        let browser = world.hosts[0]
        let name = camera
        world.network.withDiscovery(of: browser) {
            $0.startAddressLookup(host: name, families: [.ipv4], at: $1)
        }
        var addresses: [IPAddress] = []
        func expect(_ last: [UInt8], after duration: Duration) {
            world.run(duration)
            follow(world.network.drainEvents(of: browser), &addresses)
            #expect(addresses.map(\.bytes.last) == last)
        }
        expect([], after: .seconds(1))
        try world.respond([address(1)])
        expect([1], after: .seconds(5))
        try world.respond([address(2)])
        expect([1, 2], after: .milliseconds(950))
        // Nobody says anything any more.
        expect([2], after: .milliseconds(100))
        // Two packets of one answer, both with the bit.
        try world.respond([address(3)])
        expect([2, 3], after: .milliseconds(600))
        try world.respond([address(4)])
        expect([3, 4], after: .seconds(3))
        world.expectClean()
    }

    @Test("field 28: a goodbye is undone by another holder of the record")
    func rescuedRecord() throws {
        var world = try FieldWorld(seed: 128, hosts: ["one", "two", "browser"])
        let shared = ResourceRecord(FieldWorld.type, .ptr(printer), timeToLive: .standard)
        var registrations: [OperationID] = []
        for host in world.hosts.prefix(2) {
            let id = world.network.withDiscovery(of: host) {
                try? $0.registerRecords(RecordRegistration([.init(shared, .shared)]), at: $1)
            }
            registrations.append(try #require(id ?? nil))
        }
        try world.browse(by: world.hosts[2])
        world.run(.seconds(10))
        #expect(world.found(by: world.hosts[2]) == [printer])
        world.network.unregister(registrations[0], by: world.hosts[0])
        world.run(.seconds(10))
        #expect(world.changes(by: world.hosts[2]).count == 1)
        world.network.unregister(registrations[1], by: world.hosts[1])
        world.run(.milliseconds(1_100))
        #expect(world.found(by: world.hosts[2]) == [])
        world.expectClean()
    }

    @Test("field 29: with and without the flush bit, again and again, is no event")
    func flushBitIsNoEvent() throws {
        var world = try FieldWorld(seed: 29, hosts: ["browser"])
        try world.browse(by: world.hosts[0], detail: .services)
        let location = ServiceLocation(target: camera, port: 80)
        func records(_ flush: Bool) -> [ResourceRecord] {
            [
                ResourceRecord(
                    FieldWorld.type, .ptr(printer), timeToLive: .standard, cacheFlush: flush),
                ResourceRecord(printer, .srv(location), timeToLive: .host, cacheFlush: flush),
                ResourceRecord(printer, .txt(.empty), timeToLive: .standard, cacheFlush: flush),
                address(1, flush: flush),
            ]
        }
        try world.respond(records(true))
        world.run(.seconds(3))
        #expect(!world.changes(by: world.hosts[0]).isEmpty)
        for round in 0..<10 {
            try world.respond(records(round % 2 == 0))
            world.run(.seconds(3))
        }
        #expect(world.changes(by: world.hosts[0]).isEmpty)
        #expect(world.network.hosts[world.hosts[0].rawValue].cachedRecordCount == 4)
        world.expectClean()
    }

    @Test("field 32: what is added under a name is removed under it, by type and by subtype")
    func oneNameInAllEvents() throws {
        var world = try FieldWorld(seed: 32, hosts: ["provider", "browser"])
        let color = try ServiceSubtype("_color")
        let browser = world.hosts[1]
        let id = try world.register(by: world.hosts[0], subtypes: [color])
        try world.browse(by: browser)
        try world.browse(by: browser, subtype: color)
        world.run(.seconds(10))
        world.network.unregister(id, by: world.hosts[0])
        world.run(.seconds(3))
        let changes = world.changes(by: browser)
        #expect(changes.count == 4)
        #expect(changes.allSatisfy { $0.instance?.name.domainName == printer })
        #expect(world.found(by: browser).isEmpty)
        world.expectClean()
    }

    @Test("field 33: one service goes; the host's addresses stay, and no query revives it")
    func oneOfTwoServices() throws {
        var world = try FieldWorld(seed: 33, hosts: ["provider", "browser"])
        let provider = world.hosts[0]
        let id = try world.register(by: provider)
        try world.register("Scanner", by: provider)
        try world.browse(by: world.hosts[1], detail: .services)
        world.run(.seconds(10))
        _ = world.receivedMessages()
        world.network.unregister(id, by: provider)
        for _ in 0..<20 {
            try world.ask(FieldWorld.type, .ptr)
            try world.ask(printer, .any)
            world.run(.milliseconds(100))
        }
        let records = world.receivedMessages().flatMap(\.records)
        let gone = records.filter { $0.timeToLive == .goodbye }
        #expect(gone.contains { $0.data == .ptr(printer) })
        #expect(gone.allSatisfy { $0.data.address == nil })
        let revived = records.filter {
            $0.timeToLive > .goodbye && ($0.data == .ptr(printer) || $0.name == printer)
        }
        #expect(revived.isEmpty)
        #expect(world.found(by: world.hosts[1]) == [Offer.named("Scanner._ipp._tcp.local")])
        world.expectClean()
    }

    @Test("field 34: goodbye on withdrawal, on another name, and at the end")
    func goodbyes() throws {
        var world = try FieldWorld(seed: 34, hosts: ["provider", "browser"])
        let (provider, browser) = (world.hosts[0], world.hosts[1])
        let id = try world.register(by: provider)
        try world.browse(by: browser)
        world.run(.seconds(10))
        // Another name: the old one goes, the new one comes.
        world.network.unregister(id, by: provider)
        try world.register("Printer upstairs", by: provider)
        world.run(.seconds(3))
        #expect(world.found(by: browser) == [Offer.named("Printer upstairs._ipp._tcp.local")])
        world.network.withDiscovery(of: provider) { $0.shutdown(at: $1) }
        world.network.run(for: .milliseconds(5))
        world.network.crash(provider)
        world.run(.milliseconds(1_100))
        #expect(world.found(by: browser).isEmpty)
        world.expectClean()
    }

    @Test("field 34: a goodbye said over and over does not put the end off")
    func repeatedGoodbyes() throws {
        var world = try FieldWorld(seed: 134, hosts: ["browser"])
        try world.browse(by: world.hosts[0])
        var pointer = ResourceRecord(FieldWorld.type, .ptr(printer), timeToLive: .standard)
        try world.respond([pointer])
        world.run(.seconds(5))
        #expect(world.found(by: world.hosts[0]) == [printer])
        pointer.timeToLive = .goodbye
        for _ in 0..<4 {
            try world.respond([pointer])
            world.run(.milliseconds(300))
        }
        #expect(world.found(by: world.hosts[0]).isEmpty)
        world.expectClean()
    }

    @Test("field 38: a dead service is forgotten once others have asked for it in vain")
    func observedFailure() throws {
        var world = try FieldWorld(seed: 38, hosts: ["provider", "old", "new"])
        try world.register(by: world.hosts[0])
        try world.browse(by: world.hosts[1])
        world.run(.seconds(60))
        world.network.crash(world.hosts[0])
        world.run(.seconds(60))
        #expect(world.found(by: world.hosts[1]) == [printer])
        try world.browse(by: world.hosts[2])
        world.run(.seconds(14))
        #expect(world.found(by: world.hosts[1]).isEmpty)
        world.expectClean()
    }

    @Test("field 39: a TXT change is announced twice on each interface and reported once")
    func textChange() throws {
        var world = try FieldWorld(seed: 39, links: 2)
        let provider = try world.add("provider", on: [0, 1])
        let browsers = [try world.add("one", on: [0]), try world.add("two", on: [1])]
        let id = try world.register(by: provider, txt: try TXTRecord(parsing: ["a=1"]))
        for browser in browsers { try world.browse(by: browser, detail: .services) }
        world.run(.seconds(20))
        for browser in browsers { #expect(!world.changes(by: browser).isEmpty) }
        _ = world.receivedMessages()
        let text = try TXTRecord(parsing: ["a=2"])
        world.network.withDiscovery(of: provider) { try? $0.update(id, txt: text, at: $1) }
        world.run(.seconds(60))
        let received = world.receivedMessages().filter {
            $0.records.contains { $0.name == printer && $0.type == .txt && $0.cacheFlush }
        }
        for link in world.links {
            let times = received.filter { $0.link == link }.map(\.time)
            #expect(times.count == 2)
            #expect(
                zip(times, times.dropFirst()).allSatisfy {
                    $0.duration(to: $1) > .milliseconds(990)
                })
        }
        for browser in browsers {
            let changes = world.changes(by: browser)
            #expect(changes.count == 1)
            #expect(changes.first?.instance?.service?.txt == text)
        }
        world.expectClean()
    }

    @Test("field 55: what was refreshed lives on; what went is asked for and found again")
    func refreshedAndLost() throws {
        var world = try FieldWorld(seed: 55, hosts: ["browser"])
        let browser = world.hosts[0]
        try world.browse(by: browser)
        let pointer = ResourceRecord(FieldWorld.type, .ptr(printer), timeToLive: .seconds(120))
        for _ in 0..<30 {
            try world.respond([pointer])
            world.run(.seconds(60))
            #expect(world.found(by: browser) == [printer])
        }
        world.run(.seconds(59))
        #expect(world.found(by: browser) == [printer])
        world.run(.seconds(2))
        #expect(world.found(by: browser).isEmpty)
        _ = world.receivedMessages()
        world.run(.seconds(3_700))
        #expect(
            world.receivedMessages().contains { $0.message.questions.contains { $0.type == .ptr } })
        try world.respond([pointer])
        world.run(.seconds(1))
        #expect(world.found(by: browser) == [printer])
        #expect(world.changes(by: browser).count == 3)
        world.expectClean()
    }

    @Test("field 56: a subtype is withdrawn by itself")
    func subtypeWithdrawn() throws {
        var world = try FieldWorld(seed: 56, hosts: ["provider", "browser", "other"])
        let (color, duplex) = (try ServiceSubtype("_color"), try ServiceSubtype("_duplex"))
        let id = try world.register(by: world.hosts[0], subtypes: [color, duplex])
        try world.browse(by: world.hosts[1], subtype: color)
        try world.browse(by: world.hosts[2])
        world.run(.seconds(10))
        #expect(world.found(by: world.hosts[1]) == [printer])
        world.network.withDiscovery(of: world.hosts[0]) {
            try? $0.update(id, subtypes: [duplex], at: $1)
        }
        world.run(.seconds(3))
        #expect(world.found(by: world.hosts[1]).isEmpty)
        #expect(world.found(by: world.hosts[2]) == [printer])
        #expect(world.changes(by: world.hosts[2]).count == 1)
        try world.browse(by: world.hosts[2], subtype: duplex)
        world.run(.seconds(3))
        #expect(world.found(by: world.hosts[2]) == [printer, printer])
        world.expectClean()
    }
}
