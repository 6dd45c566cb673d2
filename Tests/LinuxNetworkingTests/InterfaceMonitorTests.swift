import LinuxNetworking
import NetworkPrimitives
import Testing

@Suite("Interfaces")
struct InterfaceMonitorTests {
    @Test("The loopback is among the interfaces of this machine")
    func loopback() throws {
        let interfaces = try InterfaceMonitor.snapshot()
        let lo = try #require(interfaces.first { $0.flags.contains(.loopback) })
        #expect(lo.name == "lo")
        #expect(lo.index.rawValue == 1)
        #expect(lo.hardwareAddress == nil)
        #expect(lo.maximumTransmissionUnit > 0)
        #expect(lo.addresses.contains { $0.prefix == NetworkPrefix(.v4(.loopback), length: 8) })
        #expect(interfaces == interfaces.sorted { $0.index < $1.index })
    }
}
