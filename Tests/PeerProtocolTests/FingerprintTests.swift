import NetworkPrimitives
import PeerProtocol
import Testing

@Suite("Fingerprints")
struct FingerprintTests {
    /// Computed with Python: `base64.b32encode(hashlib.sha256(label + key).digest())`.
    @Test func staysTheSameForEver() {
        #expect(deviceKey(0).fingerprint.description == Self.ofZeros)
        #expect(deviceKey(0xFF).fingerprint.description == Self.ofOnes)
    }

    private static let ofZeros = "NO5Q-NG5U-J4VL-6LUW-UT6O-RCJJ-XP2F-J5PB-UGWQ-SPZ4-MQQD-FCWH-QAMA"
    private static let ofOnes = "VNX6-4TQY-FZJY-GTEU-SLHG-VGWU-XK4Q-3CNJ-5CUX-X5QD-JP4O-2KUF-5DZA"

    @Test func textsRoundTrip() throws {
        for number in 0...255 {
            let fingerprint = deviceKey(UInt8(number)).fingerprint
            #expect(try Fingerprint(fingerprint.description) == fingerprint)
        }
    }

    @Test func personsMayWriteItAsTheyLike() throws {
        let fingerprint = deviceKey(1).fingerprint
        let text = fingerprint.description
        #expect(try Fingerprint(text.lowercased()) == fingerprint)
        #expect(try Fingerprint(text.filter { $0 != "-" }) == fingerprint)
        #expect(try Fingerprint(" \(text.replacing("-", with: " ")) ") == fingerprint)
    }

    @Test func brokenTextsAreRefused() {
        let text = deviceKey(1).fingerprint.description
        let digits = text.filter { $0 != "-" }
        for count in 0..<52 {
            #expect(throws: FingerprintError.wrongLength(digits: count)) {
                try Fingerprint(String(digits.prefix(count)))
            }
        }
        #expect(throws: FingerprintError.wrongLength(digits: 53)) { try Fingerprint(digits + "A") }
        #expect(throws: FingerprintError.invalidCharacter(offset: 0)) {
            try Fingerprint("1" + digits.dropFirst())
        }
        #expect(throws: FingerprintError.invalidCharacter(offset: 4)) {
            try Fingerprint(text.replacing("-", with: "_"))
        }
        #expect(throws: FingerprintError.invalidEnd) { try Fingerprint(digits.dropLast() + "B") }
    }
}
