/// Abilities of a side that not every implementation of a version has, as bits.
package struct Capabilities: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Which session of the sender a connection is for: 64 bits, drawn for each.
package struct SessionID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a side says of itself in the second or third message of the handshake, encrypted to a
/// key that is proved by the same message.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | peer id |
/// | 8 | 8 | run number |
/// | 16 | 8 | capabilities |
/// | 24 | 8 | session id |
/// | 32 | 1 | length of the name, 1 to 63 |
/// | 33 | n | name, UTF-8 |
/// | | | what later versions add, not looked at, 1,024 bytes in all |
///
/// Numbers are big-endian.
package struct HandshakePayload: Hashable, Sendable {
    /// The most bytes.
    package static let maximumSize = 1024

    /// Which peer of its device.
    package var id: PeerID
    /// Which run of it.
    package var run: RunNumber
    /// What it is able to do.
    package var capabilities: Capabilities
    /// Which of its sessions the connection is for.
    package var session: SessionID
    /// What it is called.
    package var name: PeerName

    /// A payload of this side.
    package init(
        id: PeerID, run: RunNumber, capabilities: Capabilities, session: SessionID, name: PeerName
    ) {
        self.id = id
        self.run = run
        self.capabilities = capabilities
        self.session = session
        self.name = name
    }

    /// The payload as it is sent.
    package var bytes: [UInt8] {
        let numbers = [id.rawValue, run.rawValue, capabilities.rawValue, session.rawValue]
        let name = Array(name.text.utf8)
        return numbers.flatMap { $0.bigEndianBytes } + [UInt8(name.count)] + name
    }

    /// The payload that the other side sent.
    package init(decoding bytes: [UInt8]) throws(HandshakePayloadError) {
        guard bytes.count <= Self.maximumSize else { throw .tooLong(bytes.count) }
        let span = bytes.span
        func number(_ offset: Int) throws(HandshakePayloadError) -> UInt64 {
            guard bytes.count >= offset + 8,
                let number = UInt64(bigEndian: span.extracting(offset..<(offset + 8)))
            else { throw .cutShort }
            return number
        }
        id = PeerID(rawValue: try number(0))
        run = RunNumber(rawValue: try number(8))
        capabilities = Capabilities(rawValue: try number(16))
        session = SessionID(rawValue: try number(24))
        guard bytes.count > 32, bytes.count >= 33 + Int(bytes[32]) else { throw .cutShort }
        do throws(PeerNameError) {
            name = try PeerName(utf8: Array(bytes[33..<(33 + Int(bytes[32]))]))
        } catch {
            throw .invalidName(error)
        }
    }
}

/// Why the other side's payload can't be read.
package enum HandshakePayloadError: Error, Hashable, Sendable {
    /// It ends before its name does.
    case cutShort
    /// It has more than 1,024 bytes.
    case tooLong(Int)
    /// Its name breaks a rule.
    case invalidName(PeerNameError)
}
