import DNSMessages
import LinuxNetworking
import LocalNetworkAccess
import NetworkPrimitives
import Testing

@testable import MDNSTool

/// The peer of `mdns doctor --peer`, and what its outcomes mean.
@Suite struct DoctorPeerTests {
    @Test("A peer is a name under .local or an address, and a port")
    func peers() throws {
        let named = try DoctorPeer("printer:631")
        guard case .name(let name) = named.host else { throw UsageError("not a name") }
        #expect(name.description == "printer.local")
        #expect(named.port == 631)
        #expect(
            try DoctorPeer("192.0.2.7:80").host
                == .address(.v4(IPv4Address(192, 0, 2, 7)), interface: nil))
        let linkLocal = try #require(IPAddress("fe80::7"))
        #expect(
            try DoctorPeer("[fe80::7%eth0]:80").host == .address(linkLocal, interface: "eth0"))
        for text in [
            "", ":", "a", "a:", "a:0", "a:65536", "a:x", ":80", "fe80::7:80", "[192.0.2.7]:80",
            "[a.local]:80", "192.0.2.7%eth0:80", "[fe80::7%]:80", "a.example:80",
        ] {
            #expect(throws: UsageError.self, "\(text)") { try DoctorPeer(text) }
        }
    }

    @Test("RST, ICMP, silence and an absent host are told apart, each with its remedy")
    func outcomes() {
        let cases: [(outcome: ConnectionOutcome, code: String, what: String, fix: String)] = [
            (.reset, "connection-reset", "(RST)", "start the program there"),
            (
                .rejected(type: 3, code: 13, by: nil), "connection-rejected", "(ICMP 3/13)",
                "firewall-cmd --add-port=80/tcp"
            ),
            (.silent, "connection-silent", "nothing comes back", "ufw allow 80/tcp"),
            (.silent, "connection-silent", "port 80", "tcp dport 80 accept"),
            (
                .rejectedHere(type: 3, code: 3), "connection-rejected-here", "this host's firewall",
                "ufw allow out 80/tcp"
            ),
            (.unreachable, "connection-unreachable", "no host answers", "isolates clients"),
            (.failed(.networkUnreachable), "connection-failed", "ENETUNREACH", "ip route get"),
        ]
        for (outcome, code, what, fix) in cases {
            let connection = DoctorConnection(address: "192.0.2.7", port: 80, outcome: outcome)
            let finding = connection.finding(isAlone: true)
            #expect(finding?.code == code)
            #expect(finding?.severity == .error)
            #expect(finding?.what.contains(what) == true, "\(code)")
            #expect(finding?.what.contains("192.0.2.7") == true, "\(code)")
            #expect(finding?.fix.contains(fix) == true, "\(code)")
        }
    }

    @Test("What fails at one address hurts less where another accepts")
    func someAddress() {
        var report = DoctorReport(LocalNetworkAssessment(.allowed), LocalNetworkFacts())
        report.add([
            DoctorConnection(address: "192.0.2.7", port: 80, outcome: .connected),
            DoctorConnection(address: "2001:db8::7", port: 80, outcome: .silent),
        ])
        #expect(report.findings.map { $0.severity } == [.warning])
        let lines = report.lines(isQuiet: false).map { line in line.map { $0.text } }
        #expect(lines.contains(["connection", "connected", "192.0.2.7 port 80"]))
        #expect(lines.contains(["connection", "silent", "2001:db8::7 port 80"]))
    }
}
