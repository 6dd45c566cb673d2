/// The classic format: a file header, then frames with a header of 16 bytes each.
struct PcapFormat: Hashable, Sendable {
    static let fileHeaderLength = 24
    static let frameHeaderLength = 16
    /// The four first bytes, read as big-endian: micro- or nanoseconds, either byte order.
    static let magics: [UInt32] = [0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1]

    var order: ByteOrder
    var countsNanoseconds: Bool
    var linkType: LinkType

    init(fileHeader bytes: Span<UInt8>, at start: Int) throws(CaptureError) {
        let magic = bytes.uint32(at: start)
        order = magic == Self.magics[0] || magic == Self.magics[2] ? .bigEndian : .littleEndian
        countsNanoseconds = magic == Self.magics[2] || magic == Self.magics[3]
        let major = bytes.uint16(at: start + 4, order)
        let minor = bytes.uint16(at: start + 6, order)
        // Files before 2.3 had the two lengths of a frame the other way round.
        guard major == 2, minor >= 3 else {
            throw CaptureError(.unsupportedVersion(major: major, minor: minor), offset: 4)
        }
        // The upper half tells about frame check sequences.
        linkType = LinkType(
            rawValue: UInt16(truncatingIfNeeded: bytes.uint32(at: start + 20, order)))
    }

    /// Reads the frame at the input's start.
    func read(_ input: CaptureInput) throws(CaptureError) -> Progress {
        guard input.count >= Self.frameHeaderLength else {
            return .needs(Self.frameHeaderLength)
        }
        let bytes = input.storage.span
        let start = input.start
        let captured = bytes.uint32(at: start + 8, order)
        guard captured <= CaptureReader.maximumFrameLength else {
            throw CaptureError(.frameTooLong(captured), offset: input.fileOffset + 8)
        }
        let length = Self.frameHeaderLength + Int(captured)
        guard input.count >= length else { return .needs(length) }
        let fraction = bytes.uint32(at: start + 4, order)
        let time = CaptureTime(
            seconds: Int64(bytes.uint32(at: start, order)),
            // A fraction of a second or more is damage, which must not overflow here.
            nanoseconds: countsNanoseconds
                ? fraction : min(fraction, 4_000_000) * 1000)
        let frame = FoundFrame(
            time: time, linkType: linkType,
            originalLength: max(Int(bytes.uint32(at: start + 12, order)), Int(captured)),
            fileOffset: input.fileOffset,
            range: start + Self.frameHeaderLength..<start + length)
        return .frame(frame, length: length)
    }
}
