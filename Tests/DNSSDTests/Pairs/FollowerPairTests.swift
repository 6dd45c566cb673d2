import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

/// A host that offers something changes, and another that follows it shows the truth in the end,
/// whether it has begun before the change or just after.
@Suite struct FollowerPairTests {
    private static let second = InterfaceIndex(rawValue: 3)
    private let http: ServiceType
    private let subtype: ServiceSubtype

    init() throws {
        http = try ServiceType("_http._tcp")
        subtype = try ServiceSubtype("_one")
    }

    /// What is true of the host that offers, on the interface where it is followed.
    private struct Truth {
        var host: DomainName
        var addresses: [IPAddress]
        /// The services: name, port, revision, and whether they have the subtype.
        var services: [(name: String, port: UInt16, revision: String, isSubtype: Bool)]
    }

    /// The two hosts, and where they are.
    private struct Scene {
        var link = VirtualLink()
        let server: Int
        let client: Int
        let interface: InterfaceIndex
        let serverInterfaces: [NetworkInterface]
        var id: OperationID
        var truth: Truth
        let original: IPAddress
    }

    @Test(
        "pairs: a change of a service or host, and who follows it",
        arguments: PairTable.followers.pairs)
    func followed(_ pair: Pair<ServiceChange, Follower>) throws {
        for beginsBefore in [true, false] {
            var scene = try scene(pair.place)
            var operation: OperationID?
            if beginsBefore { operation = try follow(pair.second, &scene) }
            scene.link.run(.seconds(8))
            if beginsBefore {
                let expected = try expected(pair.second, scene)
                #expect(view(operation, scene) == expected, "\(pair) at first")
            }
            try change(pair.first, &scene)
            if !beginsBefore { operation = try follow(pair.second, &scene) }
            scene.link.run(.seconds(15))
            let expected = try expected(pair.second, scene)
            #expect(
                view(operation, scene) == expected, "\(pair) begins before: \(beginsBefore)")
        }
    }

    private func view(_ operation: OperationID?, _ scene: Scene) -> [String]? {
        operation.map { scene.link.view(of: $0, by: scene.client, on: scene.interface) }
    }

    // MARK: The scene

    private func addresses(_ place: PairPlace, _ four: String, _ six: String) -> [String] {
        switch place {
        case .ipv4: [four]
        case .ipv6: [six]
        case .dual, .dualOverIPv6, .second: [four, six]
        }
    }

    private func scene(_ place: PairPlace) throws -> Scene {
        var link = VirtualLink()
        let own = addresses(place, "192.0.2.1", "2001:db8::1")
        let server = try link.add("box", addresses: own)
        let client = try link.add(
            "client",
            addresses: place == .dualOverIPv6
                ? ["2001:db8::2"] : addresses(place, "192.0.2.2", "2001:db8::2"))
        var interfaces = link.interfaces(server)
        let interface = place == .second ? Self.second : VirtualLink.interface
        if place == .second {
            interfaces.append(
                VirtualLink.ethernet(
                    ["198.51.100.1", "2001:db8:1::1"], index: Self.second, name: "eth1"))
            link.update(server, interfaces: interfaces)
            link.update(
                client,
                interfaces: [
                    VirtualLink.ethernet(
                        ["198.51.100.2", "2001:db8:1::2"], index: Self.second, name: "eth1")
                ])
        }
        let known = interfaces.first { $0.index == interface }?.addresses.map { $0.address } ?? []
        let id = try link.perform(server) { try $0.register(service("One"), at: $1) }
        return Scene(
            link: link, server: server, client: client, interface: interface,
            serverInterfaces: interfaces, id: id,
            truth: Truth(
                host: try DomainName("box.local"), addresses: known,
                services: [("One", 80, "1", true)]),
            original: try #require(known.first))
    }

    private func service(_ name: String, revision: String = "1") throws -> ServiceDescription {
        ServiceDescription(
            name: name, type: http, port: name == "One" ? 80 : 81,
            txt: try TXTRecord(parsing: ["rev=\(revision)"]),
            subtypes: name == "One" ? [subtype] : [])
    }

    // MARK: Following

    private func follow(_ follower: Follower, _ scene: inout Scene) throws -> OperationID {
        let original = scene.original
        let host = scene.truth.host
        let name = try ServiceInstanceName("One", type: http)
        return try scene.link.perform(scene.client) { discovery, now in
            switch follower {
            case .names: try discovery.startBrowse(http, at: now)
            case .subtype: try discovery.startBrowse(http, subtype: subtype, at: now)
            case .services: try discovery.startBrowse(http, detail: .services, at: now)
            case .resolve: discovery.startResolve(name, at: now)
            case .addresses: discovery.startAddressLookup(host: host, at: now)
            case .reverse: discovery.startReverseLookup(original, at: now)
            case .record: discovery.startQuery(Question(name.domainName, .txt), at: now)
            case .types: try discovery.startTypeEnumeration(at: now)
            }
        }
    }

    private func expected(_ follower: Follower, _ scene: Scene) throws -> [String] {
        let truth = scene.truth
        let texts = truth.services.map {
            VirtualLink.text($0.name, truth.host, $0.port, $0.revision, truth.addresses)
        }
        // Without a service the host gives its name back only at the end of the program.
        switch follower {
        case .names: return truth.services.map(\.name).sorted()
        case .subtype: return truth.services.filter(\.isSubtype).map(\.name).sorted()
        case .services: return texts.sorted()
        case .resolve: return texts.filter { $0.hasPrefix("One at") }
        case .addresses: return truth.addresses.map { "\($0)" }.sorted()
        case .reverse:
            return truth.addresses.contains(scene.original) ? ["\(truth.host)"] : []
        case .record:
            return try truth.services.filter { $0.name == "One" }.map {
                "\(RecordData.txt(try TXTRecord(parsing: ["rev=\($0.revision)"]).textStrings))"
            }
        case .types: return truth.services.isEmpty ? [] : ["\(http)"]
        }
    }

    // MARK: Changing

    private func change(_ change: ServiceChange, _ scene: inout Scene) throws {
        let id = scene.id
        switch change {
        case .secondService:
            _ = try scene.link.perform(scene.server) {
                try $0.register(service("Two", revision: "2"), at: $1)
            }
            scene.truth.services.append(("Two", 81, "2", false))
        case .attributes:
            try scene.link.perform(scene.server) {
                try $0.update(id, txt: TXTRecord(parsing: ["rev=2"]), at: $1)
            }
            scene.truth.services[0].revision = "2"
        case .subtypes:
            try scene.link.perform(scene.server) { try $0.update(id, subtypes: [], at: $1) }
            scene.truth.services[0].isSubtype = false
        case .withdrawal:
            scene.link.perform(scene.server) { $0.unregister(id, at: $1) }
            scene.truth.services = []
        case .serviceRenamed:
            let name = try ServiceInstanceName("One", type: http).domainName
            let rival = ServiceLocation(target: try DomainName("enemy.local"), port: 9)
            try contest(name, .srv(rival), &scene)
            scene.truth.services[0].name = "One (2)"
        case .hostRenamed:
            // Records of another type are no conflict once the name is claimed.
            let address = IPAddress(scene.original.family == .ipv4 ? "192.0.2.99" : "fe80::99")
            try contest(scene.truth.host, RecordData(try #require(address)), &scene)
            scene.truth.host = try DomainName("box-2.local")
        case .addressAdded, .addressReplaced: try changeAddresses(change, &scene)
        case .interfaceReturns: returns(scene.server, scene.serverInterfaces, &scene)
        case .wake: scene.link.perform(scene.server) { $0.wake(at: $1) }
        case .programRestarts:
            scene.link.perform(scene.server) { $0.shutdown(at: $1) }
            scene.link.run(.seconds(2))
            scene.id = try scene.link.perform(scene.server) {
                try $0.register(service("One"), at: $1)
            }
        case .followerWakes: scene.link.perform(scene.client) { $0.wake(at: $1) }
        case .followerReturns:
            returns(scene.client, scene.link.interfaces(scene.client), &scene)
        }
    }

    /// Another host has the name, and says so wherever it is probed for.
    private func contest(_ name: DomainName, _ data: RecordData, _ scene: inout Scene) throws {
        let record = ResourceRecord(name, data, timeToLive: .host, cacheFlush: true)
        let rival = scene.original.family == .ipv4 ? "192.0.2.99" : "fe80::99"
        try scene.link.inject(response([record]), from: rival, on: scene.interface)
        try scene.link.defend([name], with: data, from: rival, for: .seconds(5))
    }

    private func returns(
        _ host: Int, _ interfaces: [NetworkInterface], _ scene: inout Scene
    ) {
        let gone = scene.interface
        scene.link.update(host, interfaces: interfaces.filter { $0.index != gone })
        scene.link.run(.seconds(2))
        scene.link.update(host, interfaces: interfaces)
    }

    private func changeAddresses(_ change: ServiceChange, _ scene: inout Scene) throws {
        let family = scene.original.family
        let address = try #require(
            IPAddress(
                family == .ipv6
                    ? "2001:db8::77"
                    : scene.interface == Self.second ? "198.51.100.77" : "192.0.2.77"))
        let interfaces = scene.serverInterfaces.map { interface in
            var interface = interface
            guard interface.index == scene.interface else { return interface }
            if change == .addressReplaced { interface.addresses.removeFirst() }
            interface.addresses.append(
                .init(NetworkPrefix(address, length: family == .ipv4 ? 24 : 64)))
            return interface
        }
        scene.link.update(scene.server, interfaces: interfaces)
        if change == .addressReplaced { scene.truth.addresses.removeFirst() }
        scene.truth.addresses.append(address)
    }
}
