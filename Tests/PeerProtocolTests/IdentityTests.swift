import CryptoPrimitives
import NetworkPrimitives
import PeerProtocol
import Testing

/// A key whose bytes all follow from a number.
func deviceKey(_ number: UInt8) -> DeviceKey {
    // 32 bytes, so never nil.
    DeviceKey([UInt8](repeating: number, count: 32)) ?? DeviceKey(zeroKey)
}

private let zeroKey = X25519PrivateKey(SecretKey()).publicKey

@Suite("Who a peer is")
struct IdentityTests {
    @Test func keyAndNumberMakeThePeer() {
        let first = PeerIdentity(key: deviceKey(1), id: PeerID(rawValue: 7))
        #expect(first == PeerIdentity(key: deviceKey(1), id: PeerID(rawValue: 7)))
        #expect(first != PeerIdentity(key: deviceKey(1), id: PeerID(rawValue: 8)))
        #expect(first != PeerIdentity(key: deviceKey(2), id: PeerID(rawValue: 7)))
    }

    @Test func tieBreaksCompareTheKeyFirst() {
        let order = [(1, 9), (1, 10), (2, 0), (2, 1)].map { key, id in
            PeerIdentity(key: deviceKey(UInt8(key)), id: PeerID(rawValue: UInt64(id)))
        }
        #expect(order.reversed().sorted() == order)
    }

    @Test func textsOfNumbersRoundTrip() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let id = PeerID(using: &generator)
            #expect(PeerID(id.description) == id)
        }
        #expect(PeerID(rawValue: 0xAB).description == "00000000000000ab")
        for text in ["", "ab", "00000000000000AB", "00000000000000a", "0000000000000 ab"] {
            #expect(PeerID(text) == nil, "\(text)")
        }
        #expect(DeviceKey(deviceKey(0xC5).description) == deviceKey(0xC5))
        #expect(DeviceKey("c5") == nil)
        #expect(DeviceKey([UInt8](repeating: 0, count: 31)) == nil)
    }
}

@Suite("The stored device key")
struct DeviceKeyFileTests {
    private func file(seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let key = X25519PrivateKey(
            SecretKey { bytes in
                for index in bytes.indices {
                    bytes[index] = .random(in: 0...255, using: &generator)
                }
            })
        return DeviceKeyFile.encode(key).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test func roundTrip() throws {
        let stored = file(seed: 1)
        #expect(stored.count == DeviceKeyFile.size)
        let key = try DeviceKeyFile.decode(stored.span)
        #expect(
            key.withScalar { scalar in scalar.indices.map { scalar[$0] } }
                == stored[8..<40].map { $0 })
    }

    @Test func everyDamageIsSeen() {
        let stored = file(seed: 2)
        for count in 0..<stored.count {
            #expect(throws: DeviceKeyDamage.wrongSize(bytes: count)) {
                _ = try DeviceKeyFile.decode(Array(stored.prefix(count)).span)
            }
        }
        for index in stored.indices {
            var damaged = stored
            damaged[index] ^= 0x10
            let expected: DeviceKeyDamage = index < 8 ? .notADeviceKey : .wrongChecksum
            #expect(throws: expected) { _ = try DeviceKeyFile.decode(damaged.span) }
        }
    }
}
