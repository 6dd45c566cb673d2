import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

@Suite("Repeated addresses and proxy hosts")
struct ProxyHostTests {
    private let type: ServiceType
    private let nas: DomainName

    init() throws {
        type = try ServiceType("_http._tcp")
        nas = try DomainName("nas.local")
    }

    private func proxy(_ addresses: [String]) throws -> ServiceDescription.ProxyHost {
        ServiceDescription.ProxyHost(
            name: nas, addresses: try addresses.map { try #require(IPAddress($0)) })
    }

    /// Registers a service whose TXT record repeats its name.
    private func register(
        _ name: String, _ port: UInt16, on server: Int, of link: inout VirtualLink
    ) throws {
        let txt = try TXTRecord([.init("is", .text(name))])
        _ = try link.perform(server) {
            try $0.register(
                ServiceDescription(name: name, type: type, port: port, txt: txt), at: $1)
        }
        link.run(.seconds(5))
    }

    private func resolve(
        _ name: String, by client: Int, on link: inout VirtualLink
    ) throws -> ResolvedService? {
        let instance = try ServiceInstanceName(name, type: type)
        let id = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.seconds(5))
        return link.resolutions(client, id).reversed().lazy.compactMap { change in
            if case .resolved(let service) = change { service } else { nil }
        }.first
    }

    @Test("an address with two prefix lengths is one address, and gone when it is changed")
    func twoPrefixes() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let address = try #require(IPAddress("192.0.2.50"))
        var interface = VirtualLink.ethernet([])
        interface.addresses = [
            .init(NetworkPrefix(address, length: 16)), .init(NetworkPrefix(address, length: 24)),
        ]
        link.update(server, interfaces: [interface])
        try register("One", 81, on: server, of: &link)
        link.update(server, interfaces: [VirtualLink.ethernet(["192.0.2.51"])])
        link.run(.seconds(5))
        try register("Two", 82, on: server, of: &link)
        try register("Three", 83, on: server, of: &link)
        for (name, port) in [("One", UInt16(81)), ("Two", 82), ("Three", 83)] {
            let service = try resolve(name, by: client, on: &link)
            #expect(service?.port == port)
            #expect(service?.txt["is"]?.text == name)
            #expect(service?.addresses == [try #require(IPAddress("192.0.2.51"))])
        }
    }

    @Test("a proxy host with an address given twice leaves no other service damaged")
    func repeatedAddress() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let host = try proxy(["192.0.2.70", "192.0.2.70"])
        let id = try link.perform(server) {
            try $0.register(
                ServiceDescription(name: "Proxy", type: type, port: 80, host: host), at: $1)
        }
        link.run(.seconds(5))
        let proxied = try resolve("Proxy", by: client, on: &link)
        #expect(proxied?.addresses == [try #require(IPAddress("192.0.2.70"))])
        link.perform(server) { $0.unregister(id, at: $1) }
        link.run(.seconds(5))
        try register("Two", 82, on: server, of: &link)
        try register("Three", 83, on: server, of: &link)
        for (name, port) in [("Two", UInt16(82)), ("Three", 83)] {
            let service = try resolve(name, by: client, on: &link)
            #expect(service?.port == port)
            #expect(service?.txt["is"]?.text == name)
            #expect(service.map { Set($0.addresses.map(\.family)).count } == 2)
        }
    }

    @Test("M8-1 a proxy host's name is probed for anew after a wake-up", arguments: [1, 2])
    func wake(services: Int) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let host = try proxy(["192.0.2.70"])
        for number in 1...services {
            _ = try link.perform(server) {
                try $0.register(
                    ServiceDescription(name: "S\(number)", type: type, port: 80, host: host),
                    at: $1)
            }
            link.run(.seconds(5))
        }
        let before = link.sent.count
        link.perform(server) { $0.wake(at: $1) }
        link.run(.seconds(3))
        let probed = link.sent.dropFirst(before).filter { !$0.message.authorities.isEmpty }
            .flatMap { $0.message.questions.map(\.name) }
        #expect(probed.contains(nas))
    }

    @Test(
        "M9-6 services on a proxy host whose name another holds all follow to a new name",
        arguments: [1, 2])
    func conflict(services: Int) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let host = try proxy(["192.0.2.70"])
        var ids: [OperationID] = []
        for number in 1...services {
            ids.append(
                try link.perform(server) {
                    try $0.register(
                        ServiceDescription(name: "S\(number)", type: type, port: 80, host: host),
                        at: $1)
                })
            link.run(.seconds(5))
        }
        let holder = ResourceRecord(
            nas, .a(IPv4Address(192, 0, 2, 99)), timeToLive: .host, cacheFlush: true)
        // The holder repeats its record every 400 ms, so that every probe meets it.
        for _ in 0..<50 {
            try link.inject(response([holder]))
            link.run(.milliseconds(400))
        }
        for id in ids {
            let statuses = link.statuses(server, id)
            let isRenamed = statuses.contains {
                if case .hostRenamed(from: nas, _) = $0 { true } else { false }
            }
            #expect(isRenamed, "\(statuses)")
            guard case .established = statuses.last else {
                Issue.record("not established in the end: \(statuses)")
                continue
            }
        }
    }
}
