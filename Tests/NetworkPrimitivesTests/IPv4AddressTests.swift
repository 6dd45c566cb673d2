import NetworkPrimitives
import Testing

@Suite struct IPv4AddressTests {
    @Test(
        "text comes out as it was read",
        arguments: ["0.0.0.0", "1.20.255.100", "192.0.2.1", "224.0.0.251", "9.10.99.101"])
    func roundTrip(text: String) throws {
        let address = try #require(IPv4Address(text))
        #expect(address.description == text)
        var bytes = Array("to ".utf8)
        IPAddress.v4(address).appendText(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "to \(text)")
    }
}
