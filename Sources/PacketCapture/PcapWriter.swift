public import NetworkPrimitives

/// Writes a classic pcap file with times in nanoseconds: values in, bytes out.
public struct PcapWriter: Sendable {
    /// What the frames begin with.
    public let linkType: LinkType
    /// Longer frames are cut to this.
    public let snapLength: Int

    /// A writer of frames of that type.
    public init(linkType: LinkType, snapLength: Int = CaptureReader.maximumFrameLength) {
        precondition((0...CaptureReader.maximumFrameLength).contains(snapLength))
        self.linkType = linkType
        self.snapLength = snapLength
    }

    /// What the file begins with.
    public var fileHeader: [UInt8] {
        var bytes: [UInt8] = []
        for value in [0xA1B2_3C4D, 0x0004_0002, 0, 0, UInt32(snapLength)] {
            append(value, to: &bytes)
        }
        append(UInt32(linkType.rawValue), to: &bytes)
        return bytes
    }

    /// Appends a frame with its header to `bytes`.
    ///
    /// A time before 1970 or after 2106 has no form in the file and is written as the nearest
    /// that has one.
    public func append(
        _ frame: some Collection<UInt8>, at time: CaptureTime, to bytes: inout [UInt8]
    ) {
        let length = UInt32(clamping: frame.count)
        append(UInt32(clamping: time.seconds), to: &bytes)
        append(time.nanoseconds, to: &bytes)
        append(UInt32(min(frame.count, snapLength)), to: &bytes)
        append(length, to: &bytes)
        bytes.append(contentsOf: frame.prefix(snapLength))
    }

    private func append(_ value: UInt32, to bytes: inout [UInt8]) {
        for shift in [0, 8, 16, 24] as [UInt32] {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

/// Builds IP packets around UDP payloads, checksums and all, for frames of type `LinkType.raw`.
public enum DatagramFrame {
    /// The IP packet that carries `payload`; `nil` if the two addresses are of different
    /// families or the payload is too long for one packet.
    public static func packet(
        from source: SocketAddress, to destination: SocketAddress, hopLimit: UInt8 = 255,
        payload: some Collection<UInt8>
    ) -> [UInt8]? {
        let length = 8 + payload.count
        guard source.address.family == destination.address.family, length <= 65_515 else {
            return nil
        }
        let sourceBytes = source.address.bytes
        let destinationBytes = destination.address.bytes
        var datagram: [UInt8] = []
        for value in [source.port, destination.port, UInt16(length), 0] {
            append(value, to: &datagram)
        }
        datagram.append(contentsOf: payload)
        // The pseudo-header: addresses, length, protocol (RFC 768, RFC 8200 §8.1).
        let addresses = checksum(of: sourceBytes + destinationBytes, from: 0)
        let seed = addresses + UInt64(length) + UInt64(UserDatagram.protocolNumber)
        let sum = folded(checksum(of: datagram, from: seed))
        // 0 would say that there is none.
        replace(at: 6, with: sum == 0xFFFF ? 0xFFFF : ~sum, in: &datagram)

        var packet: [UInt8] = []
        switch source.address.family {
        case .ipv4:
            packet = [0x45, 0]
            append(UInt16(20 + length), to: &packet)
            packet += [0, 0, 0x40, 0, hopLimit, UserDatagram.protocolNumber, 0, 0]
            packet += sourceBytes + destinationBytes
            replace(at: 10, with: ~folded(checksum(of: packet, from: 0)), in: &packet)
        case .ipv6:
            packet = [0x60, 0, 0, 0]
            append(UInt16(length), to: &packet)
            packet += [UserDatagram.protocolNumber, hopLimit]
            packet += sourceBytes + destinationBytes
        }
        return packet + datagram
    }

    /// The sum of the bytes taken as 16-bit numbers (RFC 1071), not folded yet.
    private static func checksum(of bytes: [UInt8], from seed: UInt64) -> UInt64 {
        var sum = seed
        for (index, byte) in bytes.enumerated() {
            sum += index.isMultiple(of: 2) ? UInt64(byte) << 8 : UInt64(byte)
        }
        return sum
    }

    private static func folded(_ sum: UInt64) -> UInt16 {
        var rest = sum
        while rest > 0xFFFF { rest = rest & 0xFFFF + rest >> 16 }
        return UInt16(rest)
    }

    private static func append(_ value: UInt16, to bytes: inout [UInt8]) {
        bytes.append(UInt8(value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    private static func replace(at offset: Int, with value: UInt16, in bytes: inout [UInt8]) {
        bytes[offset] = UInt8(value >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}
