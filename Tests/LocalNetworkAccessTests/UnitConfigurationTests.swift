import LocalNetworkAccess
import Testing

@Suite("A unit of systemd")
struct UnitConfigurationTests {
    private func findings(
        _ lines: String, keyStore: String? = nil, section: String = "Service"
    ) -> [ConfigurationFinding] {
        UnitConfiguration(keyStore: keyStore)
            .findings(in: Array("[\(section)]\n\(lines)\n".utf8))
    }

    private func codes(_ lines: String, keyStore: String? = nil) -> [String] {
        findings(lines, keyStore: keyStore).map(\.code)
    }

    @Test("a hardened service that leaves the network open has no findings")
    func healthy() {
        #expect(
            codes(
                """
                ExecStart=/usr/bin/mdns publish Web _http._tcp 80
                PrivateNetwork=no
                RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
                RestrictAddressFamilies=AF_NETLINK
                IPAddressDeny=any
                IPAddressAllow=multicast link-local 192.168.0.0/16
                SystemCallFilter=@system-service
                SystemCallFilter=~@privileged
                DynamicUser=yes
                ProtectSystem=strict
                ProtectHome=yes
                StateDirectory=mdns
                """
            ).isEmpty)
    }

    @Test("PrivateNetwork=yes is told in both sections, and not once it is taken back")
    func privateNetwork() {
        for section in ["Service", "Socket"] {
            let found = findings("PrivateNetwork=true", section: section)
            #expect(found.map(\.code) == ["private-network"])
            #expect(found.first?.position == SourcePosition(line: 2, column: 1))
        }
        #expect(findings("PrivateNetwork=true", section: "Unit").isEmpty)
        #expect(codes("PrivateNetwork=yes\nPrivateNetwork=").isEmpty)
    }

    @Test(
        "families that are not allowed, or denied, are told one by one",
        arguments: [
            ("AF_INET AF_INET6 AF_NETLINK", []), ("AF_INET AF_INET6", ["AF_NETLINK"]),
            ("AF_UNIX", ["AF_INET", "AF_INET6", "AF_NETLINK"]),
            ("none", ["AF_INET", "AF_INET6", "AF_NETLINK"]), ("~AF_PACKET", []),
            ("~AF_INET6 AF_PACKET", ["AF_INET6"]),
            ("~AF_NETLINK\nRestrictAddressFamilies=AF_NETLINK", []),
            ("AF_UNIX\nRestrictAddressFamilies=", []),
        ] as [(String, [String])])
    func families(value: String, missing: [String]) {
        let found = findings("RestrictAddressFamilies=\(value)")
        #expect(found.allSatisfy { $0.code == "address-family-restricted" })
        #expect(found.count == missing.count)
        for (finding, family) in zip(found, missing) {
            #expect(finding.what.contains("forbids \(family),"))
        }
    }

    @Test(
        "addresses of the group that are denied and not allowed are told",
        arguments: [
            ("any", "", 2), ("multicast", "", 2), ("224.0.0.251", "", 1), ("224.0.0.0/24", "", 1),
            ("ff02::fb", "", 1), ("ff00::/8", "", 1), ("224.0.0.252", "", 0), ("10.0.0.0/8", "", 0),
            ("multicast", "multicast", 0), ("multicast", "224.0.0.251", 1), ("", "", 0),
            ("localhost", "", 0), ("any", "any", 0), ("224.0.0.0/99", "", 0), ("junk", "", 0),
        ] as [(String, String, Int)])
    func groups(denied: String, allowed: String, count: Int) {
        let found = findings("IPAddressDeny=\(denied)\nIPAddressAllow=\(allowed)")
        #expect(found.map(\.code) == Array(repeating: "address-denied", count: count))
        #expect(found.allSatisfy { $0.position == SourcePosition(line: 2, column: 15) })
    }

    @Test("what neighbours send from their own addresses must pass too")
    func neighbours() {
        let both = findings("IPAddressDeny=any\nIPAddressAllow=multicast")
        #expect(both.map(\.code) == Array(repeating: "address-neighbours-denied", count: 2))
        #expect(both.map(\.severity) == [.error, .warning])
        #expect(codes("IPAddressDeny=link-local") == ["address-neighbours-denied"])
        #expect(codes("IPAddressDeny=any\nIPAddressAllow=multicast 10.0.0.0/8 link-local").isEmpty)
    }

    @Test("a filter of system calls must let those of the network through")
    func calls() {
        #expect(codes("SystemCallFilter=@basic-io read") == ["system-calls-filtered"])
        #expect(codes("SystemCallFilter=@basic-io @network-io").isEmpty)
        #expect(codes("SystemCallFilter=@system-service").isEmpty)
        #expect(codes("SystemCallFilter=~@network-io:EPERM") == ["system-calls-filtered"])
        #expect(codes("SystemCallFilter=~@mount").isEmpty)
    }

    @Test("the key store must be writable; a state folder is")
    func keyStore() {
        for line in ["DynamicUser=yes", "ProtectHome=read-only", "ProtectSystem=strict"] {
            #expect(codes(line) == ["key-store-protected"], "\(line)")
            #expect(codes("\(line)\nStateDirectory=mdns").isEmpty, "\(line)")
        }
        for line in ["DynamicUser=no", "ProtectHome=no", "ProtectSystem=full", "PrivateTmp=yes"] {
            #expect(codes(line).isEmpty, "\(line)")
        }
        #expect(codes("ProtectHome=yes", keyStore: "/var/lib/mdns").isEmpty)
        #expect(codes("PrivateTmp=yes", keyStore: "/tmp/keys") == ["key-store-protected"])
        #expect(codes("PrivateTmp=yes", keyStore: "/tmpfiles").isEmpty)
    }

    @Test("what is no unit file is one finding")
    func damaged() {
        #expect(codes("nothing") == ["unit-assignment"])
    }
}
