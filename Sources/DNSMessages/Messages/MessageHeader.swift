/// The id and the flag bits of a message (RFC 1035 §4.1.1).
public struct MessageHeader: Hashable, Sendable {
    /// The id; 0 in multicast (RFC 6762 §18.1).
    public var id: UInt16
    /// The sixteen flag bits as on the wire.
    public var flags: UInt16

    /// A header of that id and those bits.
    public init(id: UInt16 = 0, flags: UInt16 = 0) {
        self.id = id
        self.flags = flags
    }

    /// A multicast query: id and flags all zero (RFC 6762 §18).
    public static let query = MessageHeader()
    /// A multicast response: QR and AA set (RFC 6762 §18.2, §18.4).
    public static let response = MessageHeader(flags: 0x8400)

    /// QR: whether it is a response.
    public var isResponse: Bool {
        get { flags & 0x8000 != 0 }
        set { flags = newValue ? flags | 0x8000 : flags & ~0x8000 }
    }
    /// TC: whether more is to come, or was cut off.
    public var isTruncated: Bool {
        get { flags & 0x0200 != 0 }
        set { flags = newValue ? flags | 0x0200 : flags & ~0x0200 }
    }
    /// AA: whether the answer comes from who has the say.
    public var isAuthoritative: Bool {
        get { flags & 0x0400 != 0 }
        set { flags = newValue ? flags | 0x0400 : flags & ~0x0400 }
    }
    /// OPCODE, four bits; 0 is a query.
    public var operationCode: UInt8 { UInt8(truncatingIfNeeded: flags >> 11) & 15 }
    /// RCODE, four bits; 0 is no error.
    public var responseCode: UInt8 { UInt8(truncatingIfNeeded: flags) & 15 }
}
