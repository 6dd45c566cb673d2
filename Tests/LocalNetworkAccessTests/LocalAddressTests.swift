import LocalNetworkAccess
import Testing

@Suite("Local addresses")
struct LocalAddressTests {
    @Test(
        "private, link-local, multicast and broadcast addresses are local, and names in local",
        arguments: [
            "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
            "169.254.1.1", "224.0.0.251", "239.255.255.250", "255.255.255.255", "fe80::1",
            "febf::1", "fe80::1%eth0", "[fe80::1%25eth0]", "fc00::1", "fdff::1", "[fd00::1]",
            "ff02::fb", "::ffff:192.168.0.1", "printer.local", "Printer.LOCAL.", "a.b.local",
        ])
    func local(_ host: String) {
        #expect(LocalAddress.isLocal(host))
    }

    @Test(
        "what a router forwards, the loopback and other names are not",
        arguments: [
            "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
            "192.169.0.0", "169.253.1.1", "223.255.255.255", "240.0.0.1", "100.64.0.1",
            "127.0.0.1", "0.0.0.0", "8.8.8.8", "fe00::1", "fec0::1", "fbff::1", "fe7f::1", "::1",
            "::", "2001:db8::1", "::ffff:8.8.8.8", "example.com", "local", ".local", "localhost",
            "printer.local.example.com", "notlocal", "printer-local", "", "[10.0.0.1]",
            "10.0.0.1%eth0", "[printer.local]", "10.0.0", "010.0.0.1", "local.",
        ])
    func notLocal(_ host: String) {
        #expect(!LocalAddress.isLocal(host))
    }
}
