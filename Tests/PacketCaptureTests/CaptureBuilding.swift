import NetworkPrimitives

@testable import PacketCapture

/// Appends numbers of either byte order.
struct FileBuilder {
    var order = ByteOrder.littleEndian
    var bytes: [UInt8] = []

    mutating func add16(_ value: UInt16) {
        let value = order == .bigEndian ? value : value.byteSwapped
        bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    mutating func add32(_ value: UInt32) {
        let upper = UInt16(value >> 16)
        let lower = UInt16(truncatingIfNeeded: value)
        if order == .bigEndian {
            add16(upper)
            add16(lower)
        } else {
            add16(lower)
            add16(upper)
        }
    }

    mutating func add32(all values: [UInt32]) {
        for value in values { add32(value) }
    }

    mutating func addPcapHeader(magic: UInt32 = 0xA1B2_C3D4, linkType: UInt32 = 1) {
        add32(magic)
        add16(2)
        add16(4)
        for value in [0, 0, 262_144, linkType] { add32(value) }
    }

    mutating func addPcapFrame(
        _ frame: [UInt8], seconds: UInt32 = 0, fraction: UInt32 = 0, originalLength: UInt32? = nil
    ) {
        add32(seconds)
        add32(fraction)
        add32(UInt32(frame.count))
        add32(originalLength ?? UInt32(frame.count))
        bytes += frame
    }

    /// A pcapng block; the body is filled up to four bytes.
    mutating func addBlock(_ type: UInt32, _ body: (inout FileBuilder) -> Void) {
        var inner = FileBuilder(order: order)
        body(&inner)
        while inner.bytes.count % 4 != 0 { inner.bytes.append(0) }
        add32(type)
        add32(UInt32(inner.bytes.count + 12))
        bytes += inner.bytes
        add32(UInt32(inner.bytes.count + 12))
    }

    mutating func addSection() {
        addBlock(0x0A0D_0D0A) {
            $0.add32(0x1A2B_3C4D)
            $0.add16(1)
            $0.add16(0)
            $0.add32(.max)
            $0.add32(.max)
        }
    }

    mutating func addInterface(
        linkType: UInt16 = 1, snapLength: UInt32 = 0, resolution: UInt8? = nil,
        offset: Int64? = nil
    ) {
        addBlock(1) {
            $0.add16(linkType)
            $0.add16(0)
            $0.add32(snapLength)
            // A comment first: an option to be passed over, with padding.
            $0.add16(1)
            $0.add16(3)
            $0.bytes += [0x61, 0x62, 0x63, 0]
            if let resolution {
                $0.add16(9)
                $0.add16(1)
                $0.bytes += [resolution, 0, 0, 0]
            }
            if let offset {
                let value = UInt64(bitPattern: offset)
                $0.add16(14)
                $0.add16(8)
                let upper = UInt32(value >> 32)
                let lower = UInt32(truncatingIfNeeded: value)
                $0.add32($0.order == .bigEndian ? upper : lower)
                $0.add32($0.order == .bigEndian ? lower : upper)
            }
            $0.add32(0)
        }
    }

    mutating func addEnhancedPacket(
        _ frame: [UInt8], interface: UInt32 = 0, units: UInt64 = 0, originalLength: UInt32? = nil
    ) {
        addBlock(6) {
            $0.add32(interface)
            $0.add32(UInt32(units >> 32))
            $0.add32(UInt32(truncatingIfNeeded: units))
            $0.add32(UInt32(frame.count))
            $0.add32(originalLength ?? UInt32(frame.count))
            $0.bytes += frame
        }
    }
}

/// Feeds a file in pieces; the frames, and the error if there was one.
func readCapture(
    _ file: [UInt8], pieceLength: Int = .max
) -> (frames: [CapturedFrame], error: CaptureError?) {
    var reader = CaptureReader()
    var frames: [CapturedFrame] = []
    var rest = file[...]
    do throws(CaptureError) {
        while !rest.isEmpty {
            reader.append(rest.prefix(pieceLength))
            rest = rest.dropFirst(pieceLength)
            while let frame = try reader.next() { frames.append(frame) }
        }
        reader.finish()
        while let frame = try reader.next() { frames.append(frame) }
        return (frames, nil)
    } catch {
        return (frames, error)
    }
}

/// Packets to wrap.
enum Sample {
    static let payload: [UInt8] = Array(1...40)
    static let v4 = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 5353)
    static let v6 = SocketAddress(.v6(IPv6Address(high: 0xFE80 << 48, low: 7)), port: 5353)

    static func packet(_ family: AddressFamily = .ipv4, payload: [UInt8] = payload) -> [UInt8] {
        let source = family == .ipv4 ? v4 : v6
        let group = SocketAddress(.multicastDNS(family), port: 5353)
        return DatagramFrame.packet(from: source, to: group, payload: payload) ?? []
    }

    static let hardwareAddresses: [UInt8] = [1, 0, 0x5E, 0, 0, 0xFB, 2, 0, 0, 0, 0, 1]

    static func ethernet(_ packet: [UInt8], type: [UInt8] = [0x08, 0x00]) -> [UInt8] {
        hardwareAddresses + type + packet
    }

    static func frame(
        _ bytes: [UInt8], _ linkType: LinkType, number: Int = 1, seconds: Int64 = 0,
        originalLength: Int? = nil
    ) -> CapturedFrame {
        CapturedFrame(
            number: number, time: CaptureTime(seconds: seconds), linkType: linkType,
            originalLength: originalLength ?? bytes.count, bytes: bytes[...])
    }
}
