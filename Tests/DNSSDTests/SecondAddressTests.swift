import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

/// The second family, alias and interface of what is looked up; and what was absent or gone and
/// comes again.
@Suite("The second of each, resolving")
struct SecondAddressTests {
    private static let second = InterfaceIndex(rawValue: 3)
    private let name: ServiceInstanceName
    private let host: DomainName
    private let four: IPAddress
    private let six: IPAddress

    init() throws {
        name = try ServiceInstanceName("One", type: ServiceType("_http._tcp"))
        host = try DomainName("box.local")
        four = try #require(IPAddress("192.0.2.9"))
        six = try #require(IPAddress("fe80::9"))
    }

    private func location(
        _ host: DomainName, port: UInt16 = 80, isUnique: Bool = true
    ) -> ResourceRecord {
        ResourceRecord(
            name.domainName, .srv(ServiceLocation(target: host, port: port)), timeToLive: .host,
            cacheFlush: isUnique)
    }

    private func text(_ entry: String) -> ResourceRecord {
        ResourceRecord(
            name.domainName, .txt(TextStrings([Array(entry.utf8)]) ?? .empty),
            timeToLive: .standard, cacheFlush: true)
    }

    private func address(_ address: IPAddress, of host: DomainName) -> ResourceRecord {
        ResourceRecord(host, RecordData(address), timeToLive: .host, cacheFlush: true)
    }

    /// The word of a name's owner that it has these types only.
    private func negative(_ owner: DomainName, _ types: [RecordType]) -> ResourceRecord {
        ResourceRecord(
            owner, .nsec(NextSecure(nextName: owner, types: types)), timeToLive: .host,
            cacheFlush: true)
    }

    private func goodbye(_ record: ResourceRecord) -> ResourceRecord {
        var record = record
        record.timeToLive = .goodbye
        return record
    }

    private func resolved(_ change: Resolution?) -> ResolvedService? {
        if case .resolved(let service) = change { service } else { nil }
    }

    private func resolution() throws -> (link: VirtualLink, client: Int, id: OperationID) {
        var link = VirtualLink()
        let client = try link.add("client")
        let id = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        return (link, client, id)
    }

    private var twoInterfaces: [NetworkInterface] {
        [
            VirtualLink.ethernet(["192.0.2.1"]),
            VirtualLink.ethernet(["198.51.100.1"], index: Self.second, name: "eth1"),
        ]
    }

    // MARK: Resolving

    @Test("the second family is waited for, whichever comes first", arguments: [false, true])
    func secondFamily(sixFirst: Bool) throws {
        var (link, client, id) = try resolution()
        let addresses = sixFirst ? [six, four] : [four, six]
        try link.inject(response([location(host), text("a=1"), address(addresses[0], of: host)]))
        link.run(.milliseconds(50))
        try link.inject(response([address(addresses[1], of: host)]))
        link.run(.seconds(1))
        let changes = link.resolutions(client, id)
        #expect(changes.count == 1)
        #expect(Set(resolved(changes.first)?.addresses ?? []) == [four, six])
    }

    @Test("so is that of a host that takes the place of another")
    func secondFamilyOfNextHost() throws {
        var (link, client, id) = try resolution()
        let next = try DomainName("next.local")
        try link.inject(response([location(host), address(four, of: host)]))
        link.run(.milliseconds(500))
        try link.inject(response([location(next), text("a=1"), address(four, of: next)]))
        link.run(.milliseconds(50))
        try link.inject(response([address(six, of: next)]))
        link.run(.milliseconds(100))
        let changes = link.resolutions(client, id)
        #expect(changes.count == 1)
        #expect(resolved(changes.first)?.host == next)
        #expect(Set(resolved(changes.first)?.addresses ?? []) == [four, six])
    }

    @Test("attributes that were absent, came and went are waited for when the service returns")
    func textAfterAbsence() throws {
        var (link, client, id) = try resolution()
        let rest = [location(host), address(four, of: host), address(six, of: host)]
        try link.inject(response(rest, additionals: [negative(name.domainName, [.srv])]))
        link.run(.seconds(1))
        #expect(resolved(link.resolutions(client, id).last)?.txt.isEmpty == true)
        try link.inject(response([text("rev=1")]))
        link.run(.seconds(2))
        #expect(resolved(link.resolutions(client, id).last)?.txt["rev"]?.text == "1")
        try link.inject(response((rest + [text("rev=1")]).map(goodbye)))
        link.run(.seconds(3))
        #expect(link.resolutions(client, id).last == .lost(name, VirtualLink.interface))
        let count = link.resolutions(client, id).count
        try link.inject(response(rest))
        link.run(.milliseconds(500))
        try link.inject(response([text("rev=2")]))
        link.run(.seconds(1))
        let changes = link.resolutions(client, id).dropFirst(count)
        #expect(changes.count == 1)
        #expect(resolved(changes.first)?.txt["rev"]?.text == "2")
    }

    @Test("a service that was unavailable and came is known in part when its SRV goes again")
    func locationAfterAbsence() throws {
        var (link, client, id) = try resolution()
        try link.inject(response([negative(name.domainName, [.txt])]))
        link.run(.seconds(1))
        #expect(link.resolutions(client, id) == [.unavailable(name, VirtualLink.interface)])
        try link.inject(response([location(host), text("a=1"), address(four, of: host)]))
        link.run(.seconds(3))
        #expect(resolved(link.resolutions(client, id).last)?.port == 80)
        try link.inject(response([goodbye(location(host))]))
        link.run(.seconds(3))
        guard case .partial(let rest) = link.resolutions(client, id).last else {
            Issue.record("\(link.resolutions(client, id))")
            return
        }
        #expect(rest.missing == .location)
    }

    @Test("each interface reports when its own time has come", arguments: [false, true])
    func eachInterface(secondFirst: Bool) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        link.update(client, interfaces: twoInterfaces)
        let id = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let both = [VirtualLink.interface, Self.second]
        // Without attributes, which are waited for for two seconds.
        for interface in secondFirst ? both.reversed() : both {
            try link.inject(
                response(
                    [location(host), address(four, of: host)],
                    additionals: [negative(host, [.a])]), on: interface)
            link.run(.milliseconds(1_500))
        }
        #expect(link.resolutions(client, id).count == 1)
        link.run(.seconds(3))
        #expect(link.resolutions(client, id).count == 2)
    }

    @Test("each SRV record of an instance that seems to be gone is made sure of")
    func severalLocations() throws {
        var (link, client, id) = try resolution()
        let spare = try DomainName("spare.local")
        try link.inject(
            response([
                location(host), location(spare, port: 81), text("a=1"), address(four, of: host),
                address(four, of: spare),
            ]))
        link.run(.seconds(5))
        #expect(resolved(link.resolutions(client, id).last)?.alternatives.count == 1)
        link.perform(client) { $0.reconfirm(name, at: $1) }
        link.run(.seconds(11))
        guard case .partial(let rest) = link.resolutions(client, id).last else {
            Issue.record("\(link.resolutions(client, id))")
            return
        }
        #expect(rest.missing == .location)
    }

    @Test("instances that are gone before they were resolved keep no other from it")
    func goneInstances() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let type = try ServiceType("_http._tcp")
        _ = try link.perform(client) { try $0.startBrowse(type, detail: .services, at: $1) }
        link.run(.milliseconds(300))
        let pointers = try (0..<DiscoveryLimits.pendingResolutions).map { number in
            let target = try ServiceInstanceName("Gone \(number)", type: type)
            return try ResourceRecord(
                type.domainName(), .ptr(target.domainName), timeToLive: .standard)
        }
        for record in pointers { try link.inject(response([record])) }
        for record in pointers { try link.inject(response([goodbye(record)])) }
        link.run(.milliseconds(1_300))
        let start = link.sent.count
        try link.inject(
            response([
                ResourceRecord(
                    type.domainName(), .ptr(name.domainName), timeToLive: .standard)
            ]))
        link.run(.seconds(1))
        #expect(
            link.sent[start...].contains {
                $0.message.questions.contains { $0.name == name.domainName && $0.type == .srv }
            })
    }

    // MARK: Looking up addresses

    @Test("a family that was absent, came and went is absent again", arguments: [false, true])
    func absentTwice(isSix: Bool) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let id = link.perform(client) { $0.startAddressLookup(host: host, at: $1) }
        link.run(.seconds(1))
        let late = address(isSix ? six : four, of: host)
        let absence = negative(host, [.txt, isSix ? .a : .aaaa])
        let family: AddressFamily = isSix ? .ipv6 : .ipv4
        try link.inject(response([absence]))
        link.run(.seconds(2))
        try link.inject(response([goodbye(absence), late]))
        link.run(.seconds(2))
        try link.inject(response([goodbye(late)]))
        link.run(.seconds(2))
        try link.inject(response([absence]))
        link.run(.seconds(2))
        let interface = VirtualLink.interface
        #expect(
            link.addresses(client, id) == [
                .absent(family, interface),
                .added(isSix ? six : four, name: host, interface),
                .removed(isSix ? six : four, name: host, interface),
                .absent(family, interface),
            ])
    }

    @Test("what was absent on an interface that is gone is said anew when it returns")
    func absentOnReturn() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let id = link.perform(client) { $0.startAddressLookup(host: host, at: $1) }
        let interfaces = link.interfaces(client)
        for _ in 0..<2 {
            link.update(client, interfaces: interfaces)
            link.run(.seconds(2))
            try link.inject(response([negative(host, [.a])]))
            link.run(.seconds(1))
            link.update(client, interfaces: [])
            link.run(.seconds(1))
        }
        let absent = AddressEvent.absent(.ipv6, VirtualLink.interface)
        #expect(link.addresses(client, id) == [absent, absent])
    }

    @Test("M16-7 an alias that goes on one interface leads on from the other", arguments: [0, 1])
    func aliasOnTwoInterfaces(gone: Int) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        link.update(client, interfaces: twoInterfaces)
        let alias = try DomainName("alias.local")
        let id = link.perform(client) { $0.startAddressLookup(host: alias, at: $1) }
        link.run(.seconds(1))
        let both = [VirtualLink.interface, Self.second]
        let record = ResourceRecord(alias, .cname(host), timeToLive: .host, cacheFlush: true)
        for interface in both { try link.inject(response([record]), on: interface) }
        link.run(.seconds(1))
        for interface in both {
            try link.inject(response([address(four, of: host)]), on: interface)
        }
        link.run(.seconds(1))
        #expect(link.addresses(client, id).count == 2)
        try link.inject(response([goodbye(record)]), on: both[gone])
        link.run(.seconds(3))
        #expect(link.addresses(client, id).count == 2, "\(link.addresses(client, id))")
        try link.inject(response([goodbye(record)]), on: both[1 - gone])
        link.run(.seconds(3))
        #expect(link.addresses(client, id).count == 4, "\(link.addresses(client, id))")
    }
}
