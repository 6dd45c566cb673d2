import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("What may be registered")
struct RegistrationCheckTests {
    private let printer: ServiceType

    init() throws {
        printer = try ServiceType("_printer._tcp")
    }

    // MARK: Port 0

    @Test("port 0 is published with PTR and TXT where that is intended")
    func portZero() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let browse = try link.perform(client) { try $0.startBrowse(printer, at: $1) }
        var service = ServiceDescription(name: "X", type: printer, port: 0)
        #expect(throws: RegistrationError.portMissing) {
            _ = try link.perform(server) { try $0.register(service, at: $1) }
        }
        service.allowsPortZero = true
        let id = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let name = try ServiceInstanceName("X", type: printer)
        #expect(link.statuses(server, id).last == .established(name.domainName))
        let location = ServiceLocation(target: try DomainName("server.local"), port: 0)
        #expect(link.records(server, .srv).first?.data == .srv(location))
        #expect(link.records(server, .txt).first?.name == name.domainName)
        #expect(
            link.browse(client, browse) == [
                .added(ServiceInstance(name, on: VirtualLink.interface))
            ])
    }

    // MARK: Types

    @Test(
        "S7-2 a type against the rules is published only where that is insisted on",
        arguments: ["_a-name-of-over-15._tcp", "_with_underscore._udp", "_12._tcp", "_-x._tcp"])
    func lenientType(_ text: String) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let type = try ServiceType(lenient: text)
        let browse = try link.perform(client) { try $0.startBrowse(type, at: $1) }
        var service = ServiceDescription(name: "X", type: type, port: 80)
        #expect(throws: RegistrationError.self) {
            _ = try link.perform(server) { try $0.register(service, at: $1) }
        }
        service.isLenient = true
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        #expect(link.browse(client, browse).map(\.instance?.name.type) == [type])
    }

    // MARK: Records that can't be sent

    private func refuses(
        _ expected: RegistrationError, _ record: ResourceRecord,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        for ownership in [RecordRegistration.Ownership.shared, .unique, .knownUnique] {
            let records = RecordRegistration([.init(record, ownership)])
            #expect(throws: expected, sourceLocation: sourceLocation) {
                _ = try link.perform(server) { try $0.registerRecords(records, at: $1) }
            }
        }
        // Nor does a registration that is fine become such a one.
        let fine = ResourceRecord(
            try DomainName("fine.local"), .a(try #require(IPv4Address("192.0.2.7"))),
            timeToLive: .host)
        let id = try link.perform(server) {
            try $0.registerRecords(RecordRegistration([.init(fine, .shared)]), at: $1)
        }
        link.run(.seconds(3))
        let before = link.sent.count
        #expect(throws: expected, sourceLocation: sourceLocation) {
            let records = RecordRegistration([.init(record, .shared)])
            try link.perform(server) { try $0.update(id, records: records, at: $1) }
        }
        link.run(.seconds(3))
        #expect(link.sent.count == before)
        #expect(expected.description.contains(":"))
    }

    @Test("M17-6 a record that no packet holds is refused, the largest one is sent")
    func tooLarge() throws {
        let name = try DomainName("large.local")
        // The name with its final zero, type, class, TTL and length take 23 bytes.
        let most = 8_934 - 23
        let type = RecordType(rawValue: 65_000)
        func record(_ bytes: Int) -> ResourceRecord {
            ResourceRecord(
                name, .unknown(type, [UInt8](repeating: 1, count: bytes)), timeToLive: .standard)
        }
        try refuses(.recordTooLarge(name, type, bytes: 8_935), record(most + 1))
        for ownership in [RecordRegistration.Ownership.shared, .unique] {
            var link = VirtualLink()
            let server = try link.add("server")
            _ = try link.perform(server) {
                try $0.registerRecords(
                    RecordRegistration([.init(record(most), ownership)]), at: $1)
            }
            link.run(.seconds(5))
            #expect(link.records(server, type).count >= 2)
            let probes = link.sent.filter { !$0.message.questions.isEmpty }
            #expect(probes.allSatisfy { $0.message.authorities.count == 1 })
            #expect(probes.isEmpty == (ownership == .shared))
        }
    }

    @Test("M17-6 a TXT record counts with the name of its service")
    func textTooLarge() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let name = String(repeating: "n", count: 63)
        let strings = (0..<35).map { _ in [UInt8](repeating: 65, count: 252) }
        let txt = TXTRecord(try #require(TextStrings(strings)))
        #expect(txt.byteCount == 8_855)
        let long = ServiceDescription(name: name, type: printer, port: 80, txt: txt)
        let owner = try ServiceInstanceName(name, type: printer).domainName
        let expected = RegistrationError.recordTooLarge(
            owner, .txt, bytes: 8_855 + owner.byteCount + 11)
        #expect(throws: expected) {
            _ = try link.perform(server) { try $0.register(long, at: $1) }
        }
        let short = ServiceDescription(name: "n", type: printer, port: 80, txt: txt)
        _ = try link.perform(server) { try $0.register(short, at: $1) }
        link.run(.seconds(5))
        #expect(!link.records(server, .txt).isEmpty)
    }

    @Test("a record that would say goodbye when it is announced is refused")
    func zeroTimeToLive() throws {
        let name = try DomainName("gone.local")
        let address = RecordData.a(try #require(IPv4Address("192.0.2.1")))
        try refuses(
            .zeroTimeToLive(name, .a), ResourceRecord(name, address, timeToLive: .goodbye))
    }

    @Test("a record of the root is refused")
    func rootOwner() throws {
        let data = RecordData.ptr(try DomainName("x.local"))
        try refuses(.rootOwner(.ptr), ResourceRecord(.root, data, timeToLive: .standard))
    }

    @Test("a host name with a control character is refused", arguments: [0, 9, 0x7F] as [UInt8])
    func controlCharacter(_ byte: UInt8) throws {
        let label = try Label([0x61, byte])
        let name = try DomainName.local.prepending(label)
        let expected = RegistrationError.controlCharacterInHostName(name, byte, position: 2)
        #expect(throws: expected) { try HostNaming.check(label) }
        var link = VirtualLink()
        let server = try link.add("server")
        var service = ServiceDescription(name: "X", type: printer, port: 80)
        service.host = .init(name: name, addresses: [try #require(IPAddress("192.0.2.9"))])
        #expect(throws: expected) {
            _ = try link.perform(server) { try $0.register(service, at: $1) }
        }
        try HostNaming.check(Label("büro"))
    }
}
