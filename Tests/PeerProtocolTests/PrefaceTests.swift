import NetworkPrimitives
import PeerProtocol
import Testing

@Suite("The preface")
struct PrefaceTests {
    private let sample = Preface(role: .responder, encryption: .required, wantsSecret: true)

    @Test func bytesAreAsSpecified() {
        #expect(
            Hexadecimal.text(sample.bytes)
                == "564943494e495459" + "0007" + "01" + "0101" + "01" + "01" + "01" + "01")
        #expect(
            Preface(role: .initiator, encryption: .none, wantsSecret: false).bytes.suffix(7)
                == [0, 1, 1, 2, 0, 1, 1])
    }

    @Test func roundTripWithWhatFollows() throws {
        for encryption in EncryptionPreference.allCases {
            for wantsSecret in [false, true] {
                let preface = Preface(
                    role: .initiator, encryption: encryption, wantsSecret: wantsSecret)
                #expect(try Preface(startOf: preface.bytes) == preface)
                #expect(try Preface(startOf: preface.bytes + [1, 2, 3]) == preface)
            }
        }
    }

    @Test func cutAtEveryByteIsNotWholeYet() throws {
        for count in 0..<sample.bytes.count {
            #expect(try Preface(startOf: Array(sample.bytes.prefix(count))) == nil)
        }
    }

    @Test func otherProtocolsAreKnownByTheirFirstByte() {
        for text in ["G", "GET / HTTP/1.1", "VICINITX", "V1", "SSH-2.0"] {
            #expect(throws: PrefaceError.notOurProtocol) {
                try Preface(startOf: Array(text.utf8))
            }
        }
    }

    private func changed(_ index: Int, _ byte: UInt8) -> [UInt8] {
        var bytes = sample.bytes
        bytes[index] = byte
        return bytes
    }

    @Test func brokenFieldsAreNamed() {
        let cases: [(Int, UInt8, PrefaceError)] = [
            (9, 6, .invalidLength(6)), (8, 1, .invalidLength(263)), (10, 2, .invalidRole(2)),
            (11, 0, .invalidVersions), (11, 2, .invalidVersions),
            (13, 3, .invalidEncryption(3)), (15, 0, .invalidSuites), (15, 2, .invalidSuites),
            (15, 17, .invalidSuites),
        ]
        for (index, byte, error) in cases {
            #expect(throws: error, "\(index)") { try Preface(startOf: changed(index, byte)) }
        }
        #expect(throws: PrefaceError.invalidLength(65_535)) {
            try Preface(startOf: Array(sample.bytes.prefix(8)) + [255, 255])
        }
    }

    /// More bytes at its end and bits without a meaning are left to later versions.
    @Test func whatLaterVersionsAddIsNotLookedAt() throws {
        var bytes = changed(14, 0xFE)
        bytes[9] += 2
        bytes[12] = 9
        let preface = try #require(try Preface(startOf: bytes + [7, 7]))
        #expect(!preface.wantsSecret)
        #expect(preface.versions == VersionRange(1, 9))
        #expect(preface.bytes.count == sample.bytes.count + 2)
    }

    @Test func chanceNeverCrashes() {
        var generator = SeededGenerator(seed: 1)
        var wholeCount = 0
        for _ in 0..<20_000 {
            var bytes = sample.bytes + [0, 1, 2]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 8..<bytes.count, using: &generator)] =
                    .random(in: 0...20, using: &generator)
            }
            do throws(PrefaceError) {
                guard let preface = try Preface(startOf: bytes) else { continue }
                wholeCount += 1
                #expect(bytes.starts(with: preface.bytes))
            } catch {
                continue
            }
        }
        #expect(wholeCount > 100)
    }
}

@Suite("What two prefaces agree on")
struct NegotiationTests {
    private func pair(
        _ first: EncryptionPreference, _ second: EncryptionPreference,
        secrets: (Bool, Bool) = (false, false)
    ) -> (Preface, Preface) {
        (
            Preface(role: .initiator, encryption: first, wantsSecret: secrets.0),
            Preface(role: .responder, encryption: second, wantsSecret: secrets.1)
        )
    }

    @Test func theTableOfPreferences() throws {
        for first in EncryptionPreference.allCases {
            for second in EncryptionPreference.allCases {
                let (initiator, responder) = pair(first, second)
                if (first == .none) == (second == .none) {
                    let ours = try Negotiation(ours: initiator, theirs: responder)
                    #expect(ours.isEncrypted == (first != .none))
                    #expect(try Negotiation(ours: responder, theirs: initiator) == ours)
                } else {
                    #expect(
                        throws: NegotiationError.encryptionMismatch(theirs: second, ours: first)
                    ) { try Negotiation(ours: initiator, theirs: responder) }
                    #expect(
                        throws: NegotiationError.encryptionMismatch(theirs: first, ours: second)
                    ) { try Negotiation(ours: responder, theirs: initiator) }
                }
            }
        }
    }

    @Test func secretsAreWantedByBothOrNone() throws {
        let (first, second) = pair(.required, .required, secrets: (true, true))
        #expect(try Negotiation(ours: first, theirs: second).usesSecret)
        let (one, other) = pair(.required, .required, secrets: (true, false))
        #expect(throws: NegotiationError.secretMismatch(theyWantOne: false)) {
            try Negotiation(ours: one, theirs: other)
        }
        #expect(throws: NegotiationError.secretMismatch(theyWantOne: true)) {
            try Negotiation(ours: other, theirs: one)
        }
    }

    @Test func theHighestCommonVersion() throws {
        let cases: [((UInt8, UInt8), (UInt8, UInt8), UInt8?)] = [
            ((1, 1), (1, 1), 1), ((1, 3), (2, 5), 3), ((2, 9), (1, 2), 2), ((1, 1), (2, 2), nil),
            ((4, 9), (1, 3), nil),
        ]
        for (first, second, version) in cases {
            let ours = try #require(VersionRange(first.0, first.1))
            let theirs = try #require(VersionRange(second.0, second.1))
            #expect(ours.highestCommon(with: theirs) == version)
            #expect(theirs.highestCommon(with: ours) == version)
        }
        let old = Preface(role: .initiator, encryption: .required, wantsSecret: false)
        let range = try #require(VersionRange(2, 4))
        let new = Preface(
            role: .responder, encryption: .required, wantsSecret: false, versions: range)
        #expect(throws: NegotiationError.incompatible(theirs: range, ours: .supported)) {
            try Negotiation(ours: old, theirs: new)
        }
        #expect(throws: NegotiationError.incompatible(theirs: .supported, ours: range)) {
            try Negotiation(ours: new, theirs: old)
        }
    }

    @Test func theInitiatorsFirstSuiteThatBothKnow() throws {
        func preface(_ role: ConnectionRole, _ suites: [UInt8]) -> Preface {
            Preface(
                role: role, encryption: .required, wantsSecret: false,
                suites: suites.map { CipherSuite(rawValue: $0) })
        }
        let first = preface(.initiator, [9, 3, 1])
        let second = preface(.responder, [1, 3])
        #expect(try Negotiation(ours: first, theirs: second).suite.rawValue == 3)
        #expect(try Negotiation(ours: second, theirs: first).suite.rawValue == 3)
        #expect(throws: NegotiationError.noCommonSuite) {
            try Negotiation(ours: first, theirs: preface(.responder, [2]))
        }
    }

    @Test func onesOwnBytesComingBack() {
        let (initiator, _) = pair(.required, .required)
        #expect(throws: NegotiationError.sameRole) {
            try Negotiation(ours: initiator, theirs: initiator)
        }
    }

    @Test func thePrologueHoldsAllThatWasSaidInClear() throws {
        let (first, second) = pair(.required, .optional)
        let bytes = try #require(
            Prologue.bytes(serviceType: "_chat._tcp", initiator: first, responder: second))
        #expect(
            bytes == Array("vicinity peer session".utf8) + [0, 10] + Array("_chat._tcp".utf8)
                + [0, 17] + first.bytes + [0, 17] + second.bytes)
        #expect(
            Prologue.bytes(
                serviceType: String(repeating: "x", count: 256), initiator: first,
                responder: second) == nil)
    }
}

@Suite("What a side says of itself in the handshake")
struct HandshakePayloadTests {
    private func sample() throws -> HandshakePayload {
        HandshakePayload(
            id: PeerID(rawValue: 1), run: RunNumber(rawValue: 2),
            capabilities: Capabilities(rawValue: 3), session: SessionID(rawValue: 4),
            name: try PeerName("Änne"))
    }

    @Test func bytesAreAsSpecified() throws {
        #expect(
            Hexadecimal.text(try sample().bytes)
                == "0000000000000001" + "0000000000000002" + "0000000000000003"
                + "0000000000000004" + "05" + "c3846e6e65")
    }

    @Test func roundTripAndGrowth() throws {
        let payload = try sample()
        #expect(try HandshakePayload(decoding: payload.bytes) == payload)
        #expect(try HandshakePayload(decoding: payload.bytes + [9, 9]) == payload)
        let most = payload.bytes + [UInt8](repeating: 0, count: 1024 - payload.bytes.count)
        #expect(try HandshakePayload(decoding: most) == payload)
        #expect(throws: HandshakePayloadError.tooLong(1025)) {
            try HandshakePayload(decoding: most + [0])
        }
    }

    @Test func cutAtEveryByte() throws {
        let bytes = try sample().bytes
        for count in 0..<bytes.count {
            #expect(throws: HandshakePayloadError.cutShort) {
                try HandshakePayload(decoding: Array(bytes.prefix(count)))
            }
        }
    }

    @Test func namesKeepTheirRules() throws {
        var bytes = try sample().bytes
        bytes[33] = 0xFF
        #expect(throws: HandshakePayloadError.invalidName(.notUTF8)) {
            try HandshakePayload(decoding: bytes)
        }
        bytes[32] = 0
        #expect(throws: HandshakePayloadError.invalidName(.empty)) {
            try HandshakePayload(decoding: bytes)
        }
        bytes[32] = 64
        #expect(throws: HandshakePayloadError.invalidName(.tooLong(bytes: 64))) {
            try HandshakePayload(decoding: bytes + [UInt8](repeating: 65, count: 70))
        }
    }
}
