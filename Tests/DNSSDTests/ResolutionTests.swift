import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("Resolving")
struct ResolutionTests {
    let name: ServiceInstanceName
    let host: DomainName

    init() throws {
        name = try ServiceInstanceName("x", type: ServiceType("_http._tcp"))
        host = try DomainName("box.local")
    }

    private func srv(
        _ target: DomainName, port: UInt16 = 80, priority: UInt16 = 0, ttl: TimeToLive = .host
    ) -> ResourceRecord {
        let location = ServiceLocation(target: target, port: port, priority: priority)
        return ResourceRecord(
            name.domainName, .srv(location), timeToLive: ttl, cacheFlush: true)
    }

    private func txt(_ strings: [String]) throws -> ResourceRecord {
        let record = try TXTRecord(parsing: strings)
        return ResourceRecord(
            name.domainName, .txt(record.textStrings), timeToLive: .standard, cacheFlush: true)
    }

    private func address(
        _ text: String, of owner: DomainName? = nil, ttl: TimeToLive = .host
    ) throws -> ResourceRecord {
        let address = try #require(IPAddress(text))
        return ResourceRecord(
            owner ?? host, RecordData(address), timeToLive: ttl, cacheFlush: true)
    }

    private func resolved(_ change: Resolution?) -> ResolvedService? {
        if case .resolved(let service) = change { service } else { nil }
    }

    @Test("S5-1 S14-1 SRV, TXT, A and AAAA are asked for")
    func questions() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        _ = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let types = Set(
            link.sent.flatMap { $0.message.questions }
                .filter { $0.name == name.domainName }.map(\.type))
        #expect(types == [.srv, .txt])
        try link.inject(response([srv(host)]))
        link.run(.seconds(1))
        let hostTypes = Set(
            link.sent.flatMap { $0.message.questions }
                .filter { $0.name == host }.map(\.type))
        #expect(hostTypes == [.a, .aaaa])
    }

    @Test("S12-2 a responder that adds no further records is asked for them")
    func withoutAdditionals() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host)]))
        link.run(.milliseconds(500))
        try link.inject(response([txt(["a=1"])]))
        link.run(.milliseconds(500))
        #expect(link.resolutions(client, resolve).isEmpty)
        try link.inject(response([address("192.0.2.9")]))
        link.run(.milliseconds(500))
        let changes = link.resolutions(client, resolve)
        #expect(changes.count == 1)
        let service = try #require(resolved(changes.first))
        #expect(service.host == host)
        #expect(service.txt["a"]?.text == "1")
        #expect(service.addresses == [try #require(IPAddress("192.0.2.9"))])
        #expect(service.interface == VirtualLink.interface)
    }

    @Test("S12-3 further records about other names change nothing")
    func unrelatedAdditionals() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let other = try DomainName("other.local")
        try link.inject(
            response(
                [srv(host), txt(["a=1"])],
                additionals: [address("192.0.2.66", of: other), address("192.0.2.9")]))
        link.run(.seconds(1))
        let service = try #require(resolved(link.resolutions(client, resolve).last))
        #expect(service.addresses == [try #require(IPAddress("192.0.2.9"))])
    }

    @Test(
        "the order of records makes no difference",
        arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]])
    func anyOrder(order: [Int]) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let records = try [srv(host), txt(["a=1"]), address("192.0.2.9"), address("fe80::9")]
        try link.inject(response([], additionals: order.map { records[$0] }))
        link.run(.seconds(3))
        let changes = link.resolutions(client, resolve)
        #expect(changes.count == 1, "\(changes)")
        #expect(resolved(changes.first)?.addresses.count == 2)
        #expect(resolved(changes.first)?.txt["a"]?.text == "1")
    }

    @Test("S6-4 without a TXT record a service has no attributes, and resolves")
    func noText() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host), address("192.0.2.9")]))
        link.run(.milliseconds(1900))
        #expect(link.resolutions(client, resolve).isEmpty)
        link.run(.seconds(1))
        #expect(resolved(link.resolutions(client, resolve).first)?.txt.isEmpty == true)
    }

    @Test("A-22 a family that is never answered does not block the other")
    func oneFamily() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host), txt([]), address("192.0.2.9")]))
        link.run(.milliseconds(200))
        #expect(link.resolutions(client, resolve).count == 1)
        try link.inject(response([address("fe80::9")]))
        link.run(.milliseconds(10))
        #expect(resolved(link.resolutions(client, resolve).last)?.addresses.count == 2)
    }

    @Test("a family with a negative response is not waited for")
    func deniedFamily() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host), txt([])]))
        link.run(.milliseconds(200))
        let negative = ResourceRecord(
            host, .nsec(NextSecure(nextName: host, types: [.a])), timeToLive: .host,
            cacheFlush: true)
        try link.inject(response([address("192.0.2.9")], additionals: [negative]))
        #expect(link.resolutions(client, resolve).count == 1)
    }

    @Test("A-12 a target of the root says that the service is not available; it is not asked")
    func unavailable() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(.root, port: 0)]))
        link.run(.seconds(5))
        #expect(link.resolutions(client, resolve) == [.unavailable(name, VirtualLink.interface)])
        #expect(!link.sent.contains { $0.message.questions.contains { $0.name.isRoot } })
    }

    @Test("M6-27 the owner's word that there is no SRV says so at once")
    func deniedLocation() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let owner = name.domainName
        try link.inject(
            response([
                ResourceRecord(
                    owner, .nsec(NextSecure(nextName: owner, types: [.txt])), timeToLive: .host,
                    cacheFlush: true)
            ]))
        link.run(.seconds(1))
        #expect(link.resolutions(client, resolve) == [.unavailable(name, VirtualLink.interface)])
    }

    @Test("A-28 a port of 0 is reported as a name that is only reserved")
    func reserved() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host, port: 0), txt([]), address("192.0.2.9")]))
        link.run(.seconds(1))
        #expect(resolved(link.resolutions(client, resolve).first)?.isReservedName == true)
    }

    @Test("A-13 a target of one label is asked for as it is")
    func singleLabel() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        let bare = try DomainName("box")
        link.run(.seconds(1))
        try link.inject(response([srv(bare), txt([]), address("192.0.2.9", of: bare)]))
        link.run(.seconds(1))
        #expect(resolved(link.resolutions(client, resolve).first)?.host == bare)
        #expect(link.sent.contains { $0.message.questions.contains { $0.name == bare } })
    }

    @Test("M13-2 a target of unicast DNS is kept as it is, and not asked for by multicast")
    func unicastTarget() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        let target = try DomainName("box.example.com")
        link.run(.seconds(1))
        // Nor is it believed from whoever claims it on the link.
        try link.inject(response([srv(target), txt([]), address("192.0.2.9", of: target)]))
        link.run(.seconds(3))
        let expected = PartialService(
            name: name, interface: VirtualLink.interface, missing: .unicastAddresses,
            location: ServiceLocation(target: target, port: 80), txt: TXTRecord())
        #expect(link.resolutions(client, resolve) == [.partial(expected)])
        #expect(!link.sent.contains { $0.message.questions.contains { $0.name == target } })
    }

    @Test("S5-2 of several SRV records the one of lowest priority is picked")
    func priorities() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let other = try DomainName("spare.local")
        try link.inject(
            response([
                srv(other, port: 81, priority: 10), srv(host), txt([]), address("192.0.2.9"),
                address("192.0.2.10", of: other),
            ]))
        link.run(.seconds(1))
        let service = try #require(resolved(link.resolutions(client, resolve).last))
        #expect(service.host == host)
        #expect(service.alternatives.map(\.port) == [81])
        #expect(service.addresses == [try #require(IPAddress("192.0.2.9"))])
    }

    @Test("S6-27 several TXT records are all given")
    func severalTexts() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(
            response([srv(host), txt(["qtotal=2", "rp=a"]), txt(["rp=b"]), address("192.0.2.9")]))
        link.run(.seconds(1))
        let service = try #require(resolved(link.resolutions(client, resolve).last))
        #expect(service.txt["qtotal"]?.text == "2")
        #expect(service.furtherTexts.map { $0["rp"]?.text } == ["b"])
    }

    @Test("a changed SRV counts at once, before the old one is flushed")
    func movedService() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host), txt([]), address("192.0.2.9")]))
        link.run(.seconds(20))
        let other = try DomainName("other.local")
        try link.inject(response([srv(other, port: 8080), address("192.0.2.10", of: other)]))
        link.run(.seconds(5))
        let services = link.resolutions(client, resolve).map { resolved($0) }
        #expect(services.map { $0?.port } == [80, 8080], "\(link.resolutions(client, resolve))")
        #expect(services.last??.alternatives.isEmpty == true)
    }

    @Test("a TXT record that changes within a second of its announcement counts at once")
    func quickChange() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host), txt(["rev=1"]), address("192.0.2.9")]))
        link.run(.milliseconds(300))
        try link.inject(response([txt(["rev=2"])]))
        link.run(.seconds(5))
        let services = link.resolutions(client, resolve).map { resolved($0) }
        #expect(services.last??.txt["rev"]?.text == "2")
    }

    @Test("M6-27 A-12 a service whose SRV goes is known in part, and found when it returns")
    func lostAndFound() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(host), txt([]), address("192.0.2.9")]))
        link.run(.seconds(2))
        try link.inject(response([srv(host, ttl: .goodbye)]))
        link.run(.seconds(2))
        guard case .partial(let rest) = link.resolutions(client, resolve).last else {
            Issue.record("\(link.resolutions(client, resolve))")
            return
        }
        #expect(rest.missing == .location && rest.location == nil && rest.txt != nil)
        try link.inject(response([srv(host)]))
        link.run(.seconds(2))
        let changes = link.resolutions(client, resolve)
        #expect(changes.count == 3)
        #expect(resolved(changes.last)?.port == 80)
    }

    @Test("M16-7 D-20 aliases are followed, in circles they are not (field 17)")
    func aliases() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let alias = try DomainName("alias.local")
        let lookup = link.perform(client) { $0.startAddressLookup(host: alias, at: $1) }
        link.run(.seconds(1))
        let first = ResourceRecord(alias, .cname(host), timeToLive: .host, cacheFlush: true)
        try link.inject(response([first]))
        link.run(.seconds(1))
        #expect(link.sent.contains { $0.message.questions.contains { $0.name == host } })
        try link.inject(response([address("192.0.2.9")]))
        link.run(.seconds(1))
        let nine = try #require(IPAddress("192.0.2.9"))
        #expect(
            link.addresses(client, lookup) == [
                .added(nine, name: host, VirtualLink.interface)
            ])
        let back = ResourceRecord(host, .cname(alias), timeToLive: .host, cacheFlush: true)
        try link.inject(response([back]))
        link.run(.seconds(1))
        try link.inject(
            response([
                ResourceRecord(alias, .cname(host), timeToLive: .goodbye, cacheFlush: true)
            ]))
        link.run(.seconds(3))
        #expect(
            link.addresses(client, lookup).last
                == .removed(nine, name: host, VirtualLink.interface))
    }

    @Test("D-20 of two aliases of one name the first counts, one of the root none")
    func otherAliases() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let alias = try DomainName("alias.local")
        let third = try DomainName("third.local")
        _ = link.perform(client) { $0.startAddressLookup(host: alias, at: $1) }
        for target in [DomainName.root, host, third] {
            link.run(.seconds(1))
            try link.inject(
                response([ResourceRecord(alias, .cname(target), timeToLive: .host)]))
        }
        link.run(.seconds(3))
        let asked = Set(link.sent.flatMap { $0.message.questions.map(\.name) })
        #expect(asked == [alias, host])
    }

    @Test("M16-7 what an alias lacks says nothing of the host behind it")
    func denialOfAlias() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let alias = try DomainName("alias.local")
        let lookup = link.perform(client) { $0.startAddressLookup(host: alias, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([ResourceRecord(alias, .cname(host), timeToLive: .host)]))
        link.run(.seconds(1))
        try link.inject(
            response([
                ResourceRecord(
                    alias, .nsec(NextSecure(nextName: alias, types: [.txt])), timeToLive: .host)
            ]))
        link.run(.seconds(1))
        #expect(link.addresses(client, lookup).isEmpty)
    }

    @Test("D-20 an endless chain of aliases ends at the limit")
    func longChain() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let start = try DomainName("a0.local")
        _ = link.perform(client) { $0.startAddressLookup(host: start, at: $1) }
        for number in 0..<20 {
            link.run(.milliseconds(200))
            let from = try DomainName("a\(number).local")
            let target = try DomainName("a\(number + 1).local")
            try link.inject(
                response([ResourceRecord(from, .cname(target), timeToLive: .host)]))
        }
        link.run(.seconds(1))
        let asked = Set(link.sent.flatMap { $0.message.questions.map(\.name) })
        #expect(asked.count == DiscoveryLimits.aliasDepth)
    }

    @Test("addresses come and go; a family that does not exist is said to be absent")
    func lookup() throws {
        var link = VirtualLink()
        let server = try link.add("box", hostPublication: .always, addresses: ["192.0.2.7"])
        let client = try link.add("client")
        link.run(.seconds(3))
        let lookup = link.perform(client) { $0.startAddressLookup(host: host, at: $1) }
        link.run(.seconds(3))
        let seven = try #require(IPAddress("192.0.2.7"))
        #expect(
            Set(link.addresses(client, lookup)) == [
                .added(seven, name: host, VirtualLink.interface),
                .absent(.ipv6, VirtualLink.interface),
            ])
        link.perform(server) { $0.shutdown(at: $1) }
        link.run(.seconds(3))
        #expect(
            link.addresses(client, lookup).last
                == .removed(seven, name: host, VirtualLink.interface))
    }

    @Test("M4-1 an address leads back to its host")
    func reverse() throws {
        var link = VirtualLink()
        _ = try link.add("box", hostPublication: .always)
        let client = try link.add("client")
        link.run(.seconds(3))
        for text in ["192.0.2.1", "fe80::1"] {
            let address = try #require(IPAddress(text))
            let lookup = link.perform(client) { $0.startReverseLookup(address, at: $1) }
            link.run(.seconds(3))
            #expect(
                link.events(client, lookup)
                    == [.names(.added(host, VirtualLink.interface))])
        }
    }

    @Test("records are reported as they are, and their absence")
    func records() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let client = try link.add("client")
        let owner = try DomainName("thing.local")
        let data = RecordData.unknown(RecordType(rawValue: 65_280), [1, 2, 3])
        let record = ResourceRecord(owner, data, timeToLive: .host)
        let registration = try link.perform(server) {
            try $0.registerRecords(RecordRegistration([.init(record, .unique)]), at: $1)
        }
        link.run(.seconds(3))
        #expect(link.statuses(server, registration) == [.probing(owner), .established(owner)])
        let query = link.perform(client) { $0.startQuery(Question(owner, data.type), at: $1) }
        let absent = link.perform(client) { $0.startQuery(Question(owner, .txt), at: $1) }
        link.run(.seconds(3))
        guard case .records(.added(let found, _))? = link.events(client, query).first else {
            Issue.record("no record: \(link.events(client, query))")
            return
        }
        #expect(found.isSameRecord(as: record))
        #expect(link.events(client, absent) == [.records(.absent(.txt, VirtualLink.interface))])
    }
}
