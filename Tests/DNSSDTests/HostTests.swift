import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("This host's own name")
struct HostTests {
    let box: DomainName
    let second = InterfaceIndex(rawValue: 3)

    init() throws {
        box = try DomainName("box.local")
    }

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// The addresses that a host announced last on an interface, goodbyes left out.
    private func announced(
        _ link: VirtualLink, _ host: Int, on interface: InterfaceIndex, since start: Int = 0
    ) -> Set<IPAddress> {
        Set(
            link.sent[start...]
                .filter {
                    $0.host == host && $0.interface == interface && $0.message.header.isResponse
                }
                .flatMap(\.message.answers)
                .filter { $0.timeToLive != .goodbye }
                .compactMap(\.data.address))
    }

    @Test("M14-3 each interface gets its own addresses and no others")
    func perInterface() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        link.update(
            host,
            interfaces: [
                VirtualLink.ethernet(["192.0.2.1", "fe80::1"]),
                VirtualLink.ethernet(["198.51.100.1", "fe80::2"], index: second, name: "eth1"),
            ])
        link.run(.seconds(5))
        #expect(
            announced(link, host, on: VirtualLink.interface)
                == [try address("192.0.2.1"), try address("fe80::1")])
        #expect(
            announced(link, host, on: second)
                == [try address("198.51.100.1"), try address("fe80::2")])
        #expect(link.hosts[host].nameEvents.last == .established(box))
    }

    @Test("field 46: addresses of the loopback stay on it; unusable ones stay away")
    func loopback() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always, on: .named(["eth*", "lo"]))
        var ethernet = VirtualLink.ethernet(["192.0.2.1", "127.0.0.2"])
        let prefix = NetworkPrefix(try address("2001:db8::1"), length: 64)
        let other = NetworkPrefix(try address("2001:db8::2"), length: 64)
        ethernet.addresses += [
            .init(prefix, isTentative: true), .init(other, isDeprecated: true),
        ]
        var lo = VirtualLink.ethernet(["127.0.0.1", "::1"], index: InterfaceIndex(rawValue: 1))
        lo.name = "lo"
        lo.flags = [.up, .running, .loopback]
        link.update(host, interfaces: [ethernet, lo])
        link.run(.seconds(5))
        #expect(
            announced(link, host, on: VirtualLink.interface)
                == [try address("192.0.2.1")])
        #expect(
            announced(link, host, on: lo.index)
                == [try address("127.0.0.1"), try address("::1")])
    }

    @Test("field 47: a late address is announced, and a burst of changes once")
    func addressChange() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always, addresses: ["192.0.2.1"])
        let client = try link.add("client")
        let lookup = link.perform(client) { $0.startAddressLookup(host: box, at: $1) }
        link.run(.seconds(10))
        let before = link.sent.count
        for last in 2...6 {
            link.update(host, interfaces: [VirtualLink.ethernet(["192.0.2.\(last)"])])
            link.run(.milliseconds(50))
        }
        link.run(.seconds(10))
        let added = link.addresses(client, lookup).compactMap { change in
            if case .added(let address, _, _) = change { address } else { nil }
        }
        #expect(added == [try address("192.0.2.1"), try address("192.0.2.6")])
        #expect(
            link.addresses(client, lookup).contains(
                .removed(try address("192.0.2.1"), name: box, VirtualLink.interface)))
        #expect(
            announced(link, host, on: VirtualLink.interface, since: before)
                == [try address("192.0.2.6")])
    }

    @Test("field 47: an address that flaps and comes back is not announced again")
    func flapping() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        link.run(.seconds(10))
        let before = link.sent.count
        var flapped = link.interfaces(host)
        flapped[0].addresses.append(
            .init(NetworkPrefix(try address("2001:db8::9"), length: 64), isDeprecated: true))
        for _ in 0..<50 {
            let good = link.interfaces(host)
            link.update(host, interfaces: flapped)
            link.run(.milliseconds(30))
            link.update(host, interfaces: good)
            link.run(.milliseconds(30))
        }
        link.run(.seconds(5))
        #expect(link.sent.count == before)
        #expect(link.discovery(host).deadline == nil)
    }

    @Test("M9-6 M9-8 a service gets an event when the name of its host was taken")
    func renamedHost() throws {
        var link = VirtualLink()
        _ = try link.add("box", hostPublication: .always)
        link.run(.seconds(5))
        let second = try link.add("box", addresses: ["192.0.2.9"])
        let http = try ServiceType("_http._tcp")
        let id = try link.perform(second) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(10))
        let instance = try ServiceInstanceName("x", type: http).domainName
        let statuses = link.statuses(second, id)
        #expect(statuses.first == .probing(instance))
        #expect(
            statuses.filter {
                $0 == .hostRenamed(from: box, to: link.discovery(second).hostName)
            }
            .count == 1)
        #expect(statuses.last == .established(instance))
        #expect(link.discovery(second).hostName.description == "box-2.local")
    }

    @Test("M14-2 a conflict on one interface changes the name on all")
    func conflictElsewhere() throws {
        var link = VirtualLink()
        let holder = try link.add("box", hostPublication: .always)
        link.update(
            holder,
            interfaces: [
                VirtualLink.ethernet(["198.51.100.9"], index: second, name: "eth1")
            ])
        link.run(.seconds(5))
        let host = try link.add("box")
        link.update(
            host,
            interfaces: [
                VirtualLink.ethernet(["192.0.2.1"]),
                VirtualLink.ethernet(["198.51.100.1"], index: second, name: "eth1"),
            ])
        let http = try ServiceType("_http._tcp")
        let id = try link.perform(host) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(20))
        let renamed = try DomainName("box-2.local")
        #expect(link.hosts[host].nameEvents.contains(.renamed(from: box, to: renamed)))
        #expect(link.hosts[host].nameEvents.last == .established(renamed))
        #expect(link.discovery(host).hostName == renamed)
        #expect(link.hosts[holder].nameEvents.last == .established(box))
        // On the link without a conflict it may have been announced, and is taken back.
        let lost = link.sent.filter { $0.host == host && $0.message.header.isResponse }
            .flatMap(\.message.answers).filter { $0.name == box }
        #expect(lost.isEmpty || lost.last?.timeToLive == .goodbye)
        // The service follows its host, on both interfaces.
        let name = try ServiceInstanceName("x", type: http).domainName
        #expect(link.statuses(host, id).last == .established(name))
        for interface in [VirtualLink.interface, second] {
            let location = link.sent
                .filter { $0.host == host && $0.interface == interface }
                .flatMap { $0.message.header.isResponse ? $0.message.answers : [] }
                .last { $0.type == .srv }
            let expected = ServiceLocation(target: renamed, port: 80)
            #expect(location?.data == .srv(expected), "on \(interface)")
        }
    }

    @Test("M14-1 the name is defended on every interface")
    func defended() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        let both = [
            VirtualLink.ethernet(["192.0.2.1"]),
            VirtualLink.ethernet(["198.51.100.1"], index: second, name: "eth1"),
        ]
        link.update(host, interfaces: both)
        link.run(.seconds(5))
        for index in [VirtualLink.interface, second] {
            let prober = try link.add("box", hostPublication: .always)
            let name = "eth\(index.rawValue)"
            link.update(
                prober,
                interfaces: [VirtualLink.ethernet(["203.0.113.9"], index: index, name: name)])
            link.run(.seconds(10))
            #expect(link.hosts[prober].nameEvents.last != .established(box), "on \(index)")
            link.disconnect(prober)
        }
        #expect(link.hosts[host].nameEvents.last == .established(box))
        #expect(link.discovery(host).hostName == box)
    }

    @Test("M14-5 field 41: own interfaces on one wire make no endless exchange and no rename")
    func bridged() throws {
        var link = VirtualLink()
        link.bridge()
        let host = try link.add("box")
        link.update(
            host,
            interfaces: [
                VirtualLink.ethernet(["192.0.2.1", "fe80::1"]),
                VirtualLink.ethernet(["192.0.2.2", "fe80::2"], index: second, name: "eth1"),
            ])
        let http = try ServiceType("_http._tcp")
        let id = try link.perform(host) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(30))
        let name = try ServiceInstanceName("x", type: http).domainName
        #expect(link.statuses(host, id).last == .established(name))
        #expect(link.hosts[host].nameEvents.last == .established(box))
        let count = link.sent.count
        #expect(count < 60, "\(count) packets")
        link.run(.seconds(60))
        #expect(link.sent.count == count)
    }

    @Test("M8-40 a host renamed after it was established takes its services along, not probed for")
    func lateRename() throws {
        var link = VirtualLink()
        let host = try link.add("box")
        let client = try link.add("client")
        let http = try ServiceType("_http._tcp")
        let id = try link.perform(host) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        let instance = try ServiceInstanceName("x", type: http)
        let resolve = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.seconds(10))
        // Another host insists on the name, against every probe.
        let claim = ResourceRecord(
            box, .a(IPv4Address(192, 0, 2, 77)), timeToLive: .host, cacheFlush: true)
        for _ in 0..<40 {
            try link.inject(response([claim]))
            link.run(.milliseconds(100))
        }
        link.run(.seconds(10))
        let renamed = try DomainName("box-2.local")
        #expect(link.hosts[host].nameEvents.last == .established(renamed))
        guard case .resolved(let found) = link.resolutions(client, resolve).last else {
            Issue.record("not resolved: \(link.resolutions(client, resolve))")
            return
        }
        #expect(found.host == renamed)
        #expect(link.statuses(host, id).last == .established(instance.domainName))
        let probes = link.sent.filter { sent in
            sent.host == host && !sent.message.authorities.isEmpty
                && sent.message.questions.contains { $0.name == instance.domainName }
        }
        #expect(Set(probes.map(\.at)).count == 3)
    }

    @Test("two stacks on one machine share addresses; neither loses its name over them")
    func sharedAddresses() throws {
        var link = VirtualLink()
        let one = try link.add("one", hostPublication: .always, addresses: ["192.0.2.1"])
        link.run(.seconds(3))
        let two = try link.add("two", hostPublication: .always, addresses: ["192.0.2.1"])
        link.run(.seconds(20))
        #expect(link.hosts[one].nameEvents.last == .established(try DomainName("one.local")))
        #expect(link.hosts[two].nameEvents.last == .established(try DomainName("two.local")))
        let renames = (link.hosts[one].nameEvents + link.hosts[two].nameEvents)
            .filter { if case .renamed = $0 { true } else { false } }
        #expect(renames.isEmpty)
        // The reverse mapping is left to the one who came later: a stack that can't have it may
        // take that for a conflict about its whole host.
        let client = try link.add("client")
        let lookup = link.perform(client) {
            $0.startReverseLookup(.v4(IPv4Address(192, 0, 2, 1)), at: $1)
        }
        link.run(.seconds(5))
        #expect(
            link.events(client, lookup)
                == [.names(.added(try DomainName("two.local"), VirtualLink.interface))])
    }

    @Test("field 30: an interface that goes and comes is one removal and one return")
    func linkFlap() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let client = try link.add("client")
        let http = try ServiceType("_http._tcp")
        _ = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        let browse = try link.perform(client) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        link.run(.seconds(10))
        let interfaces = link.interfaces(client)
        link.update(client, interfaces: [])
        link.run(.seconds(6000))
        #expect(
            link.browse(client, browse).filter {
                if case .removed = $0 { true } else { false }
            }.count == 1)
        link.update(client, interfaces: interfaces)
        link.run(.seconds(5))
        guard case .changed(let instance) = link.browse(client, browse).last else {
            Issue.record("not found again: \(link.browse(client, browse))")
            return
        }
        #expect(instance.service?.port == 80)
    }

    @Test("interfaces that come and go by the hundred leave nothing behind")
    func interfaceChurn() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let name = try ServiceInstanceName("x", type: ServiceType("_http._tcp"))
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        let location = ServiceLocation(target: box, port: 80)
        for number in 10..<110 {
            let index = InterfaceIndex(rawValue: UInt32(number))
            link.update(
                client,
                interfaces: [
                    VirtualLink.ethernet(["192.0.2.1"], index: index, name: "veth\(number)")
                ])
            try link.inject(
                response([
                    ResourceRecord(
                        name.domainName, .srv(location), timeToLive: .host, cacheFlush: true),
                    ResourceRecord(
                        name.domainName, .txt(.empty), timeToLive: .standard, cacheFlush: true),
                    ResourceRecord(
                        box, .a(IPv4Address(192, 0, 2, 9)), timeToLive: .host, cacheFlush: true),
                ]), on: index)
            link.run(.milliseconds(500))
        }
        link.update(client, interfaces: [])
        link.run(.seconds(5))
        let changes = link.resolutions(client, resolve)
        #expect(changes.count == 200)
        #expect(changes.filter { if case .lost = $0 { true } else { false } }.count == 100)
        #expect(link.discovery(client).deadline == nil)
    }

    @Test("without need no name is claimed")
    func quiet() throws {
        var link = VirtualLink()
        let client = try link.add("box")
        link.run(.seconds(10))
        #expect(link.sent.isEmpty)
        #expect(link.discovery(client).hostName == box)
        #expect(link.discovery(client).deadline == nil)
        let never = try link.add("never", hostPublication: .never)
        let service = ServiceDescription(type: try ServiceType("_http._tcp"), port: 80)
        #expect(throws: RegistrationError.hostNotPublished) {
            _ = try link.perform(never) { try $0.register(service, at: $1) }
        }
    }

    @Test("field 38: an instance that is reconfirmed goes within ten seconds if nobody answers")
    func reconfirming() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let client = try link.add("client")
        let http = try ServiceType("_http._tcp")
        _ = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        let instance = try ServiceInstanceName("x", type: http)
        let resolve = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.seconds(10))
        // The server answers: nothing changes.
        link.perform(client) { $0.reconfirm(instance, at: $1) }
        link.run(.seconds(15))
        #expect(link.browse(client, browse).count == 1)
        // The power is cut.
        link.disconnect(server)
        link.perform(client) { $0.reconfirm(instance, at: $1) }
        link.run(.seconds(11))
        #expect(link.browse(client, browse).count == 2)
        guard case .partial(let rest) = link.resolutions(client, resolve).last else {
            Issue.record("\(link.resolutions(client, resolve))")
            return
        }
        #expect(rest.missing == .location)
    }
}
