/// pcapng: blocks of a type and a length; sections of either byte order that each describe
/// their interfaces and then hold frames of them.
struct PcapngFormat: Sendable {
    /// The type of a section header, the same in either byte order.
    static let sectionHeader: UInt32 = 0x0A0D_0D0A

    private enum BlockType {
        static let interface: UInt32 = 1
        static let packet: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
    }

    private struct Interface {
        var linkType: LinkType
        var snapLength: UInt32
        var resolution = TimeResolution.microseconds
        var timeOffset: Int64 = 0
    }

    private var order = ByteOrder.littleEndian
    private var interfaces: [Interface] = []

    /// Reads the block at the input's start.
    mutating func read(_ input: CaptureInput) throws(CaptureError) -> Progress {
        guard input.count >= 12 else { return .needs(12) }
        let bytes = input.storage.span
        let start = input.start
        let type = bytes.uint32(at: start, order)
        if type == Self.sectionHeader {
            try readByteOrder(bytes.uint32(at: start + 8), at: input.fileOffset)
        }
        let declared = bytes.uint32(at: start + 4, order)
        guard declared <= CaptureReader.maximumBlockLength else {
            throw CaptureError(.blockTooLong(declared), offset: input.fileOffset + 4)
        }
        guard declared >= 12, declared % 4 == 0 else {
            throw CaptureError(.badBlockLength(declared), offset: input.fileOffset + 4)
        }
        let length = Int(declared)
        guard input.count >= length else { return .needs(length) }
        let last = bytes.uint32(at: start + length - 4, order)
        guard last == declared else {
            throw CaptureError(
                .blockLengthsDiffer(first: declared, last: last),
                offset: input.fileOffset + length - 4)
        }
        let block = Block(range: start..<start + length, fileOffset: input.fileOffset)
        guard let frame = try read(block, ofType: type, in: bytes) else {
            return .skipped(length: length)
        }
        return .frame(frame, length: length)
    }

    private mutating func readByteOrder(_ mark: UInt32, at fileOffset: Int) throws(CaptureError) {
        switch mark {
        case 0x1A2B_3C4D: order = .bigEndian
        case 0x4D3C_2B1A: order = .littleEndian
        default: throw CaptureError(.badByteOrderMark(mark), offset: fileOffset + 8)
        }
    }

    private mutating func read(
        _ block: Block, ofType type: UInt32, in bytes: Span<UInt8>
    ) throws(CaptureError) -> FoundFrame? {
        switch type {
        case Self.sectionHeader:
            try block.requireLength(28)
            let major = bytes.uint16(at: block.start + 12, order)
            let minor = bytes.uint16(at: block.start + 14, order)
            guard major == 1 else {
                throw CaptureError(
                    .unsupportedVersion(major: major, minor: minor), offset: block.fileOffset + 12)
            }
            interfaces.removeAll()
            return nil
        case BlockType.interface:
            try addInterface(block, in: bytes)
            return nil
        case BlockType.enhancedPacket, BlockType.packet:
            return try packet(block, isEnhanced: type == BlockType.enhancedPacket, in: bytes)
        case BlockType.simplePacket:
            return try simplePacket(block, in: bytes)
        default:
            return nil
        }
    }

    private mutating func addInterface(
        _ block: Block, in bytes: Span<UInt8>
    ) throws(CaptureError) {
        try block.requireLength(20)
        guard interfaces.count < CaptureReader.maximumInterfaceCount else {
            throw CaptureError(.tooManyInterfaces, offset: block.fileOffset)
        }
        var interface = Interface(
            linkType: LinkType(rawValue: bytes.uint16(at: block.start + 8, order)),
            snapLength: bytes.uint32(at: block.start + 12, order))
        var at = block.start + 16
        while at + 4 <= block.end {
            let code = bytes.uint16(at: at, order)
            let length = Int(bytes.uint16(at: at + 2, order))
            guard code != 0, at + 4 + length <= block.end else { break }
            if code == 9, length == 1 {
                interface.resolution = TimeResolution(rawValue: bytes[at + 4])
            } else if code == 14, length == 8 {
                interface.timeOffset = Int64(bitPattern: bytes.uint64(at: at + 4, order))
            }
            at += 4 + (length + 3) & ~3
        }
        interfaces.append(interface)
    }

    /// An enhanced packet, or a packet of the obsolete block, whose interface has 16 bits.
    private func packet(
        _ block: Block, isEnhanced: Bool, in bytes: Span<UInt8>
    ) throws(CaptureError) -> FoundFrame {
        try block.requireLength(32)
        let index =
            isEnhanced
            ? bytes.uint32(at: block.start + 8, order)
            : UInt32(bytes.uint16(at: block.start + 8, order))
        let interface = try interface(index, of: block)
        let captured = bytes.uint32(at: block.start + 20, order)
        guard captured <= CaptureReader.maximumFrameLength else {
            throw CaptureError(.frameTooLong(captured), offset: block.fileOffset + 20)
        }
        let data = block.start + 28
        guard data + Int(captured) <= block.end else {
            throw CaptureError(.frameExceedsBlock(captured), offset: block.fileOffset + 20)
        }
        let units =
            UInt64(bytes.uint32(at: block.start + 12, order)) << 32
            | UInt64(bytes.uint32(at: block.start + 16, order))
        return FoundFrame(
            time: interface.resolution.time(units: units, offset: interface.timeOffset),
            linkType: interface.linkType, interface: Int(index),
            originalLength: max(
                Int(bytes.uint32(at: block.start + 24, order)), Int(captured)),
            fileOffset: block.fileOffset, range: data..<data + Int(captured))
    }

    /// A simple packet: of the first interface, without a time, cut at its snap length.
    private func simplePacket(
        _ block: Block, in bytes: Span<UInt8>
    ) throws(CaptureError) -> FoundFrame {
        try block.requireLength(16)
        let interface = try interface(0, of: block)
        let original = bytes.uint32(at: block.start + 8, order)
        let data = block.start + 12
        var captured = min(Int(original), block.end - data)
        if interface.snapLength > 0 { captured = min(captured, Int(interface.snapLength)) }
        return FoundFrame(
            time: nil, linkType: interface.linkType, originalLength: Int(original),
            fileOffset: block.fileOffset, range: data..<data + captured)
    }

    private func interface(_ index: UInt32, of block: Block) throws(CaptureError) -> Interface {
        guard index < interfaces.count else {
            throw CaptureError(.unknownInterface(index), offset: block.fileOffset + 8)
        }
        return interfaces[Int(index)]
    }
}

/// The place of a block whose bytes are all there.
private struct Block {
    var range: Range<Int>
    var fileOffset: Int

    var start: Int { range.lowerBound }
    /// Where its body ends: before the second length.
    var end: Int { range.upperBound - 4 }

    func requireLength(_ length: Int) throws(CaptureError) {
        guard range.count >= length else {
            throw CaptureError(.badBlockLength(UInt32(range.count)), offset: fileOffset + 4)
        }
    }
}
