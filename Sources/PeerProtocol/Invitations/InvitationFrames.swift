/// Carries messages of invitations in frames: a context may be larger than a record.
package struct InvitationFrames: Hashable, Sendable {
    /// The most bytes of a message: a byte, two integers and the context.
    package static let maximumSize = 1 + 2 * 8 + Invitation.maximumContext

    private var received: [UInt8] = []

    /// Before the first frame.
    package init() {}

    /// The frames of a message, with `size` bytes of payload each at most; the last has `end`.
    package static func frames(of message: InvitationMessage, size: Int) -> [Frame] {
        let bytes = message.bytes
        let size = max(size, 1)
        return stride(from: 0, to: bytes.count, by: size).map { start in
            let end = min(start + size, bytes.count)
            let flags: Frame.Flags = end == bytes.count ? [.critical, .end] : .critical
            return Frame(.invitation, flags: flags, payload: Array(bytes[start..<end]))
        }
    }

    /// The message that ends with a frame of the other side; nil if it goes on in the next one.
    package mutating func receive(_ frame: Frame) throws(FrameError) -> InvitationMessage? {
        guard received.count + frame.payload.count <= Self.maximumSize, !frame.payload.isEmpty
        else { throw .invalidField(.invitation) }
        received += frame.payload
        guard frame.flags.contains(.end) else { return nil }
        defer { received = [] }
        return try InvitationMessage(decoding: received)
    }
}
