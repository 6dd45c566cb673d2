import CryptoPrimitives
import NetworkPrimitives
import Noise
import PeerProtocol
import Testing

@Suite("The handshake of a connection")
struct PeerHandshakeTests {
    @Test(arguments: [nil, 9] as [UInt8?], [1, Int.max])
    func bothSidesKnowEachOther(_ secret: UInt8?, _ pieceSize: Int) throws {
        let setup = HandshakeSetup(initiatorSecret: secret, responderSecret: secret)
        var initiator = try setup.initiator()
        var responder = try setup.responder()
        let run = HandshakeRun(&initiator, &responder, pieceSize: pieceSize)
        #expect(run.initiatorError == nil && run.responderError == nil)
        let bert = try #require(run.seenByInitiator)
        #expect(bert.identity.key == DeviceKey(privateKey(3).publicKey))
        #expect(bert.identity.id == PeerID(rawValue: 2))
        #expect(bert.run == RunNumber(rawValue: 0x102))
        #expect(bert.name.text == "Bert")
        #expect(run.seenByResponder?.identity.key == DeviceKey(privateKey(1).publicKey))
        #expect(run.seenByResponder?.name.text == "Anna")
        let first = try initiator.finish()
        let second = try responder.finish()
        #expect(first.channelBinding == second.channelBinding)
        #expect(first.session == SessionID(rawValue: 0x202))
        #expect(first.negotiation == second.negotiation)
        #expect(first.negotiation.usesSecret == (secret != nil))
        #expect(first.provesSecret == false)
        #expect(second.provesSecret == (secret != nil))
    }

    /// The initiator has shown nothing of itself when it learns who answered.
    @Test func theInitiatorDecidesBeforeItShowsItself() throws {
        let setup = HandshakeSetup()
        var initiator = try setup.initiator()
        var responder = try setup.responder()
        _ = try responder.receiveAll(initiator.takeOutput())
        _ = try initiator.receiveAll(responder.takeOutput())
        #expect(try responder.receiveAll(initiator.takeOutput()) == .answer)
        #expect(responder.takeOutput() == [])
        try responder.answer()
        let step = try initiator.receiveAll(responder.takeOutput())
        guard case .identified(let peer) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(peer.name.text == "Bert")
        #expect(initiator.takeOutput() == [])
        try initiator.proceed()
        guard case .complete = try responder.receiveAll(initiator.takeOutput()) else {
            Issue.record("not complete")
            return
        }
    }

    @Test func everyChangedByteBreaksIt() throws {
        let setup = HandshakeSetup(initiatorSecret: 9, responderSecret: 9)
        var first = try setup.initiator()
        var second = try setup.responder()
        let flights = HandshakeRun(&first, &second).flights
        #expect(flights.count == 5)
        for (number, flight) in flights.enumerated() {
            // All of what is in clear; of the messages each part, which has a tag or is a key.
            let step = number < 2 ? 1 : 23
            for index in stride(from: 0, to: flight.bytes.count, by: step) {
                var initiator = try setup.initiator()
                var responder = try setup.responder()
                let run = HandshakeRun(&initiator, &responder) { place, bytes in
                    guard place == number else { return bytes }
                    var changed = bytes
                    changed[index] ^= 1
                    return changed
                }
                // A length that became larger leaves its reader waiting, until its time is over.
                #expect(!run.isComplete, "flight \(number), byte \(index)")
                #expect(run.seenByResponder == nil)
            }
        }
    }

    @Test func everyCutWaitsAndThenEnds() throws {
        let setup = HandshakeSetup()
        var first = try setup.initiator()
        var second = try setup.responder()
        let flights = HandshakeRun(&first, &second).flights
        for (number, flight) in flights.enumerated() {
            // That nothing happens before the last byte, `bothSidesKnowEachOther` shows for each.
            for count in [0, 1, 2, flight.bytes.count / 2, flight.bytes.count - 1] {
                var initiator = try setup.initiator()
                var responder = try setup.responder()
                let run = HandshakeRun(&initiator, &responder) { place, bytes in
                    place == number ? Array(bytes.prefix(count)) : bytes
                }
                #expect(run.initiatorError == nil && run.responderError == nil)
                #expect(!run.isComplete)
                let late = Instant.zero.advanced(by: PeerHandshake.time)
                #expect(responder.deadline == late)
                #expect(throws: PeerHandshakeError.timedOut) {
                    try responder.receive([], now: late)
                }
            }
        }
    }

    @Test func whatDoesNotFitIsNamedOnBothSides() throws {
        let encryption = try failures(
            HandshakeSetup(initiatorEncryption: .none, responderEncryption: .optional))
        #expect(
            encryption.0 == .negotiation(.encryptionMismatch(theirs: .optional, ours: .none)))
        #expect(
            encryption.1 == .negotiation(.encryptionMismatch(theirs: .none, ours: .optional)))
        let secret = try failures(HandshakeSetup(initiatorSecret: 9))
        #expect(secret.0 == .negotiation(.secretMismatch(theyWantOne: false)))
        #expect(secret.1 == .negotiation(.secretMismatch(theyWantOne: true)))
    }

    @Test func differentServicesAndSecretsFail() throws {
        let service = try failures(HandshakeSetup(responderService: "_game._tcp"))
        #expect(service.0 == .noise(.handshakeNotAuthentic(.staticKey)))
        let secret = try failures(HandshakeSetup(initiatorSecret: 9, responderSecret: 10))
        #expect(secret.0 == nil)
        #expect(secret.1 == .noise(.handshakeNotAuthentic(.payload)))
        let long = try failures(
            HandshakeSetup(initiatorService: String(repeating: "x", count: 256)))
        #expect(long.0 == .serviceTypeTooLong)
    }

    private func failures(
        _ setup: HandshakeSetup
    ) throws -> (PeerHandshakeError?, PeerHandshakeError?) {
        var initiator = try setup.initiator()
        var responder = try setup.responder()
        let run = HandshakeRun(&initiator, &responder)
        #expect(run.seenByResponder == nil)
        return (run.initiatorError, run.responderError)
    }

    @Test func sizesAreChecked() throws {
        for size in [0, 31, 33, 48, 65_535] {
            var responder = try HandshakeSetup().responder()
            var initiator = try HandshakeSetup().initiator()
            _ = try responder.receiveAll(initiator.takeOutput())
            #expect(throws: PeerHandshakeError.invalidMessageSize(size)) {
                try responder.receive([UInt8(size >> 8), UInt8(size & 255)], now: .zero)
            }
            #expect(responder.wantedCount == 0)
        }
        var responder = try HandshakeSetup().responder()
        #expect(throws: PeerHandshakeError.outOfTurn) {
            try responder.receive([UInt8](repeating: 86, count: 11), now: .zero)
        }
    }

    @Test func stepsOutOfTurnEndIt() throws {
        var responder = try HandshakeSetup().responder()
        #expect(throws: PeerHandshakeError.outOfTurn) { try responder.answer() }
        #expect(throws: PeerHandshakeError.outOfTurn) { try responder.proceed() }
        #expect(responder.wantedCount == 0)
        #expect(throws: PeerHandshakeError.outOfTurn) {
            _ = try HandshakeSetup().initiator().finish()
        }
    }

    /// What was recorded of one handshake is of no use in another one.
    @Test func aReplayFails() throws {
        let setup = HandshakeSetup()
        var first = try setup.initiator()
        var second = try setup.responder()
        let flights = HandshakeRun(&first, &second).flights
        var responder = PeerHandshake(
            role: .responder, serviceType: "_chat._tcp", encryption: .required,
            payload: try setup.payload(2, "Bert"), staticKey: privateKey(3),
            ephemeralKey: privateKey(77), now: .zero)
        _ = try responder.receiveAll(flights[0].bytes)
        _ = try responder.receiveAll(flights[2].bytes)
        try responder.answer()
        #expect(throws: PeerHandshakeError.noise(.handshakeNotAuthentic(.staticKey))) {
            try responder.receiveAll(flights[4].bytes)
        }
    }
}

extension PeerHandshake {
    /// Takes bytes in pieces as large as it wants.
    mutating func receiveAll(_ bytes: [UInt8]) throws -> Step {
        var step = Step.more
        var rest = bytes[...]
        while !rest.isEmpty, wantedCount > 0 {
            let piece = Array(rest.prefix(wantedCount))
            rest = rest.dropFirst(piece.count)
            step = try receive(piece, now: .zero)
        }
        try #require(rest.isEmpty)
        return step
    }
}

@Suite("Records after a handshake")
struct RecordCipherTests {
    /// The ciphers of the initiator and the responder.
    private struct Pair: ~Copyable {
        var initiator: RecordCipher
        var responder: RecordCipher

        private init(_ initiator: consuming RecordCipher, _ responder: consuming RecordCipher) {
            self.initiator = initiator
            self.responder = responder
        }

        static func make(isEncrypted: Bool) throws -> Pair {
            let encryption: EncryptionPreference = isEncrypted ? .required : .none
            let setup = HandshakeSetup(
                initiatorEncryption: encryption, responderEncryption: encryption)
            var first = try setup.initiator()
            var second = try setup.responder()
            _ = HandshakeRun(&first, &second)
            let initiator = try first.finish()
            let responder = try second.finish()
            return Pair(initiator.records(now: .zero), responder.records(now: .zero))
        }
    }

    private func text(_ frames: [Frame]) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames { frame.append(to: &bytes) }
        return bytes
    }

    @Test(arguments: [true, false])
    func framesArrive(_ isEncrypted: Bool) throws {
        var pair = try Pair.make(isEncrypted: isEncrypted)
        for number in 0..<5 {
            let frames = [Frame(.ping, payload: [UInt8(number)]), Frame(.data, stream: 3)]
            let record = try pair.initiator.seal(text(frames), now: .zero)
            #expect(record.count == 2 + text(frames).count + RecordReader.tagSize)
            #expect(record.dropFirst(2).starts(with: text(frames)) == !isEncrypted)
            #expect(pair.responder.hasOpened == (number > 0))
            #expect(try pair.responder.open(Array(record.dropFirst(2))) == frames)
            let answer = try pair.responder.seal(text([Frame(.pong)]), now: .zero)
            #expect(try pair.initiator.open(Array(answer.dropFirst(2))) == [Frame(.pong)])
        }
    }

    @Test(arguments: [true, false])
    func whatIsChangedRepeatedOrLeftOutIsRefused(_ isEncrypted: Bool) throws {
        let frame = text([Frame(.ping, payload: [1, 2, 3])])
        let count = frame.count + RecordReader.tagSize
        for index in stride(from: 0, to: count, by: 4) {
            var pair = try Pair.make(isEncrypted: isEncrypted)
            var record = Array(try pair.initiator.seal(frame, now: .zero).dropFirst(2))
            record[index] ^= 0x40
            let error = #expect(throws: RecordOpeningError.self) {
                try pair.responder.open(record)
            }
            #expect(error == .cipher(.messageNotAuthentic))
            #expect(pair.responder.hasOpened == false)
        }
        var pair = try Pair.make(isEncrypted: isEncrypted)
        let first = Array(try pair.initiator.seal(frame, now: .zero).dropFirst(2))
        let second = Array(try pair.initiator.seal(frame, now: .zero).dropFirst(2))
        _ = try pair.responder.open(first)
        #expect(throws: RecordOpeningError.cipher(.messageNotAuthentic)) {
            try pair.responder.open(first)
        }
        var other = try Pair.make(isEncrypted: isEncrypted)
        #expect(throws: RecordOpeningError.cipher(.messageNotAuthentic)) {
            try other.responder.open(second)
        }
        for cut in [0, 1, RecordReader.tagSize - 1] {
            var pair = try Pair.make(isEncrypted: isEncrypted)
            #expect(throws: RecordOpeningError.cipher(.messageTooShort(bytes: cut))) {
                try pair.responder.open(Array(first.prefix(cut)))
            }
        }
    }

    /// A key is replaced after an hour, in each direction for itself.
    @Test(arguments: [true, false])
    func keysAreReplacedAfterAnHour(_ isEncrypted: Bool) throws {
        var pair = try Pair.make(isEncrypted: isEncrypted)
        let frame = Frame(.ping, payload: [7])
        var sizes: [Int] = []
        for minute in stride(from: 0, through: 150, by: 10) {
            let now = Instant.zero.advanced(by: .seconds(60 * minute))
            let record = try pair.initiator.seal(text([frame]), now: now)
            sizes.append(record.count)
            #expect(try pair.responder.open(Array(record.dropFirst(2))) == [frame])
            let answer = try pair.responder.seal(text([frame]), now: .zero)
            #expect(try pair.initiator.open(Array(answer.dropFirst(2))) == [frame])
        }
        let usual = try #require(sizes.first)
        #expect(sizes.indices.filter { sizes[$0] == usual + 4 } == [6, 12])
    }

    @Test func nothingFollowsARekeyInItsRecord() throws {
        let rekey = Frame(.rekey, flags: .critical)
        for frames in [[rekey, Frame(.ping)], [Frame(.rekey, payload: [1])], [rekey, rekey]] {
            var pair = try Pair.make(isEncrypted: true)
            let record = try pair.initiator.seal(text(frames), now: .zero)
            #expect(throws: RecordOpeningError.frame(.invalidField(.rekey))) {
                try pair.responder.open(Array(record.dropFirst(2)))
            }
        }
    }

    @Test func sizesHaveALimit() throws {
        var pair = try Pair.make(isEncrypted: true)
        let header = 1 + 1 + 1 + 4
        let most = Frame(
            .data, payload: [UInt8](repeating: 1, count: RecordCipher.maximumTextSize - header))
        let record = try pair.initiator.seal(text([most]), now: .zero.advanced(by: .seconds(4_000)))
        #expect(record.count == 2 + RecordReader.maximumSize)
        #expect(try pair.responder.open(Array(record.dropFirst(2))) == [most])
        let large = text([most]) + [0]
        #expect(throws: NoiseError.messageTooLong(bytes: large.count)) {
            try pair.initiator.seal(large, now: .zero)
        }
    }
}
