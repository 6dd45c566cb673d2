import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

/// Aliases that end, return or are one of two, and what is asked for behind them.
@Suite("The second of each, behind aliases")
struct SecondAliasTests {
    private let alias: DomainName
    private let host: DomainName
    private let spare: DomainName
    private let four: IPAddress

    init() throws {
        alias = try DomainName("alias.local")
        host = try DomainName("box.local")
        spare = try DomainName("spare.local")
        four = try #require(IPAddress("192.0.2.9"))
    }

    private func leads(to target: DomainName, _ timeToLive: TimeToLive = .host) -> Message {
        response([ResourceRecord(alias, .cname(target), timeToLive: timeToLive)])
    }

    private func address(of host: DomainName) -> Message {
        response([
            ResourceRecord(host, RecordData(four), timeToLive: .host, cacheFlush: true)
        ])
    }

    private func asked(_ link: VirtualLink, since start: Int) -> Set<DomainName> {
        Set(link.sent[start...].flatMap { $0.message.questions.map(\.name) })
    }

    private func lookup() throws -> (link: VirtualLink, client: Int, id: OperationID) {
        var link = VirtualLink()
        let client = try link.add("client")
        let id = link.perform(client) { $0.startAddressLookup(host: alias, at: $1) }
        link.run(.seconds(1))
        try link.inject(leads(to: host))
        link.run(.seconds(1))
        try link.inject(address(of: host))
        link.run(.seconds(1))
        return (link, client, id)
    }

    @Test("M16-7 behind an alias that is gone nothing is asked for, and what was found may return")
    func returning() throws {
        var (link, client, id) = try lookup()
        let added = AddressEvent.added(four, name: host, VirtualLink.interface)
        let removed = AddressEvent.removed(four, name: host, VirtualLink.interface)
        try link.inject(leads(to: host, .goodbye))
        link.run(.seconds(3))
        #expect(link.addresses(client, id) == [added, removed])
        let start = link.sent.count
        link.run(.seconds(300))
        #expect(!asked(link, since: start).contains(host))
        try link.inject(leads(to: host))
        link.run(.seconds(1))
        try link.inject(address(of: host))
        link.run(.seconds(1))
        #expect(link.addresses(client, id) == [added, removed, added])
    }

    @Test("D-20 of two aliases the second leads on when the first is gone")
    func second() throws {
        var (link, client, id) = try lookup()
        try link.inject(leads(to: spare))
        link.run(.seconds(1))
        #expect(!asked(link, since: 0).contains(spare))
        try link.inject(leads(to: host, .goodbye))
        link.run(.seconds(3))
        #expect(asked(link, since: 0).contains(spare))
        try link.inject(address(of: spare))
        link.run(.seconds(1))
        #expect(
            link.addresses(client, id).last
                == .added(four, name: spare, VirtualLink.interface))
    }

    @Test("a look-up that ended asks for neither the alias nor what it led to")
    func ended() throws {
        var (link, client, id) = try lookup()
        link.perform(client) { $0.stop(id, at: $1) }
        let start = link.sent.count
        link.run(.seconds(300))
        #expect(asked(link, since: start).isEmpty)
    }
}
