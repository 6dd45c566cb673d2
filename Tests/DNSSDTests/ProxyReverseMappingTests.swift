import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("Reverse mappings of proxy hosts")
struct ProxyReverseMappingTests {
    private let printer: ServiceType

    init() throws {
        printer = try ServiceType("_printer._tcp")
    }

    @Test(
        "a proxy host's addresses lead back to its name, unless that is not wanted",
        arguments: [true, false])
    func proxyReverseMapping(isPublished: Bool) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let addresses = [
            try #require(IPAddress("198.51.100.7")), try #require(IPAddress("2001:db8::7")),
        ]
        let lamp = try DomainName("lamp.local")
        let service = ServiceDescription(
            name: "X", type: printer, port: 80,
            host: .init(
                name: lamp, addresses: addresses, publishesReverseMapping: isPublished))
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let probed = link.sent.filter { !$0.message.authorities.isEmpty }
            .flatMap(\.message.questions).map(\.name.description)
        #expect(!probed.contains { $0.hasSuffix("arpa") })
        for address in addresses {
            let lookup = link.perform(client) { $0.startReverseLookup(address, at: $1) }
            link.run(.seconds(2))
            let added = Discovery.Event.names(.added(lamp, VirtualLink.interface))
            #expect(link.events(client, lookup) == (isPublished ? [added] : []))
        }
        let before = link.sent.count
        link.perform(server) { $0.unregister(id, at: $1) }
        link.run(.seconds(2))
        let goodbyes = link.sent[before...].flatMap(\.message.answers).filter { record in
            record.timeToLive == .goodbye && record.name.description.hasSuffix("arpa")
        }
        #expect(Set(goodbyes.map(\.name)).count == (isPublished ? 2 : 0))
    }

    @Test("a renamed proxy host's addresses lead to its new name")
    func renamedProxyReverseMapping() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        _ = try link.add("lamp", hostPublication: .always)
        link.run(.seconds(5))
        let host = ServiceDescription.ProxyHost(
            name: try DomainName("lamp.local"),
            addresses: [try #require(IPAddress("198.51.100.7"))])
        let service = ServiceDescription(name: "X", type: printer, port: 80, host: host)
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(15))
        let mapping = link.records(server, .ptr).last {
            $0.name.description == "7.100.51.198.in-addr.arpa"
        }
        #expect(mapping?.data == .ptr(try DomainName("lamp-2.local")))
    }
}
