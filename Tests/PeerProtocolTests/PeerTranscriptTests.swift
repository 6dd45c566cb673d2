import CryptoPrimitives
import LinuxNetworking
import NetworkPrimitives
import Noise
import TestSupport
import Testing

@testable import PeerProtocol

/// `.docs/peer-protocol.md` in bytes. `VICINITY_GOLDEN=write` writes them anew.
@Suite("Transcripts of the protocol")
struct PeerTranscriptTests {
    @Test(
        arguments: [
            ("Peer/handshake-xx.txt", nil, EncryptionPreference.required),
            ("Peer/handshake-xxpsk3.txt", 9, .optional), ("Peer/handshake-clear.txt", nil, .none),
        ] as [(String, UInt8?, EncryptionPreference)])
    func handshakeAndFirstRecords(
        _ file: String, _ secret: UInt8?, _ encryption: EncryptionPreference
    ) throws {
        let lines = try transcript(secret, encryption)
        let text = lines.map { "\($0.0) \($0.1)\n" }.joined()
        let path = ProjectFiles.fixture(file)
        if ProjectFiles.writesGolden { try SystemFile.write(text, to: path) }
        let stored = String(decoding: try SystemFile.read(path, limit: 1 << 16), as: UTF8.self)
        #expect(text == stored)
    }

    private func transcript(
        _ secret: UInt8?, _ encryption: EncryptionPreference
    ) throws -> [(String, String)] {
        let setup = HandshakeSetup(
            initiatorEncryption: encryption, responderEncryption: encryption,
            initiatorSecret: secret, responderSecret: secret)
        var initiator = try setup.initiator()
        var responder = try setup.responder()
        let run = HandshakeRun(&initiator, &responder)
        #expect(run.isComplete)
        var lines: [(String, String)] = [
            ("service", "_chat._tcp"), ("initiator-static", bytes(of: privateKey(1))),
            ("initiator-ephemeral", bytes(of: privateKey(2))),
            ("responder-static", bytes(of: privateKey(3))),
            ("responder-ephemeral", bytes(of: privateKey(4))),
        ]
        if let secret { lines.append(("secret", bytes(of: privateKey(secret)))) }
        let names = [
            "initiator-preface", "responder-preface", "message-1", "message-2", "message-3",
        ]
        lines += zip(names, run.flights).map { ($0, Hexadecimal.text($1.bytes)) }
        let payloads = [try setup.payload(1, "Anna"), try setup.payload(2, "Bert")]
        lines.append(("initiator-payload", Hexadecimal.text(payloads[0].bytes)))
        lines.append(("responder-payload", Hexadecimal.text(payloads[1].bytes)))

        let first = try initiator.finish()
        lines.append(("handshake-hash", Hexadecimal.text(first.channelBinding)))
        var fromInitiator = first.records(now: .zero)
        let second = try responder.finish()
        var fromResponder = second.records(now: .zero)
        let texts = try recordTexts()
        // The second record is sealed after an hour, so it ends with a rekey.
        for (number, frames) in texts.enumerated() {
            let now = Instant.zero.advanced(by: .seconds(number == 1 ? 3_600 : 0))
            var text: [UInt8] = []
            for frame in frames { frame.append(to: &text) }
            lines.append(("text", Hexadecimal.text(text)))
            let record = try fromInitiator.seal(text, now: now)
            lines.append(("initiator-record", Hexadecimal.text(record)))
            #expect(try fromResponder.open(Array(record.dropFirst(2))) == frames)
            let answer = try fromResponder.seal(text, now: now)
            lines.append(("responder-record", Hexadecimal.text(answer)))
            #expect(try fromInitiator.open(Array(answer.dropFirst(2))) == frames)
        }
        return lines
    }

    /// A whole link: trust, an invitation, a channel of messages, a datagram and the end.
    @Test func wholeLink() throws {
        var pair = try LinkPair()
        var lines: [(String, String)] = []
        run(&pair, &lines)
        try pair.first.trust(.trusted, now: .zero)
        try pair.second.trust(.accepted, now: .zero)
        try pair.first.invite(try Invitation(context: Array("hi".utf8)), number: 1, now: .zero)
        run(&pair, &lines)
        try pair.second.accept(number: 1, now: .zero)
        run(&pair, &lines)
        let opening = try StreamOpening(.message, delivery: .unordered, name: "game")
        let id = try pair.first.openStream(opening, now: .zero)
        try pair.first.send(
            try PeerMessage(type: "Move", key: 2, Array("e4".utf8)), on: id, now: .zero)
        try pair.second.sendDatagram(type: "At", [1, 2], now: .zero)
        run(&pair, &lines)
        try pair.first.finish(id, now: .zero)
        pair.first.close(.left, text: "bye", now: .zero)
        run(&pair, &lines)
        #expect(pair.isOver == [true, true])
        let path = ProjectFiles.fixture("Peer/link.txt")
        let text = lines.map { "\($0.0) \($0.1)\n" }.joined()
        if ProjectFiles.writesGolden { try SystemFile.write(text, to: path) }
        let stored = String(decoding: try SystemFile.read(path, limit: 1 << 16), as: UTF8.self)
        #expect(text == stored)
    }

    /// Passes bytes on until none is left, and notes them.
    private func run(_ pair: inout LinkPair, _ lines: inout [(String, String)]) {
        var isDone = false
        while !isDone {
            isDone = true
            for side in 0...1 {
                let name = side == 0 ? "initiator" : "responder"
                while let (text, bytes) = pair.nextRecord(side) {
                    isDone = false
                    if let text { lines.append(("text", Hexadecimal.text(text))) }
                    lines.append((text == nil ? name : "\(name)-record", Hexadecimal.text(bytes)))
                    pair.hand(bytes, from: side)
                }
            }
        }
    }

    private func recordTexts() throws -> [[Frame]] {
        let invite = InvitationMessage.invite(
            number: 1, try Invitation(context: Array("hello".utf8), time: .seconds(30)))
        return [
            [TrustStanding.trusted.frame] + InvitationFrames.frames(of: invite, size: 1_000),
            [Frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 1])],
            [GoAway(.left, text: "bye").frame],
        ]
    }

    private func bytes(of key: borrowing X25519PrivateKey) -> String {
        key.withScalar { scalar in Hexadecimal.text(scalar.indices.map { scalar[$0] }) }
    }
}
