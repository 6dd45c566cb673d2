import NetworkPrimitives
import PeerProtocol
import Testing

/// A peer of the key and number that follow from a number.
func peer(
    _ number: UInt8, id: UInt64 = 1, run: UInt64 = 1, name: String = "Anna"
) throws -> PeerDescription {
    PeerDescription(
        identity: PeerIdentity(key: deviceKey(number), id: PeerID(rawValue: id)),
        run: RunNumber(rawValue: run), name: try PeerName(name))
}

@Suite("The store of trusted keys")
struct TrustStoreTests {
    /// Keys of each level and basis, with names that need care.
    static func sample(bases: [TrustBasis] = TrustBasis.allCases) throws -> TrustStore {
        var store = TrustStore()
        var number: UInt8 = 0
        for level in TrustLevel.allCases {
            for basis in bases {
                number += 13
                store.set(level, for: deviceKey(number), basis: basis, at: 1_700_000_000)
                for (id, name) in ["Anna", "a b\nc\u{7F}\\", "👨‍👩‍👧‍👦"].enumerated() {
                    let peer = try peer(number, id: UInt64(id), name: name)
                    store.note(peer, at: 1_700_000_000 + Int64(number) + Int64(id))
                }
            }
        }
        return store
    }

    @Test func isKeptInTheOrderOfKeys() throws {
        var store = TrustStore()
        for number: UInt8 in [7, 3, 200, 5] {
            #expect(store.set(.trusted, for: deviceKey(number), basis: .person, at: 5) == true)
        }
        #expect(store.entries.map(\.key) == [3, 5, 7, 200].map { deviceKey($0) })
        #expect(store[deviceKey(5)]?.level == .trusted)
        #expect(store[deviceKey(6)] == nil)
        #expect(store.forget(deviceKey(5))?.key == deviceKey(5))
        #expect(store.forget(deviceKey(5)) == nil)
        #expect(store[deviceKey(5)] == nil)
        store.set(.blocked, for: deviceKey(7), basis: .person, at: 9)
        #expect(store.entries.count == 3)
        #expect(store[deviceKey(7)]?.level == .blocked)
        #expect(store[deviceKey(7)]?.firstSeen == 5)
    }

    @Test func namesAndPeersAreTheLatest() throws {
        var store = TrustStore()
        let stranger = try peer(1)
        #expect(store.note(stranger, at: 3) == false)
        store.set(.trusted, for: deviceKey(1), basis: .person, at: 3)
        for number in 0..<40 {
            let peer = try peer(1, id: UInt64(number), name: "n\(number)")
            #expect(store.note(peer, at: 100) == true)
        }
        // The clock was set back.
        let renamed = try peer(1, id: 30, name: "n35")
        #expect(store.note(renamed, at: 50) == true)
        let entry = try #require(store[deviceKey(1)])
        #expect(entry.names.map(\.text) == [32, 33, 34, 36, 37, 38, 39, 35].map { "n\($0)" })
        #expect(entry.ids.count == 16)
        #expect(entry.ids.last == PeerID(rawValue: 30))
        #expect((entry.firstSeen, entry.lastSeen) == (3, 100))
    }

    @Test func aNameMeansTheKeyTrustedUnderIt() throws {
        var store = TrustStore()
        let anna = try PeerName("Anna")
        #expect(store.resolve(anna) == .unknown(anna))
        #expect(store.resolve(anna).expectedPeer == .stranger(anna))
        store.set(.trusted, for: deviceKey(1), basis: .person, at: 1)
        store.note(try peer(1, name: "Anna"), at: 1)
        store.note(try peer(1, name: "Anna's other"), at: 1)
        #expect(store.resolve(anna) == .trusted(deviceKey(1)))
        #expect(store.resolve(anna).expectedPeer == .key(deviceKey(1)))
        store.set(.pinned, for: deviceKey(2), basis: .fingerprint, at: 1)
        store.note(try peer(2, name: "Anna"), at: 1)
        #expect(store.resolve(anna) == .ambiguous([deviceKey(1), deviceKey(2)]))
        #expect(store.resolve(anna).expectedPeer == nil)
        store.set(.blocked, for: deviceKey(1), basis: .person, at: 1)
        #expect(store.resolve(anna) == .trusted(deviceKey(2)))
    }

    @Test func itDoesNotGrowWithoutBound() {
        var store = TrustStore()
        func key(_ number: Int) -> DeviceKey? {
            let low = UInt8(truncatingIfNeeded: number)
            let high = UInt8(truncatingIfNeeded: number >> 8)
            return DeviceKey([high, low] + [UInt8](repeating: 0, count: 30))
        }
        for number in 0..<5_000 {
            guard let key = key(number) else { continue }
            let fits = store.set(.trusted, for: key, basis: .firstUse, at: 0)
            #expect(fits == (number < TrustStore.maximumEntries))
        }
        #expect(store.entries.count == TrustStore.maximumEntries)
        #expect(!store.hasRoom)
        #expect(!TrustStore(isEphemeral: true).hasRoom)
    }
}

@Suite("The stored text of trusted keys")
struct TrustStoreTextTests {
    @Test func readsAsItLooks() throws {
        var store = TrustStore()
        store.set(.trusted, for: deviceKey(0xAB), basis: .shortString, at: 1_700_000_000)
        store.note(try peer(0xAB, id: 0xF00, name: "Anna\n"), at: 1_700_000_060)
        let lines = String(decoding: store.encoded(), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.dropLast() == [
                "vicinity trust 1", "key \(String(repeating: "ab", count: 32))"[...],
                "level trusted", "by short-string", "seen 1700000000 1700000060",
                "id 0000000000000f00", "name Anna\\0a",
            ])
    }

    @Test func roundTrip() throws {
        for store in [TrustStore(), try TrustStoreTests.sample()] {
            let decoded = try TrustStore(decoding: store.encoded())
            #expect(decoded == store)
            #expect(decoded.encoded() == store.encoded())
        }
    }

    @Test func cutAtEveryByteIsDamage() throws {
        let bytes = try TrustStoreTests.sample(bases: [.shortString]).encoded()
        for count in 0..<bytes.count {
            let damage = #expect(throws: TrustStoreDamage.self) {
                try TrustStore(decoding: Array(bytes.prefix(count)))
            }
            #expect(damage?.reason == .cutShort, "\(count)")
            #expect((damage?.offset ?? .max) <= count)
        }
    }

    @Test func everyChangedByteIsDamage() throws {
        let bytes = try TrustStoreTests.sample(bases: [.shortString]).encoded()
        for index in bytes.indices {
            for change: UInt8 in [1, 0x80] {
                var damaged = bytes
                damaged[index] ^= change
                let damage = #expect(throws: TrustStoreDamage.self, "\(index)") {
                    try TrustStore(decoding: damaged)
                }
                // The line that is named begins where it says.
                let offset = damage?.offset ?? 0
                #expect(damaged[..<offset].count { $0 == 10 } + 1 == damage?.line)
            }
        }
    }

    private func damage(_ edit: (String) -> String) throws -> TrustStoreDamage? {
        var store = TrustStore()
        store.set(.trusted, for: deviceKey(1), basis: .person, at: 7)
        store.note(try peer(1), at: 8)
        let text = edit(String(decoding: store.encoded(), as: UTF8.self))
        return #expect(throws: TrustStoreDamage.self) {
            try TrustStore(decoding: Array(text.utf8))
        }
    }

    @Test func damageIsNamedWithItsLine() throws {
        let key = "key \(String(repeating: "01", count: 32))\n"
        let cases: [(String, String, Int, TrustStoreDamage.Reason)] = [
            ("vicinity trust 1", "vicinity trust 2", 1, .newerVersion),
            ("vicinity trust 1", "# comment", 1, .notATrustStore),
            ("level trusted", "level Trusted", 3, .invalidValue),
            ("level trusted\n", "", 3, .unexpectedLine),
            ("by person", "by nobody", 4, .invalidValue),
            ("seen 7 8", "seen 8 7", 5, .invalidValue),
            ("seen 7 8", "seen 7", 5, .invalidValue),
            ("seen 7 8", "seen 07 8", 5, .invalidValue),
            ("id 00", "id 0", 6, .invalidValue),
            ("name Anna", "name ", 7, .invalidValue),
            ("name Anna", "name An\\6ea", 7, .invalidValue),
            ("name Anna", "name Anna\\0", 7, .invalidValue),
            ("name Anna", "name Anna\\0A", 7, .invalidValue),
            ("name Anna\n", "name Anna\nname Anna\n", 8, .invalidValue),
            ("name Anna", "name Bert", 8, .wrongChecksum),
            (key, "key 01\n", 2, .invalidValue),
            ("sha256", "md5", 8, .unexpectedLine),
        ]
        for (old, new, line, reason) in cases {
            let damage = try damage { $0.replacing(old, with: new, maxReplacements: 1) }
            #expect(damage?.line == line, "\(new)")
            #expect(damage?.reason == reason, "\(new)")
        }
        #expect(try damage { $0 + "x" }?.reason == .trailingBytes)
        #expect(try damage { $0.replacing("\n", with: "\r\n") }?.reason != .cutShort)
    }

    @Test func doubledAndTooManyLinesAreDamage() throws {
        let twice = try damage { text in
            let lines = text.split(separator: "\n")
            return (lines[0...6] + lines[1...]).joined(separator: "\n") + "\n"
        }
        #expect(twice?.reason == .keysOutOfOrder)
        let ids = (0...16).map { "id 00000000000000\($0 + 10)" }.joined(separator: "\n")
        let many = try damage { $0.replacing("id 0000000000000001", with: ids) }
        #expect(many?.reason == .tooMany)
        #expect(many?.line == 6 + 16)
    }

    @Test func chanceBytesNeverCrash() {
        var generator = SeededGenerator(seed: 11)
        let words = ["vicinity trust 1\n", "key ", "level trusted\n", "\n", "name \\", "sha256 "]
        for _ in 0..<5_000 {
            var bytes: [UInt8] = Array(words[0].utf8)
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                if Bool.random(using: &generator) {
                    bytes += Array(words[Int.random(in: 0..<6, using: &generator)].utf8)
                } else {
                    bytes.append(.random(in: 0...255, using: &generator))
                }
            }
            #expect(throws: TrustStoreDamage.self) { try TrustStore(decoding: bytes) }
        }
    }
}
