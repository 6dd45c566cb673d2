import NetworkPrimitives
import Testing

@Suite struct IPv6AddressTests {
    @Test(
        "text that is read and comes out canonical",
        arguments: [
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("FE80::0001", "fe80::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ])
    func roundTrip(text: String, canonical: String) {
        #expect(IPv6Address(text)?.description == canonical)
    }

    @Test(
        "text that is no address",
        arguments: [
            "", ":", ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "::192.0.2.256", "1:2:3:4:5:6:7::8", "g::", "+1::", "1.2.3.4::",
        ])
    func refused(text: String) {
        #expect(IPv6Address(text) == nil)
    }
}
