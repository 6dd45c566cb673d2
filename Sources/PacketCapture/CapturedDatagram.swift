public import NetworkPrimitives

/// A UDP datagram found in a capture.
public struct CapturedDatagram: Sendable {
    /// The number of the frame it is in; of the last to come if it was in fragments.
    public var frameNumber: Int
    /// When that frame was captured.
    public var time: CaptureTime?
    /// Where that frame is in the file.
    public var fileOffset: Int
    /// Who sent it.
    public var source: SocketAddress
    /// Whom it was sent to.
    public var destination: SocketAddress
    /// The hop limit or time to live of its IP header.
    public var hopLimit: UInt8
    /// The length in its UDP header, the eight bytes of the header counted in.
    public var lengthField: UInt16
    /// Whether the capture's snap length cut bytes off.
    public var isCut: Bool
    /// The payload, as far as it is there.
    public var payload: ArraySlice<UInt8>
}

extension CapturedDatagram {
    /// A whole datagram that came by another way than a capture's file.
    public init(
        number: Int, time: CaptureTime?, source: SocketAddress, destination: SocketAddress,
        payload: [UInt8]
    ) {
        self.init(
            frameNumber: number, time: time, fileOffset: 0, source: source,
            destination: destination, hopLimit: 255,
            lengthField: UInt16(clamping: payload.count + 8), isCut: false,
            payload: payload[...])
    }
}
