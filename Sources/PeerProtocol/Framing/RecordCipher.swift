import CryptoPrimitives
package import NetworkPrimitives
package import Noise

/// Seals frames into records and opens the other side's, after a handshake.
///
/// Where both sides asked for clear text, a record is its text with a tag over it: nobody can
/// change, repeat or leave out anything then either. A key is replaced (Noise §11.3) after 2^20
/// records or an hour, by a frame `rekey` at the end of the last record under it.
package struct RecordCipher: ~Copyable {
    /// Records under one key.
    package static let recordsPerKey = 1 << 20
    /// How long a key is used.
    package static let keyTime: Duration = .seconds(3_600)
    /// The most bytes of text in a record: what fits, less the frame `rekey`.
    package static let maximumTextSize = NoiseLimits.plaintextSize - rekeyFrame.size

    private static let rekeyFrame = Frame(.rekey, flags: .critical)

    private var transport: TransportState
    private let isEncrypted: Bool
    private var sealedCount = 0
    private var keyEnd: Instant

    /// Whether a record of the other side could be opened: it holds the keys, and the shared
    /// secret if one was used.
    package private(set) var hasOpened = false

    /// With the ciphers of a handshake.
    init(_ transport: consuming TransportState, isEncrypted: Bool, now: Instant) {
        self.transport = transport
        self.isEncrypted = isEncrypted
        keyEnd = now.advanced(by: Self.keyTime)
    }

    /// The record with that text, its length before it.
    ///
    /// - Parameter text: Whole frames, `maximumTextSize` bytes at most.
    package mutating func seal(_ text: [UInt8], now: Instant) throws(NoiseError) -> [UInt8] {
        guard text.count <= Self.maximumTextSize else { throw .messageTooLong(bytes: text.count) }
        var text = text
        sealedCount += 1
        let isLast = sealedCount >= Self.recordsPerKey || now >= keyEnd
        if isLast { Self.rekeyFrame.append(to: &text) }
        let sealed: [UInt8]
        if isEncrypted {
            sealed = try transport.sending.encrypt(text.span)
        } else {
            sealed = text + (try transport.sending.encrypt(Span(), authenticating: text.span))
        }
        if isLast {
            try transport.sending.rekey()
            sealedCount = 0
            keyEnd = now.advanced(by: Self.keyTime)
        }
        return sealed.withLength
    }

    /// The frames of a record, which comes without its length. After an error the connection is
    /// closed.
    package mutating func open(_ record: [UInt8]) throws(RecordOpeningError) -> [Frame] {
        let text: [UInt8]
        do throws(NoiseError) {
            text = try decrypt(record)
        } catch { throw .cipher(error) }
        hasOpened = true
        do throws(FrameError) {
            return try frames(of: text)
        } catch { throw .frame(error) }
    }

    private mutating func decrypt(_ record: [UInt8]) throws(NoiseError) -> [UInt8] {
        if isEncrypted { return try transport.receiving.decrypt(record.span) }
        let size = record.count - AuthenticationTag.size
        guard size >= 0 else { throw .messageTooShort(bytes: record.count) }
        let text = Array(record.prefix(size))
        _ = try transport.receiving.decrypt(
            record.span.extracting(droppingFirst: size), authenticating: text.span)
        return text
    }

    private mutating func frames(of text: [UInt8]) throws(FrameError) -> [Frame] {
        var reader = FrameReader(text)
        var frames: [Frame] = []
        while let frame = try reader.next() {
            guard frame.type == .rekey else {
                frames.append(frame)
                continue
            }
            // The next record is under the following key, so nothing may come behind it.
            guard try reader.next() == nil, frame.payload.isEmpty else {
                throw .invalidField(.rekey)
            }
            do throws(NoiseError) {
                try transport.receiving.rekey()
            } catch { throw .invalidField(.rekey) }
        }
        return frames
    }
}

/// Why a record can't be used.
package enum RecordOpeningError: Error, Hashable, Sendable {
    /// It is not the one that the other side sealed next.
    case cipher(NoiseError)
    /// Its text is not made of frames.
    case frame(FrameError)
}
