import DNSMessages
import NetworkPrimitives
import Testing

@testable import LinuxDiscovery

@Suite("What a host calls itself")
struct HostIdentityTests {
    private let hardware = NetworkInterface(
        name: "eth0", index: InterfaceIndex(rawValue: 2), flags: [.up, .running, .multicast],
        hardwareAddress: HardwareAddress(bytes: [2, 0, 0, 0x4D, 0, 1]))

    private func identity(
        _ choice: NodeOptions.HostName, name: String = "printer", machine: String? = nil,
        interfaces: [NetworkInterface] = [], chance: UInt64 = 7
    ) throws -> HostIdentity {
        try HostIdentity(
            choice,
            facts: HostIdentity.Facts(
                systemName: name, machineID: machine, interfaces: interfaces),
            chance: chance)
    }

    @Test("A label or a suffix that was given is taken")
    func given() throws {
        #expect(try identity(.label("fridge")).label.text == "fridge")
        #expect(try identity(.automatic(suffix: "x1")).label.text == "printer-x1")
        #expect(try identity(.automatic(suffix: "x1")).origin == .given)
        #expect(throws: NameError.self) {
            try identity(.label(String(repeating: "x", count: 64)))
        }
    }

    @Test("Else the machine's id, then a hardware address, then chance")
    func order() throws {
        let id = "0123456789abcdef0123456789abcdef"
        let byMachine = try identity(.automatic(), machine: id, interfaces: [hardware])
        #expect(byMachine.origin == .machineID)
        #expect(byMachine == (try identity(.automatic(), machine: id + "\n", chance: 8)))
        let byHardware = try identity(
            .automatic(), machine: "uninitialized", interfaces: [hardware])
        #expect(byHardware.origin == .hardwareAddress)
        #expect(byHardware == (try identity(.automatic(), interfaces: [hardware], chance: 8)))
        let byChance = try identity(.automatic())
        #expect(byChance.origin == .chance)
        #expect(byChance != (try identity(.automatic(), chance: 8)))
        for identity in [byMachine, byHardware, byChance] {
            #expect(identity.label.text.hasPrefix("printer-"))
            #expect(identity.label.bytes.count == "printer-3f2a".utf8.count)
        }
    }
}
