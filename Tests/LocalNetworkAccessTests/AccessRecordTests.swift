import LinuxNetworking
import NetworkPrimitives
import Testing

@testable import LocalNetworkAccess

@Suite("The stored status")
struct AccessRecordTests {
    private static let network: NetworkIdentity = {
        var network = NetworkIdentity()
        network.bootID = "0f0f-boot"
        network.namespace = 4_026_531_840
        network.interfaces = ["lan0 192.0.2.0/24 fe80::/64", "wlan0 198.51.100.0/24"]
        return network
    }()

    private static func record(
        _ status: LocalNetworkAccessStatus, working: Set<String> = ["lan0"]
    ) throws -> AccessRecord {
        let assessment = LocalNetworkAssessment(
            status, [.sendingRefused("lan0", .ipv4, number: 1), .tunnel("tun0")], on: network)
        return try #require(AccessRecord(assessment, working: working))
    }

    @Test("it is read as it was written", arguments: [LocalNetworkAccessStatus.allowed, .denied])
    func roundTrip(_ status: LocalNetworkAccessStatus) throws {
        let record = try Self.record(status)
        #expect(try AccessRecord.decode(record.encoded) == record)
        #expect(record.reasons.map { $0.name } == ["sending-refused", "tunnel"])
    }

    @Test("only answers are stored", arguments: LocalNetworkAccessStatus.allCases)
    func answers(_ status: LocalNetworkAccessStatus) {
        let record = AccessRecord(LocalNetworkAssessment(status, on: Self.network))
        #expect((record != nil) == (status == .allowed || status == .denied))
    }

    @Test("one that is cut anywhere is damaged; garbage is, too")
    func damaged() throws {
        let bytes = try Self.record(.denied).encoded
        for count in 0..<bytes.count {
            #expect(throws: AccessRecordError.self) {
                try AccessRecord.decode(Array(bytes.prefix(count)))
            }
        }
        var generator = SeededGenerator(seed: 13)
        for _ in 0..<2000 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &generator)] =
                UInt8.random(in: 0 ... .max, using: &generator)
            if let record = try? AccessRecord.decode(changed) {
                #expect(record.status == .allowed || record.status == .denied)
            }
        }
        #expect(throws: AccessRecordError.tooLong) {
            try AccessRecord.decode([UInt8](repeating: 10, count: 1 << 16 + 1))
        }
        #expect(throws: AccessRecordError.notText) { try AccessRecord.decode([0xFF, 0x0A]) }
    }

    @Test("it holds in the same boot, on the interfaces it is true for")
    func holds() throws {
        let allowed = try Self.record(.allowed)
        let denied = try Self.record(.denied)
        var network = Self.network
        #expect(allowed.holds(on: network) && denied.holds(on: network))
        network.interfaces.append("lan1 203.0.113.0/24")
        #expect(allowed.holds(on: network) && !denied.holds(on: network))
        network.interfaces = ["lan0 192.0.2.0/24 fe80::/64"]
        // It worked on lan0, which is all that counts.
        #expect(allowed.holds(on: network) && !denied.holds(on: network))
        network.interfaces = ["lan0 203.0.113.0/24 fe80::/64", "wlan0 198.51.100.0/24"]
        #expect(!allowed.holds(on: network) && !denied.holds(on: network))
        network = Self.network
        network.bootID = "another"
        #expect(!allowed.holds(on: network) && !denied.holds(on: network))
        network = Self.network
        network.namespace = 1
        #expect(!allowed.holds(on: network) && !denied.holds(on: network))
        #expect(!(try Self.record(.allowed, working: [])).holds(on: Self.network))
    }

    @Test("a network is its subnets: a new address in one changes nothing, a new subnet does")
    func identity() {
        func lines(_ addresses: String..., isTentative: Bool = false) -> [String] {
            let interface = FactSamples.interface(addresses: addresses, isTentative: isTentative)
            return NetworkIdentity(
                bootID: "", namespace: 0,
                interfaces: [FactSamples.loopback.interface, interface.interface]
            ).interfaces
        }
        #expect(lines("192.0.2.7", "fe80::7") == ["lan0 192.0.2.0/24 fe80::/64"])
        #expect(lines("192.0.2.9", "fe80::9", "fe80::8") == ["lan0 192.0.2.0/24 fe80::/64"])
        #expect(lines("198.51.100.7", "fe80::7") == ["lan0 198.51.100.0/24 fe80::/64"])
        #expect(lines("192.0.2.7", isTentative: true) == ["lan0"])
    }

    @Test("a store that can't be written or read is a finding")
    func findings() throws {
        let record = try Self.record(.denied)
        // Nobody may write there, not even root.
        let refused = AccessStore(directory: "/proc/vicinity-test")
        #expect(refused.save(record)?.name == "record-not-stored")
        #expect(refused.load().record == nil)
        let folder = "/tmp/vicinity-access-\(UInt64.random(in: 0 ... .max))"
        let store = AccessStore(directory: folder)
        #expect(store.load() == (nil, nil))
        #expect(store.save(record) == nil)
        defer {
            try? SystemFile.remove("\(folder)/local-network-access")
            try? SystemFile.remove(folder)
        }
        #expect(store.load() == (record, nil))
        try PrivateDirectory(folder).replace("local-network-access", with: [0xFF, 0x00].span)
        #expect(store.load() == (nil, .recordDamaged("it is no text")))
        #expect(store.save(record) == nil)
        #expect(store.load() == (record, nil))
        let none = AccessStore(directory: nil)
        #expect(none.save(record) == nil)
        #expect(none.load() == (nil, nil))
    }
}
