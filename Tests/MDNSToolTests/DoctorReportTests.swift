import LocalNetworkAccess
import NetworkPrimitives
import Testing

@testable import MDNSTool

/// The report as a value: from facts to lines and objects.
@Suite struct DoctorReportTests {
    private let facts: LocalNetworkFacts = {
        var facts = LocalNetworkFacts()
        let index = InterfaceIndex(rawValue: 2)
        facts.interfaces = [
            InterfaceFacts(
                NetworkInterface(
                    name: "lan0", index: index, flags: [.up, .running, .multicast],
                    maximumTransmissionUnit: 1500,
                    addresses: [
                        .init(NetworkPrefix(.v4(IPv4Address(192, 0, 2, 7)), length: 24))
                    ]), kind: "veth")
        ]
        var traffic = TrafficFacts(index, .ipv4)
        traffic.isJoined = true
        traffic.sentCount = 2
        facts.traffic = [traffic]
        return facts
    }()

    private func text(_ report: DoctorReport, isQuiet: Bool = false) -> [String] {
        report.lines(isQuiet: isQuiet).map { line in
            line.map { $0.text }.joined(separator: " | ")
        }
    }

    private func json(_ report: DoctorReport, isQuiet: Bool = false) -> [String] {
        report.objects(isQuiet: isQuiet).map { object in
            var writer = JSONWriter()
            writer.beginObject()
            object(&writer)
            writer.endObject()
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    @Test("What hurts most comes first, and what is certain before what may be")
    func order() {
        let reasons: [LocalNetworkReason] = [
            .familyMissing("lan0", .ipv6), .nobodyAnswered, .tunnel("tun0"),
            .mtuTooSmall("lan0", bytes: 576), .ipv6Disabled("lan0"),
            .portHeldByOtherUser(PortHolder(.ipv4, user: 7)),
            .inputDropped("lan0", .ipv4, .packetFilter), .joinRefused("lan0", .ipv6, number: 1),
        ]
        let report = DoctorReport(LocalNetworkAssessment(.denied, reasons), facts)
        #expect(
            report.findings.map { $0.code } == [
                "input-dropped", "join-refused", "port-held-by-other-user", "mtu-too-small",
                "nobody-answered", "tunnel", "ipv6-disabled", "family-missing",
            ])
        #expect(report.isFaulty)
    }

    @Test("Lines: the status, each interface with the steps it reached, each finding with its fix")
    func lines() {
        var report = DoctorReport(
            LocalNetworkAssessment(.denied, [.inputDropped("lan0", .ipv4, .packetFilter)]), facts,
            progress: LocalNetworkProgress(hasJoined: true, hasSent: true))
        let finding = """
            error | certain | input-dropped | this host drops what comes to the group on lan0 over \
            IPv4, in its packet filter | fix: allow UDP port 5353 in: 'ufw allow 5353/udp', \
            'firewall-cmd --add-service=mdns', or in nft's input chain 'udp dport 5353 accept' \
            | can't be known: which rule that is, without CAP_NET_ADMIN
            """
        #expect(
            text(report) == [
                "status | denied | joined, sent",
                "interface | lan0 | 192.0.2.7 | IPv4: joined, sent", finding,
            ])
        #expect(text(report, isQuiet: true) == [finding])
        report.facts.neighbourCount = 3
        report.facts.hostNameDaemon = "avahi-daemon"
        report.facts.process.hasSystemCallFilter = true
        report.progress = nil
        #expect(
            text(report).dropLast() == [
                "status | denied | nothing was sent",
                "interface | lan0 | 192.0.2.7 | IPv4: joined, sent", "neighbours | 3",
                "daemon | avahi-daemon", "sandbox | a system call filter",
            ])
    }

    @Test("Objects have the same in the same order")
    func objects() {
        let report = DoctorReport(
            LocalNetworkAssessment(.allowed, [.nobodyAnswered]), facts,
            progress: LocalNetworkProgress(hasJoined: true, hasSent: true, hasLoopedBack: true))
        let finding = """
            {"event":"finding","code":"nobody-answered","severity":"warning","certain":false,\
            "what":"no other host answered, and none is known on the link",\
            "fix":"see whether another host is on this link and speaks mDNS",\
            "unknown":"whether there is no other host or the network between drops packets; \
            'mdns doctor' on another host may say it"}
            """
        #expect(
            json(report) == [
                """
                {"event":"status","status":"allowed","joined":true,"sent":true,"loopedBack":true,\
                "received":false,"answered":false,"neighbours":0,"daemon":null,"filtered":false}
                """,
                """
                {"event":"interface","interface":"lan0","kind":"veth","mtu":1500,\
                "addresses":["192.0.2.7"],"traffic":[{"family":"IPv4","joined":true,"sent":2,\
                "loopedBack":0,"received":0,"answered":0}]}
                """, finding,
            ])
        #expect(json(report, isQuiet: true) == [finding])
    }

    @Test("Nothing found and hints alone are no fault")
    func healthy() {
        #expect(!DoctorReport(LocalNetworkAssessment(.allowed), facts).isFaulty)
        let hint = DoctorReport(
            LocalNetworkAssessment(.allowed, [.ipv6Disabled("lan0"), .macvlan("lan0")]), facts)
        #expect(!hint.isFaulty)
        #expect(hint.findings.count == 2)
    }

    @Test("No service of the wanted type is a finding only where one could be found")
    func services() {
        var report = DoctorReport(LocalNetworkAssessment(.allowed), facts)
        report.add(.init(type: "_http._tcp", count: 1))
        #expect(!report.isFaulty)
        report.add(.init(type: "_http._tcp", count: 0))
        #expect(report.findings.map { $0.code } == ["no-service"])
        #expect(text(report).contains("services | 0 | _http._tcp"))
        var blocked = DoctorReport(LocalNetworkAssessment(.denied, [.portReserved]), facts)
        blocked.add(.init(type: "_http._tcp", count: 0))
        #expect(blocked.findings.map { $0.code } == ["port-reserved"])
    }
}
