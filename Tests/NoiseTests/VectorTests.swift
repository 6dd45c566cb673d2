import CryptoPrimitives
import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

@testable import Noise

/// The handshakes and transport messages of other implementations, for every pattern they have
/// with this suite.
@Suite("Noise vectors")
struct NoiseVectorTests {
    private static let suite = "_25519_ChaChaPoly_SHA256"

    @Test(
        "Noise vectors of cacophony and snow",
        .shared("vectors/noise"),
        arguments: [
            ("cacophony-25519-chachapoly.json", 19), ("snow-multipsk-25519-chachapoly.json", 17),
        ])
    func vectors(_ file: String, _ expected: Int) throws {
        let path = try #require(ProjectFiles.shared) + "/vectors/noise/\(file)"
        let text = try #require(JSONValue(try SystemFile.read(path, limit: 1 << 24)))
        var count = 0
        for vector in try #require(text["vectors"]).elements {
            let name = try #require(vector["protocol_name"]?.text)
            guard name.hasSuffix(Self.suite) else { continue }
            try check(vector, String(name.dropFirst("Noise_".count).dropLast(Self.suite.count)))
            count += 1
        }
        #expect(count == expected)
    }

    private func check(_ vector: JSONValue, _ name: String) throws {
        let pattern = try #require(HandshakePattern.named(name), "\(name)")
        var initiator = try state(.initiator, pattern, vector, "init_")
        var responder = try state(.responder, pattern, vector, "resp_")
        let messages = try #require(vector["messages"]).elements
        for index in pattern.messages.indices {
            let payload = try bytes(messages[index], "payload")
            let ciphertext = try bytes(messages[index], "ciphertext")
            let written: [UInt8]
            let read: [UInt8]
            if index.isMultiple(of: 2) {
                written = try initiator.writeMessage(payload.span)
                read = try responder.readMessage(ciphertext.span)
            } else {
                written = try responder.writeMessage(payload.span)
                read = try initiator.readMessage(ciphertext.span)
            }
            #expect(written == ciphertext, "\(name), message \(index)")
            #expect(read == payload, "\(name), message \(index)")
        }
        let hash = initiator.handshakeHash
        #expect(hash != nil && hash == responder.handshakeHash, "\(name)")
        if vector["handshake_hash"] != nil {
            #expect(hash == (try bytes(vector, "handshake_hash")), "\(name)")
        }
        let ends = [try Duplex(initiator.split()), try Duplex(responder.split())]
        let isOneWay = pattern.messages.count == 1
        for index in messages.indices.dropFirst(pattern.messages.count) {
            let payload = try bytes(messages[index], "payload")
            let ciphertext = try bytes(messages[index], "ciphertext")
            let sender = isOneWay ? 0 : index % 2
            #expect(try ends[sender].send(payload) == ciphertext, "\(name), message \(index)")
            #expect(try ends[1 - sender].receive(ciphertext) == payload, "\(name), \(index)")
        }
    }

    private func state(
        _ role: HandshakeRole, _ pattern: HandshakePattern, _ vector: JSONValue, _ prefix: String
    ) throws -> HandshakeState {
        var secrets = PreSharedKeys()
        for psk in vector[prefix + "psks"]?.elements ?? [] {
            secrets.append(try secretKey(#require(psk.text.flatMap(Hexadecimal.bytes))))
        }
        // What only reads, as the responder of a one-way pattern, has no ephemeral key.
        let ephemeral =
            vector[prefix + "ephemeral"] == nil
            ? [UInt8](1...32) : try bytes(vector, prefix + "ephemeral")
        let peer = try vector[prefix + "remote_static"].map { _ in
            try bytes(vector, prefix + "remote_static")
        }
        let ephemeralKey = try privateKey(ephemeral)
        let prologue = try bytes(vector, prefix + "prologue")
        let peerKey = peer.flatMap { X25519PublicKey($0.span) }
        if vector[prefix + "static"] == nil {
            let keys = HandshakeKeys(
                staticKey: nil, ephemeralKey: ephemeralKey, preSharedKeys: secrets,
                peerStaticKey: peerKey)
            return try .begin(role, pattern, prologue.span, keys)
        }
        let keys = HandshakeKeys(
            staticKey: try privateKey(bytes(vector, prefix + "static")),
            ephemeralKey: ephemeralKey, preSharedKeys: secrets, peerStaticKey: peerKey)
        return try .begin(role, pattern, prologue.span, keys)
    }

    private func bytes(_ value: JSONValue, _ key: String) throws -> [UInt8] {
        try #require(value[key]?.text.flatMap(Hexadecimal.bytes), "\(key)")
    }
}
