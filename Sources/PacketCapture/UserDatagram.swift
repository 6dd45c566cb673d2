/// The header of a UDP datagram (RFC 768).
struct UserDatagram: Hashable, Sendable {
    static let protocolNumber: UInt8 = 17
    static let headerLength = 8

    var sourcePort: UInt16
    var destinationPort: UInt16
    /// As in the header, which counts in.
    var length: UInt16
    /// The payload: as long as the header says, or as there is.
    var payload: Range<Int>

    /// Reads the header in front of `bytes`, which are what the IP packet carries.
    init(_ bytes: Span<UInt8>) throws(InternetPacket.Failure) {
        guard bytes.count >= Self.headerLength else { throw .ends }
        sourcePort = bytes.uint16(at: 0)
        destinationPort = bytes.uint16(at: 2)
        length = bytes.uint16(at: 4)
        // 0 stands for more than 16 bits can say (RFC 2675 §4).
        let end = length == 0 ? bytes.count : min(Int(length), bytes.count)
        guard end >= Self.headerLength else { throw .malformed }
        payload = Self.headerLength..<end
    }
}
