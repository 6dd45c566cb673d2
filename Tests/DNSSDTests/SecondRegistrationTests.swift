import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

/// What happens a second time, to a second service, address or interface, when names are taken
/// and given back.
@Suite("The second of each, registering")
struct SecondRegistrationTests {
    private static let second = InterfaceIndex(rawValue: 3)
    private let http: ServiceType
    private let box: DomainName

    init() throws {
        http = try ServiceType("_http._tcp")
        box = try DomainName("box.local")
    }

    private func instance(_ text: String) throws -> DomainName {
        try ServiceInstanceName(text, type: http).domainName
    }

    private func service(_ name: String, port: UInt16 = 80) -> ServiceDescription {
        ServiceDescription(name: name, type: http, port: port)
    }

    private func proxied(
        _ name: String, _ host: String, _ addresses: [String]
    ) throws -> ServiceDescription {
        ServiceDescription(
            name: name, type: http, port: 80,
            host: .init(
                name: try DomainName(host),
                addresses: try addresses.map { try #require(IPAddress($0)) },
                publishesReverseMapping: true))
    }

    private var interfaces: [NetworkInterface] {
        [
            VirtualLink.ethernet(["192.0.2.1", "2001:db8::1"]),
            VirtualLink.ethernet(
                ["198.51.100.1", "2001:db8:1::1"], index: Self.second, name: "eth1"),
        ]
    }

    /// The owners of what a host said on an interface from a place on: records that live, and
    /// goodbyes.
    private func said(
        _ link: VirtualLink, _ host: Int, on interface: InterfaceIndex, since start: Int = 0
    ) -> (alive: Set<DomainName>, goodbyes: Set<DomainName>) {
        let answers = link.sent[start...]
            .filter {
                $0.host == host && $0.interface == interface && $0.message.header.isResponse
            }
            .flatMap(\.message.answers)
        return (
            Set(answers.filter { $0.timeToLive > .goodbye }.map(\.name)),
            Set(answers.filter { $0.timeToLive == .goodbye }.map(\.name))
        )
    }

    // MARK: Names that are taken twice

    @Test("M9-6 M9-8 M14-2 a host that is renamed twice has the third name, on both interfaces")
    func hostRenamedTwice() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        link.update(host, interfaces: interfaces)
        let services = try ["One", "Two", "Three"].map { name in
            try link.perform(host) { try $0.register(service(name), at: $1) }
        }
        let names = try [box, DomainName("box-2.local"), DomainName("box-3.local")]
        try link.defend(
            Array(names.prefix(2)), with: .a(IPv4Address(192, 0, 2, 99)), for: .seconds(10))
        link.run(.seconds(10))
        #expect(
            link.hosts[host].nameEvents == [
                .probing(names[0]), .renamed(from: names[0], to: names[1]), .probing(names[1]),
                .renamed(from: names[1], to: names[2]), .probing(names[2]),
                .established(names[2]),
            ])
        for interface in [VirtualLink.interface, Self.second] {
            let (alive, _) = said(link, host, on: interface)
            #expect(alive.contains(names[2]))
            #expect(alive.isDisjoint(with: names.prefix(2)))
        }
        // Every service has followed.
        let client = try link.add("client")
        for (id, name) in zip(services, ["One", "Two", "Three"]) {
            #expect(link.statuses(host, id).last == .established(try instance(name)))
            let target = try ServiceInstanceName(name, type: http)
            let resolution = link.perform(client) { $0.startResolve(target, at: $1) }
            link.run(.seconds(3))
            guard case .resolved(let found) = link.resolutions(client, resolution).last else {
                Issue.record("\(name) is not resolved")
                continue
            }
            #expect(found.host == names[2])
        }
    }

    @Test("M9-6 an established host that is contested is renamed on both interfaces")
    func establishedHostRenamed() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        link.update(host, interfaces: interfaces)
        link.run(.seconds(10))
        let start = link.sent.count
        let rival = ResourceRecord(
            box, .a(IPv4Address(192, 0, 2, 99)), timeToLive: .host, cacheFlush: true)
        try link.inject(response([rival]), on: Self.second)
        try link.defend([box], with: rival.data, for: .seconds(10))
        let renamed = try DomainName("box-2.local")
        #expect(link.discovery(host).hostName == renamed)
        for interface in [VirtualLink.interface, Self.second] {
            let (alive, goodbyes) = said(link, host, on: interface, since: start)
            #expect(alive.contains(renamed))
            // The name is left to its winner without a goodbye where there is one; elsewhere, and
            // of the reverse mappings, what is gone says so.
            #expect(goodbyes.contains(box) == (interface == VirtualLink.interface))
            #expect(goodbyes.count { $0.description.hasSuffix("arpa") } == 2)
        }
        let mark = link.sent.count
        let client = try link.add("client")
        let lookup = link.perform(client) { $0.startAddressLookup(host: box, at: $1) }
        link.run(.seconds(5))
        #expect(!said(link, host, on: VirtualLink.interface, since: mark).alive.contains(box))
        #expect(link.addresses(client, lookup).isEmpty)
    }

    @Test("M9-4 M9-8 a service is established again once the contested name of its host is")
    func hostContested() throws {
        for isProxied in [false, true] {
            var link = VirtualLink()
            let host = try link.add("box", hostPublication: .always)
            let id = try link.perform(host) {
                try $0.register(
                    isProxied
                        ? try proxied("One", "lamp.local", ["192.0.2.70"]) : service("One"),
                    at: $1)
            }
            link.run(.seconds(10))
            let rival = ResourceRecord(
                isProxied ? try DomainName("lamp.local") : box, .a(IPv4Address(192, 0, 2, 99)),
                timeToLive: .host, cacheFlush: true)
            try link.inject(response([rival]))
            link.run(.seconds(10))
            let name = try instance("One")
            #expect(
                link.statuses(host, id) == [
                    .probing(name), .established(name), .probing(name), .established(name),
                ])
        }
    }

    @Test("a host that ended is published again for the next service", arguments: [false, true])
    func publishedAgain(isAlways: Bool) throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: isAlways ? .always : .whenNeeded)
        _ = try link.perform(host) { try $0.register(service("One"), at: $1) }
        link.run(.seconds(5))
        link.perform(host) { $0.shutdown(at: $1) }
        link.run(.seconds(5))
        let start = link.sent.count
        let id = try link.perform(host) { try $0.register(service("One"), at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(host, id).last == .established(try instance("One")))
        #expect(said(link, host, on: VirtualLink.interface, since: start).alive.contains(box))
    }

    @Test("M14-3 addresses of a family that is not used are not published", arguments: [0, 1])
    func unusedFamily(which: Int) throws {
        var link = VirtualLink()
        let families: [AddressFamily] = [.ipv4, .ipv6]
        let host = try link.add(
            "box", hostPublication: .always, families: [families[which]])
        link.run(.seconds(5))
        let types: [RecordType] = [.a, .aaaa]
        #expect(!link.records(host, types[which]).isEmpty)
        #expect(link.records(host, types[1 - which]).isEmpty)
        let reverse = Set(link.records(host, .ptr).map(\.name))
        let address = link.interfaces(host)[0].addresses[which].address
        #expect(reverse == [ReverseMapping.name(of: address)])
    }

    @Test("M9-6 a proxy host that is renamed twice has the third name, and its service with it")
    func proxyRenamedTwice() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let addresses = ["192.0.2.70", "192.0.2.71", "2001:db8::70"]
        let id = try link.perform(server) {
            try $0.register(try proxied("Lamp", "lamp.local", addresses), at: $1)
        }
        let names = try ["lamp.local", "lamp-2.local", "lamp-3.local"].map { try DomainName($0) }
        try link.defend(
            Array(names.prefix(2)), with: .a(IPv4Address(192, 0, 2, 99)), for: .seconds(10))
        link.run(.seconds(5))
        let renames = link.statuses(server, id).filter {
            if case .hostRenamed = $0 { true } else { false }
        }
        #expect(
            renames == [
                .hostRenamed(from: names[0], to: names[1]),
                .hostRenamed(from: names[1], to: names[2]),
            ])
        #expect(link.statuses(server, id).last == .established(try instance("Lamp")))
        let target = try ServiceInstanceName("Lamp", type: http)
        let resolution = link.perform(client) { $0.startResolve(target, at: $1) }
        link.run(.seconds(3))
        guard case .resolved(let found) = link.resolutions(client, resolution).last else {
            Issue.record("not resolved")
            return
        }
        #expect(found.host == names[2])
        #expect(Set(found.addresses) == Set(addresses.compactMap { IPAddress($0) }))
        for text in addresses {
            let address = try #require(IPAddress(text))
            let lookup = link.perform(client) { $0.startReverseLookup(address, at: $1) }
            link.run(.seconds(3))
            #expect(
                link.events(client, lookup) == [.names(.added(names[2], VirtualLink.interface))])
        }
        // All of it goes with the registration.
        let start = link.sent.count
        link.perform(server) { $0.unregister(id, at: $1) }
        link.run(.seconds(1))
        let (_, goodbyes) = said(link, server, on: VirtualLink.interface, since: start)
        let reverse = addresses.compactMap { IPAddress($0) }.map { ReverseMapping.name(of: $0) }
        #expect(goodbyes.isSuperset(of: reverse + [names[2], target.domainName]))
    }

    // MARK: Names that are given back

    @Test("the name that a service lost is free for another of this process")
    func lostNameIsFree() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let first = try link.perform(server) { try $0.register(service("X"), at: $1) }
        try link.defend([instance("X")], for: .seconds(5))
        #expect(link.statuses(server, first).last == .established(try instance("X (2)")))
        let second = try link.perform(server) {
            try $0.register(service("X", port: 81), at: $1)
        }
        link.run(.seconds(5))
        #expect(
            link.statuses(server, second)
                == [.probing(try instance("X")), .established(try instance("X"))])
    }

    @Test(
        "after the end all names are free again, and nothing of it is left", arguments: [1, 2, 3])
    func namesAfterTheEnd(count: Int) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let names = ["One", "Two", "Three"].prefix(count)
        for name in names {
            _ = try link.perform(server) {
                try $0.register(try proxied(name, "\(name).local", ["192.0.2.70"]), at: $1)
            }
        }
        link.run(.seconds(5))
        link.perform(server) { $0.shutdown(at: $1) }
        link.run(.seconds(5))
        for name in names {
            // Neither the service's name nor the host's is held any more.
            let id = try link.perform(server) {
                try $0.register(try proxied(name, "\(name).local", ["192.0.2.71"]), at: $1)
            }
            link.run(.seconds(5))
            #expect(
                link.statuses(server, id)
                    == [.probing(try instance(name)), .established(try instance(name))])
        }
    }

    @Test("a proxy host is one with its addresses in any order, and held until its last service")
    func sharedProxyHost() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let one = ["192.0.2.70", "2001:db8::70"]
        func register(_ name: String, _ addresses: [String]) throws -> OperationID {
            let id = try link.perform(server) {
                try $0.register(try proxied(name, "lamp.local", addresses), at: $1)
            }
            link.run(.seconds(5))
            #expect(link.statuses(server, id).last == .established(try instance(name)))
            return id
        }
        let ids = try [register("One", one), register("Two", one.reversed())]
        let lamp = try DomainName("lamp.local")
        for id in ids {
            #expect(throws: RegistrationError.hostInUse(lamp)) {
                _ = try link.perform(server) {
                    try $0.register(try proxied("Other", "lamp.local", ["192.0.2.9"]), at: $1)
                }
            }
            link.perform(server) { $0.unregister(id, at: $1) }
            link.run(.seconds(2))
        }
        _ = try register("Other", ["192.0.2.9"])
    }

    // MARK: Addresses

    @Test("M14-3 changed addresses are published on both interfaces, while more changes come")
    func changedAddresses() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        link.update(host, interfaces: interfaces)
        link.run(.seconds(10))
        let start = link.sent.count
        // A change every 300 ms: what was gathered for half a second is published all the same.
        for number in 10..<20 {
            link.update(
                host,
                interfaces: [
                    VirtualLink.ethernet(["192.0.2.\(number)", "2001:db8::1"]),
                    VirtualLink.ethernet(
                        ["198.51.100.\(number)", "2001:db8:1::1"], index: Self.second,
                        name: "eth1"),
                ])
            link.run(.milliseconds(300))
        }
        for interface in [VirtualLink.interface, Self.second] {
            let announced = link.sent[start...].filter { $0.interface == interface }
                .flatMap(\.message.answers).filter { $0.timeToLive > .goodbye }
            #expect(announced.contains { $0.name == box && $0.type == .a }, "\(interface)")
        }
        link.run(.seconds(30))
        let mark = link.sent.count
        for (interface, expected) in [
            (VirtualLink.interface, ["192.0.2.19", "2001:db8::1"]),
            (Self.second, ["198.51.100.19", "2001:db8:1::1"]),
        ] {
            try link.inject(
                Message(questions: [Question(box, .any)]),
                from: interface == Self.second ? "198.51.100.9" : "192.0.2.9", on: interface)
            link.run(.seconds(2))
            let addresses = link.sent[mark...]
                .filter { $0.host == host && $0.interface == interface }
                .flatMap(\.message.answers).compactMap(\.data.address)
            #expect(Set(addresses) == Set(expected.compactMap { IPAddress($0) }))
        }
    }
}
