import MDNS
import Testing

@testable import MDNSTool

@Suite("What is reconfirmed")
struct ReconfirmTests {
    private let lan = InterfaceIndex(rawValue: 2)

    /// `name type [data] [shared]` of each check.
    private func checks(_ words: String...) throws -> [String] {
        try ReconfirmTarget(words).checks.map { check in
            var text = "\(check.name) \(check.type)"
            if let data = check.data { text += " \(data)" }
            if check.isShared { text += " shared" }
            return text
        }
    }

    private func record(_ name: String, _ data: RecordData) throws -> ResourceRecord {
        ResourceRecord(try DomainName(name), data, timeToLive: .host)
    }

    @Test(
        "A service is asked for by its location, its text and the pointer to it",
        arguments: [
            ["My Web", "_http._tcp"], ["My Web", "_http._tcp.local"], ["My Web._http._tcp"],
            ["My Web._http._tcp.local."],
        ])
    func service(words: [String]) throws {
        let target = try ReconfirmTarget(words)
        let name = try DomainName("My Web._http._tcp.local")
        let list = try DomainName("_http._tcp.local")
        #expect(target.title == "My Web")
        #expect(
            target.checks == [
                .init(name: name, type: .srv), .init(name: name, type: .txt),
                .init(name: list, type: .ptr, data: .ptr(name)),
            ])
        #expect(!target.oneIsEnough)
    }

    @Test("A subtype has a pointer of its own")
    func subtype() throws {
        #expect(
            try checks("Ink", "_color._sub._ipp._tcp").last
                == "_color._sub._ipp._tcp.local PTR Ink._ipp._tcp.local")
    }

    @Test("an instance that is not UTF-8 is asked for byte for byte")
    func otherBytes() throws {
        let target = try ReconfirmTarget(["B\\252ro._http._tcp"])
        let label = try Label([0x42, 0xFC, 0x72, 0x6F])
        #expect(target.checks.first?.name.firstLabel?.bytes == label.bytes)
    }

    @Test("An address is asked for wherever it belongs, other names are not")
    func addresses() throws {
        #expect(try ReconfirmTarget(["10.77.0.1"]).isAddress)
        #expect(try !ReconfirmTarget(["1.0.77.10.in-addr.arpa", "PTR"]).isAddress)
    }

    @Test("Dots of an instance need no escape, and may have one")
    func dots() throws {
        let whole = #"V 1\.2._ipp._tcp.local SRV"#
        #expect(try checks("V 1.2", "_ipp._tcp").first == whole)
        #expect(try checks("V 1.2._ipp._tcp").first == whole)
        #expect(try checks(#"V 1\.2._ipp._tcp.local"#).first == whole)
    }

    @Test("Types, hosts, addresses and records")
    func others() throws {
        #expect(try checks("_ipp._tcp") == ["_ipp._tcp.local PTR shared"])
        #expect(try checks("printer") == ["printer.local A", "printer.local AAAA"])
        #expect(try ReconfirmTarget(["printer.local"]).oneIsEnough)
        #expect(try checks("192.0.2.1") == ["1.2.0.192.in-addr.arpa PTR"])
        #expect(try checks("printer.local", "aaaa") == ["printer.local AAAA"])
        #expect(try checks("_ipp._tcp.local", "PTR") == ["_ipp._tcp.local PTR shared"])
        #expect(try checks("1.2.0.192.in-addr.arpa", "PTR") == ["1.2.0.192.in-addr.arpa PTR"])
        #expect(try checks("printer.local", "ANY") == ["printer.local ANY shared"])
    }

    @Test("What names nothing")
    func refusals() {
        #expect(throws: UsageError.self) { try ReconfirmTarget(["printer.local", "ZZZ"]) }
        #expect(throws: MDNSError.self) { try ReconfirmTarget(["a..b"]) }
        #expect(throws: MDNSError.self) { try ReconfirmTarget(["Web", "_http._tc"]) }
        #expect(throws: MDNSError.self) {
            try ReconfirmTarget([String(repeating: "n", count: 64), "_http._tcp"])
        }
    }

    @Test("A service is confirmed when all of its records are")
    func confirmed() throws {
        let target = try ReconfirmTarget(["Web", "_http._tcp"])
        var reconfirmation = Reconfirmation(target)
        let name = "Web._http._tcp.local"
        let location = ServiceLocation(target: try DomainName("h.local"), port: 80)
        let answers: [RecordData] = [
            .srv(location), .txt(try #require(TextStrings(wireBytes: [0]))),
            .ptr(try DomainName(name)),
        ]
        for (number, data) in answers.enumerated() {
            #expect(!reconfirmation.isConfirmed)
            let list = number == 2 ? "_http._tcp.local" : name
            let event = try RecordEvent.added(record(list, data), lan)
            let finding = reconfirmation.handle(.answered(event), of: number)
            #expect(finding?.verdict == .confirmed && finding?.data == data)
            #expect(finding?.interface == lan)
            #expect(Reconfirmation.settles(event, target.checks[number]))
        }
        #expect(reconfirmation.isConfirmed)
        let late = reconfirmation.handle(.timedOut, of: 0)
        #expect(late == nil && reconfirmation.isConfirmed)
    }

    @Test("Another instance's pointer is no answer; what nobody answered for is gone")
    func gone() throws {
        let target = try ReconfirmTarget(["Web", "_http._tcp"])
        var reconfirmation = Reconfirmation(target)
        let other = RecordEvent.added(
            try record("_http._tcp.local", .ptr(try DomainName("Other._http._tcp.local"))), lan)
        let finding = reconfirmation.handle(.answered(other), of: 2)
        #expect(finding == nil)
        #expect(!Reconfirmation.settles(other, target.checks[2]))
        #expect(!reconfirmation.isConfirmed && !reconfirmation.isGone)
        for (number, type) in [RecordType.srv, .txt, .ptr].enumerated() {
            let loss = reconfirmation.handle(.timedOut, of: number)
            #expect(loss?.verdict == .gone && loss?.type == type && loss?.interface == nil)
        }
        #expect(!reconfirmation.isConfirmed && reconfirmation.isGone)
        let again = reconfirmation.handle(.timedOut, of: 2)
        #expect(again == nil)
    }

    @Test("One kind of address is enough for a host; its word that there is none is no loss")
    func host() throws {
        var reconfirmation = Reconfirmation(try ReconfirmTarget(["printer"]))
        let absent = RecordEvent.absent(.aaaa, lan)
        let finding = reconfirmation.handle(.answered(absent), of: 1)
        #expect(finding?.verdict == .absent)
        #expect(!reconfirmation.isConfirmed && !reconfirmation.isGone)
        let address = RecordEvent.added(
            try record("printer.local", .a(IPv4Address(192, 0, 2, 1))), lan)
        let found = reconfirmation.handle(.answered(address), of: 0)
        #expect(found?.verdict == .confirmed)
        let again = reconfirmation.handle(.answered(address), of: 0)
        #expect(again == nil && reconfirmation.isConfirmed)
    }

    @Test("Of what several own, one answer settles nothing")
    func shared() throws {
        let target = try ReconfirmTarget(["_ipp._tcp"])
        var reconfirmation = Reconfirmation(target)
        let event = RecordEvent.added(
            try record("_ipp._tcp.local", .ptr(try DomainName("A._ipp._tcp.local"))), lan)
        #expect(!Reconfirmation.settles(event, target.checks[0]))
        let finding = reconfirmation.handle(.answered(event), of: 0)
        #expect(finding?.verdict == .confirmed)
        #expect(reconfirmation.isConfirmed)
    }
}
