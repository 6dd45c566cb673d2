import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("Registering services")
struct RegistrationTests {
    let http: ServiceType

    init() throws {
        http = try ServiceType("_http._tcp")
    }

    private func name(_ text: String) throws -> DomainName {
        try ServiceInstanceName(text, type: http).domainName
    }

    @Test("S4-4 the user's name is used as it is, and its progress reported")
    func userName() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(name: "Dr. Müller's 印刷機", type: http, port: 80)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let whole = try name("Dr. Müller's 印刷機")
        #expect(link.statuses(server, id) == [.probing(whole), .established(whole)])
        #expect(
            link.hosts[server].nameEvents == [
                .probing(try DomainName("server.local")),
                .established(try DomainName("server.local")),
            ])
    }

    @Test("S4-5 a service without a name gets the default one")
    func defaultName() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(type: http, port: 80)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(server, id).last == .established(try name("Service of server")))
    }

    @Test("S6-1 S5-3 S4-9 what is announced: PTR shared, SRV and TXT unique, one zero byte of TXT")
    func records() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(
            name: "x", type: http, port: 80, subtypes: [try ServiceSubtype("_s")])
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let owner = try name("x")
        let srv = try #require(link.records(server, .srv).first)
        let location = ServiceLocation(target: try DomainName("server.local"), port: 80)
        #expect(srv.name == owner && srv.data == .srv(location))
        #expect(srv.cacheFlush && srv.timeToLive == .host)
        let txt = try #require(link.records(server, .txt).first)
        #expect(txt.name == owner && txt.data == .txt(.empty))
        #expect(txt.cacheFlush && txt.timeToLive == .standard)
        let pointers = link.records(server, .ptr).filter { !$0.name.description.hasSuffix("arpa") }
        #expect(pointers.allSatisfy { !$0.cacheFlush && $0.timeToLive == .standard })
        let pairs = Set(pointers.map { "\($0.name) \($0.data)" })
        #expect(pairs.count == 3)
        #expect(
            Set(pointers.map(\.name.description)) == [
                "_http._tcp.local", "_s._sub._http._tcp.local", "_services._dns-sd._udp.local",
            ])
    }

    @Test("S12-4 a PTR answer brings SRV, TXT and addresses along")
    func additionals() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        _ = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(5))
        let before = link.sent.count
        _ = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        link.run(.seconds(1))
        let answer = try #require(link.sent[before...].first { $0.host == server })
        #expect(answer.message.answers.map(\.type) == [.ptr])
        #expect(
            Set(answer.message.additionals.map(\.type)).isSuperset(of: [.srv, .txt, .a, .aaaa]))
    }

    /// The first answer to a question that is asked after all announcements.
    private func answer(to question: Question) throws -> Message {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        _ = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(5))
        let before = link.sent.count
        _ = link.perform(client) { $0.startQuery(question, at: $1) }
        link.run(.seconds(1))
        return try #require(link.sent[before...].first { $0.host == server }).message
    }

    @Test("S12-5 an SRV answer brings the addresses of its target along")
    func additionalsOfLocation() throws {
        let message = try answer(to: Question(name("x"), .srv))
        #expect(message.answers.map(\.type) == [.srv])
        #expect(Set(message.additionals.map(\.type)).isSuperset(of: [.a, .aaaa]))
    }

    @Test("S12-6 a TXT answer needs nothing along")
    func additionalsOfText() throws {
        let message = try answer(to: Question(name("x"), .txt))
        #expect(message.answers.map(\.type) == [.txt])
        #expect(!message.additionals.contains { $0.data.address != nil })
    }

    @Test("host and service are probed for together (RFC 6762 §8.1)")
    func probedTogether() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        _ = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(5))
        let probes = link.sent.filter { !$0.message.authorities.isEmpty }
        #expect(probes.count == 6)
        for probe in probes {
            let names = Set(probe.message.questions.map(\.name))
            #expect(names.contains(try name("x")))
            #expect(names.contains(try DomainName("server.local")))
        }
    }

    @Test("M9-6 M9-8 a taken name is changed until one is free, and each change is reported")
    func renaming() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let id = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        try link.defend([name("x"), name("x (2)")], for: .seconds(15))
        link.run(.seconds(5))
        #expect(
            link.statuses(server, id) == [
                .probing(try name("x")), .renamed(from: try name("x"), to: try name("x (2)")),
                .probing(try name("x (2)")),
                .renamed(from: try name("x (2)"), to: try name("x (3)")),
                .probing(try name("x (3)")), .established(try name("x (3)")),
            ])
        #expect(link.records(server, .srv).allSatisfy { $0.name.description.hasPrefix("x (3)") })
    }

    @Test("M9-5 two hosts that want one name end with two names, each resolvable")
    func twoHosts() throws {
        var link = VirtualLink()
        let hosts = [try link.add("one"), try link.add("two")]
        let client = try link.add("client")
        let browse = try link.perform(client) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        for host in hosts {
            let service = ServiceDescription(name: "x", type: http, port: UInt16(80 + host))
            _ = try link.perform(host) { try $0.register(service, at: $1) }
            link.run(.milliseconds(20))
        }
        link.run(.seconds(20))
        var ports: [String: UInt16] = [:]
        for change in link.browse(client, browse) {
            ports[change.instance?.name.instance ?? ""] = change.instance?.service?.port
        }
        #expect(Set(ports.keys) == ["x", "x (2)"])
        #expect(Set(ports.values) == [80, 81])
    }

    @Test("M9-9 after a minute without a free name the user gets an event, once")
    func failing() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let id = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        let owners = [try name("x")] + (try (2...200).map { try name("x (\($0))") })
        try link.defend(owners, for: .seconds(59))
        func failures(_ link: VirtualLink) -> Int {
            link.statuses(server, id).filter { if case .failing = $0 { true } else { false } }.count
        }
        #expect(failures(link) == 0)
        try link.defend(owners, for: .seconds(70))
        #expect(failures(link) == 1)
        link.run(.seconds(30))
        guard case .established = link.statuses(server, id).last else {
            Issue.record("no name was found in the end: \(link.statuses(server, id).suffix(3))")
            return
        }
    }

    @Test("M14-2 a registration that must keep its name ends with the conflict")
    func noRenaming() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(
            name: "x", type: http, port: 80, renamesOnConflict: false)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        try link.defend([name("x")], for: .seconds(5))
        #expect(link.statuses(server, id).last == .conflicted(try name("x")))
        #expect(throws: RegistrationError.unknownRegistration) {
            _ = try link.perform(server) { try $0.update(id, txt: TXTRecord(), at: $1) }
        }
        // The name is free here again.
        let again = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(server, again).last == .established(try name("x")))
    }

    @Test("two registrations of one process never contend with each other")
    func localNames() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(name: "x", type: http, port: 80)
        let first = try link.perform(server) { try $0.register(service, at: $1) }
        let second = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(server, first).last == .established(try name("x")))
        #expect(
            link.statuses(server, second) == [
                .probing(try name("x (2)")), .established(try name("x (2)")),
            ])
        var fixed = service
        fixed.renamesOnConflict = false
        #expect(throws: RegistrationError.nameInUse(try ServiceInstanceName("x", type: http))) {
            _ = try link.perform(server) { try $0.register(fixed, at: $1) }
        }
        link.perform(server) { $0.unregister(first, at: $1) }
        link.run(.seconds(3))
        let third = try link.perform(server) { try $0.register(fixed, at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(server, third).last == .established(try name("x")))
    }

    @Test("M10-3 an ended registration says goodbye for its records, not for the host's")
    func goodbye() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let keep = ServiceDescription(name: "keep", type: http, port: 80)
        let drop = ServiceDescription(name: "drop", type: http, port: 81)
        _ = try link.perform(server) { try $0.register(keep, at: $1) }
        let id = try link.perform(server) { try $0.register(drop, at: $1) }
        link.run(.seconds(5))
        let before = link.sent.count
        link.perform(server) { $0.unregister(id, at: $1) }
        link.run(.seconds(3))
        let goodbyes = link.sent[before...].flatMap(\.message.answers)
            .filter { $0.timeToLive == .goodbye }
        #expect(Set(goodbyes.map(\.type)) == [.ptr, .srv, .txt])
        // Two services share the record that names their type.
        #expect(!goodbyes.contains { $0.name.description.hasPrefix("_services") })
        #expect(
            goodbyes.allSatisfy { $0.type != .ptr || $0.data == .ptr((try? name("drop")) ?? .root) }
        )
    }

    @Test("M10-3 a shutdown says goodbye for everything")
    func shutdown() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        _ = try link.perform(server) {
            try $0.register(ServiceDescription(name: "x", type: http, port: 80), at: $1)
        }
        link.run(.seconds(5))
        let before = link.sent.count
        link.perform(server) { $0.shutdown(at: $1) }
        link.run(.seconds(3))
        let goodbyes = link.sent[before...].flatMap(\.message.answers)
            .filter { $0.timeToLive == .goodbye }
        #expect(Set(goodbyes.map(\.type)) == [.ptr, .srv, .txt, .a, .aaaa])
        #expect(link.browse(client, browse).count == 2)
        #expect(link.discovery(server).deadline == nil)
    }

    @Test("field 39: a TXT update is reported once, and does not probe again")
    func textUpdate() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let service = ServiceDescription(
            name: "x", type: http, port: 80, txt: try TXTRecord(parsing: ["v=1"]))
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        let instance = try ServiceInstanceName("x", type: http)
        let resolve = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.seconds(10))
        let before = link.sent.count
        try link.perform(server) {
            try $0.update(id, txt: TXTRecord(parsing: ["v=2"]), at: $1)
        }
        link.run(.seconds(10))
        let texts = link.resolutions(client, resolve).compactMap { change in
            if case .resolved(let service) = change { service.txt["v"]?.text } else { nil }
        }
        #expect(texts == ["1", "2"])
        #expect(link.sent[before...].allSatisfy { $0.message.authorities.isEmpty })
    }

    @Test("S8-2 S8-4 a reserved name is an SRV with port 0 and no PTR")
    func reservedName() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let flagship = try ServiceType("_printer._tcp")
        let service = ServiceDescription(
            name: "x", type: flagship, port: 0, reservesNameOnly: true)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let owner = try ServiceInstanceName("x", type: flagship).domainName
        #expect(link.statuses(server, id).last == .established(owner))
        let srv = try #require(link.records(server, .srv).first)
        let location = ServiceLocation(target: try DomainName("server.local"), port: 0)
        #expect(srv.data == .srv(location))
        #expect(link.records(server, .ptr).allSatisfy { $0.name.description.hasSuffix("arpa") })
    }

    @Test("S8-3 the target of a reserved name is the host, never the root")
    func reservedTarget() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(name: "x", type: http, port: 0, reservesNameOnly: true)
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        for record in link.records(server, .srv) {
            guard case .srv(let location) = record.data else { continue }
            #expect(!location.target.isRoot)
        }
        #expect(!link.records(server, .srv).isEmpty)
    }

    @Test("S8-5 a reserved name that is taken is changed")
    func reservedConflict() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let service = ServiceDescription(name: "x", type: http, port: 0, reservesNameOnly: true)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        try link.defend([name("x")], for: .seconds(10))
        #expect(link.statuses(server, id).last == .established(try name("x (2)")))
    }

    @Test("a proxy's records: another host with addresses of its own")
    func proxy() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let addresses = [try #require(IPAddress("198.51.100.7"))]
        let host = ServiceDescription.ProxyHost(
            name: try DomainName("lamp.local"), addresses: addresses)
        let service = ServiceDescription(name: "x", type: http, port: 80, host: host)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        let second = try link.perform(server) {
            try $0.register(
                ServiceDescription(name: "y", type: http, port: 81, host: host), at: $1)
        }
        let instance = try ServiceInstanceName("x", type: http)
        let resolve = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(server, id).last == .established(try name("x")))
        guard case .resolved(let found) = link.resolutions(client, resolve).last else {
            Issue.record("not resolved: \(link.resolutions(client, resolve))")
            return
        }
        #expect(found.host == host.name && found.addresses == addresses)
        // The host's own name is not needed for it.
        #expect(link.hosts[server].nameEvents.isEmpty)

        var other = service
        other.host?.addresses = [try #require(IPAddress("198.51.100.8"))]
        #expect(throws: RegistrationError.hostInUse(host.name)) {
            _ = try link.perform(server) { try $0.register(other, at: $1) }
        }
        // While one of the two is left, the addresses are.
        let before = link.sent.count
        link.perform(server) { $0.unregister(second, at: $1) }
        link.run(.seconds(2))
        #expect(!link.sent[before...].flatMap(\.message.answers).contains { $0.type == .a })
        link.perform(server) { $0.unregister(id, at: $1) }
        link.run(.seconds(2))
        #expect(
            link.sent[before...].flatMap(\.message.answers)
                .contains { $0.type == .a && $0.timeToLive == .goodbye })
        _ = try link.perform(server) { try $0.register(other, at: $1) }
    }

    @Test("a proxy host's name that is taken is changed, and its services follow")
    func proxyConflict() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let enemy = try link.add("lamp", hostPublication: .always)
        let client = try link.add("client")
        link.run(.seconds(5))
        let lamp = try DomainName("lamp.local")
        let host = ServiceDescription.ProxyHost(
            name: lamp, addresses: [try #require(IPAddress("198.51.100.7"))])
        let service = ServiceDescription(name: "x", type: http, port: 80, host: host)
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        let instance = try ServiceInstanceName("x", type: http)
        let resolve = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.seconds(15))
        let renamed = try DomainName("lamp-2.local")
        #expect(link.statuses(server, id).contains(.hostRenamed(from: lamp, to: renamed)))
        #expect(link.statuses(server, id).last == .established(try name("x")))
        guard case .resolved(let found) = link.resolutions(client, resolve).last else {
            Issue.record("not resolved")
            return
        }
        #expect(found.host == renamed)
        #expect(link.hosts[enemy].nameEvents.last == .established(lamp))
    }

    @Test("what can't be registered is refused with the reason")
    func refusals() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let fine = ServiceDescription(name: "x", type: http, port: 80)
        func refuses(
            _ expected: RegistrationError, _ change: (inout ServiceDescription) throws -> Void
        ) throws {
            var service = fine
            try change(&service)
            #expect(throws: expected) {
                _ = try link.perform(server) { try $0.register(service, at: $1) }
            }
            #expect(!expected.description.isEmpty)
        }
        try refuses(.portMissing) { $0.port = 0 }
        try refuses(.type(.tooLong(name: "a-name-of-over-15", bytes: 17))) {
            $0.type = try ServiceType(lenient: "_a-name-of-over-15._tcp")
        }
        try refuses(.instance(.controlCharacter(9, position: 2))) { $0.name = "a\tb" }
        try refuses(.instance(.tooLong(bytes: 64))) { $0.name = String(repeating: "x", count: 64) }
        let twice = try ServiceSubtype("_a")
        try refuses(.repeatedSubtype(twice)) { $0.subtypes = [twice, try ServiceSubtype("_A")] }
        let example = try DomainName("example.com")
        try refuses(.notLocal(example)) { $0.domain = example }
        try refuses(.notLocal(example)) { $0.host = .init(name: example) }
        let group = try #require(IPAddress("224.0.0.251"))
        try refuses(.badAddress(group)) {
            $0.host = .init(name: try DomainName("h.local"), addresses: [group])
        }
        let own = try DomainName("server.local")
        try refuses(.hostInUse(own)) {
            $0.host = .init(name: own, addresses: [try #require(IPAddress("192.0.2.1"))])
        }
        let large = TXTRecord(
            try #require(TextStrings((0..<40).map { _ in [UInt8](repeating: 65, count: 250) })))
        try refuses(.txt(.tooLarge(bytes: 40 * 251))) { $0.txt = large }
        link.run(.seconds(5))
        #expect(link.sent.isEmpty)
        #expect(throws: RegistrationError.noRecord) {
            _ = try link.perform(server) { try $0.registerRecords(RecordRegistration([]), at: $1) }
        }
    }

    @Test("the same calls with the same seed give the same packets")
    func deterministic() throws {
        func run() throws -> [Message] {
            var link = VirtualLink()
            let one = try link.add("one")
            let two = try link.add("two")
            for number in 0..<5 {
                let service = ServiceDescription(
                    name: "s\(number)", type: http, port: 80, subtypes: [try ServiceSubtype("_a")])
                _ = try link.perform(one) { try $0.register(service, at: $1) }
            }
            _ = try link.perform(two) { try $0.startBrowse(http, detail: .services, at: $1) }
            link.run(.seconds(30))
            link.perform(one) { $0.shutdown(at: $1) }
            link.run(.seconds(5))
            return link.sent.map(\.message)
        }
        let first = try run()
        #expect(first.count > 10)
        #expect(try run() == first)
    }
}
