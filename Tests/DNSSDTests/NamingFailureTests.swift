import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

@Suite("Names that are never established")
struct NamingFailureTests {
    private let type: ServiceType

    init() throws {
        type = try ServiceType("_http._tcp")
    }

    private func failures(_ statuses: [RegistrationStatus]) -> [DomainName] {
        statuses.compactMap { if case .failing(let name, _) = $0 { name } else { nil } }
    }

    private func failures(_ statuses: [HostNameStatus]) -> [DomainName] {
        statuses.compactMap { if case .failing(let name, _) = $0 { name } else { nil } }
    }

    /// Somebody probes for `record` with data that win every tie (RFC 6762 §8.2), for ever.
    private func contend(
        _ record: ResourceRecord, on link: inout VirtualLink, for duration: Duration
    ) throws {
        let probe = Message(
            questions: [Question(record.name, .any)], authorities: [record])
        let end = link.now.advanced(by: duration)
        while link.now < end {
            try link.inject(probe)
            link.run(.milliseconds(100))
        }
    }

    @Test("M9-9 a host that loses every tie is reported failing after a minute, once")
    func hostLosesTies() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always, addresses: ["192.0.2.1"])
        let box = try DomainName("box.local")
        let rival = ResourceRecord(
            box, .a(IPv4Address(255, 255, 255, 255)), timeToLive: .host, cacheFlush: true)
        try contend(rival, on: &link, for: .seconds(59))
        #expect(failures(link.hosts[host].nameEvents).isEmpty)
        try contend(rival, on: &link, for: .seconds(90))
        #expect(failures(link.hosts[host].nameEvents).count == 1)
        link.run(.seconds(20))
        guard case .established = link.hosts[host].nameEvents.last else {
            Issue.record("not established in the end: \(link.hosts[host].nameEvents)")
            return
        }
    }

    @Test("M9-9 a service that loses every tie is reported failing after a minute, once")
    func serviceLosesTies() throws {
        var link = VirtualLink()
        let server = try link.add("box", hostPublication: .always)
        link.run(.seconds(5))
        let id = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: type, port: 80), at: $1)
        }
        let name = try ServiceInstanceName("x", type: type).domainName
        let location = ServiceLocation(
            target: try DomainName("zzz.local"), port: 65_535, priority: 65_535)
        let rival = ResourceRecord(name, .srv(location), timeToLive: .host, cacheFlush: true)
        try contend(rival, on: &link, for: .seconds(59))
        #expect(failures(link.statuses(server, id)).isEmpty)
        try contend(rival, on: &link, for: .seconds(90))
        #expect(failures(link.statuses(server, id)).count == 1)
        #expect(failures(link.hosts[server].nameEvents).isEmpty)
    }

    @Test("M9-9 a proxy's host that loses every tie fails its service after a minute, once")
    func proxyLosesTies() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let nas = try DomainName("nas.local")
        let host = ServiceDescription.ProxyHost(
            name: nas, addresses: [try #require(IPAddress("192.0.2.70"))])
        let id = try link.perform(server) {
            try $0.register(
                ServiceDescription(name: "x", type: type, port: 80, host: host), at: $1)
        }
        let rival = ResourceRecord(
            nas, .a(IPv4Address(255, 255, 255, 255)), timeToLive: .host, cacheFlush: true)
        try contend(rival, on: &link, for: .seconds(59))
        #expect(failures(link.statuses(server, id)).isEmpty)
        try contend(rival, on: &link, for: .seconds(90))
        #expect(failures(link.statuses(server, id)).count == 1)
    }

    @Test("M9-9 a name that was established and is contested for a minute is reported failing")
    func contestedLater() throws {
        var link = VirtualLink()
        let server = try link.add("box", hostPublication: .always)
        let name = try DomainName("thing.local")
        let own = ResourceRecord(name, .a(IPv4Address(192, 0, 2, 7)), timeToLive: .host)
        let records = try link.perform(server) {
            try $0.registerRecords(RecordRegistration([.init(own, .unique)]), at: $1)
        }
        let service = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: type, port: 80), at: $1)
        }
        let instance = try ServiceInstanceName("x", type: type).domainName
        let rivals = try [
            ResourceRecord(
                name, .a(IPv4Address(255, 255, 255, 255)), timeToLive: .host, cacheFlush: true),
            ResourceRecord(
                DomainName("box.local"), .a(IPv4Address(255, 255, 255, 255)), timeToLive: .host,
                cacheFlush: true),
            ResourceRecord(
                instance,
                .srv(
                    ServiceLocation(
                        target: try DomainName("zzz.local"), port: 65_535, priority: 65_535)),
                timeToLive: .host, cacheFlush: true),
        ]
        // For the second time, too.
        for round in 1...2 {
            link.run(.seconds(20))
            #expect(link.statuses(server, records).last == .established(name))
            #expect(link.statuses(server, service).last == .established(instance))
            for record in rivals { try link.inject(response([record])) }
            let end = link.now.advanced(by: .seconds(70))
            while link.now < end {
                for record in rivals {
                    try link.inject(
                        Message(
                            questions: [Question(record.name, .any)], authorities: [record]))
                }
                link.run(.milliseconds(100))
            }
            #expect(failures(link.statuses(server, records)).count == round)
            #expect(failures(link.statuses(server, service)).contains(instance))
            #expect(failures(link.hosts[server].nameEvents).count == round)
        }
    }

    @Test("records that lose every tie fail after a minute, once")
    func recordsLoseTies() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let name = try DomainName("thing.local")
        let own = ResourceRecord(name, .a(IPv4Address(192, 0, 2, 7)), timeToLive: .host)
        let id = try link.perform(server) {
            try $0.registerRecords(RecordRegistration([.init(own, .unique)]), at: $1)
        }
        let rival = ResourceRecord(
            name, .a(IPv4Address(255, 255, 255, 255)), timeToLive: .host, cacheFlush: true)
        try contend(rival, on: &link, for: .seconds(59))
        #expect(failures(link.statuses(server, id)).isEmpty)
        try contend(rival, on: &link, for: .seconds(90))
        #expect(failures(link.statuses(server, id)) == [name])
    }

    @Test("a registration without an interface does not fail; the minute begins with one")
    func withoutInterface() throws {
        var link = VirtualLink()
        let server = try link.add("box", hostPublication: .always)
        link.update(server, interfaces: [])
        let id = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: type, port: 80), at: $1)
        }
        link.run(.seconds(120))
        #expect(failures(link.statuses(server, id)).isEmpty)
        #expect(failures(link.hosts[server].nameEvents).isEmpty)
        link.update(server, interfaces: [VirtualLink.ethernet(["192.0.2.1"])])
        let name = try ServiceInstanceName("x", type: type).domainName
        let location = ServiceLocation(
            target: try DomainName("zzz.local"), port: 65_535, priority: 65_535)
        let rival = ResourceRecord(name, .srv(location), timeToLive: .host, cacheFlush: true)
        try contend(rival, on: &link, for: .seconds(59))
        #expect(failures(link.statuses(server, id)).isEmpty)
        try contend(rival, on: &link, for: .seconds(30))
        #expect(failures(link.statuses(server, id)).count == 1)
    }

    @Test("a registration that loses its only interface does not fail")
    func interfaceGone() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let id = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: type, port: 80), at: $1)
        }
        link.run(.milliseconds(300))
        link.update(server, interfaces: [])
        link.run(.seconds(120))
        #expect(failures(link.statuses(server, id)).isEmpty)
    }
}
