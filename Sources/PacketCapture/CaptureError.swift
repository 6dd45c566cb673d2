/// Why a capture can't be read further.
public struct CaptureError: Error, Hashable, Sendable {
    /// Where the bytes are that are wrong, counted from the start of the file.
    public var offset: Int
    /// What is wrong with them.
    public var reason: Reason

    /// An error at that place.
    public init(_ reason: Reason, offset: Int) {
        self.offset = offset
        self.reason = reason
    }

    /// What can be wrong with a capture.
    public enum Reason: Hashable, Sendable {
        /// There is not one byte.
        case emptyFile
        /// The first bytes are of neither format.
        case unknownFormat(UInt32)
        /// A format version that we don't know.
        case unsupportedVersion(major: UInt16, minor: UInt16)
        /// The file ends within the file header.
        case fileHeaderCut
        /// The file ends within a frame or block, `missing` bytes before its end.
        case fileEndsEarly(missing: Int)
        /// A frame longer than `CaptureReader.maximumFrameLength`.
        case frameTooLong(UInt32)
        /// A block longer than `CaptureReader.maximumBlockLength`.
        case blockTooLong(UInt32)
        /// A block's length that is too small for its type, or no multiple of four.
        case badBlockLength(UInt32)
        /// The lengths at a block's two ends differ.
        case blockLengthsDiffer(first: UInt32, last: UInt32)
        /// A frame that says it is longer than the block it is in.
        case frameExceedsBlock(UInt32)
        /// A section that begins with neither form of the byte-order mark.
        case badByteOrderMark(UInt32)
        /// A frame of an interface that was not described.
        case unknownInterface(UInt32)
        /// More interfaces than `CaptureReader.maximumInterfaceCount`.
        case tooManyInterfaces
        /// Frames in which datagrams can't be found.
        case unsupportedLinkType(LinkType)
    }
}

extension CaptureError: CustomStringConvertible {
    /// One line, the byte offset at its end.
    public var description: String {
        "\(reason) (at byte \(offset))"
    }
}

extension CaptureError.Reason: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .emptyFile:
            return "the file is empty"
        case .unknownFormat(let magic):
            return "neither a pcap nor a pcapng file: it begins with \(Self.hex(magic))"
        case .unsupportedVersion(let major, let minor):
            return "unknown version \(major).\(minor) of the file format"
        case .fileHeaderCut:
            return "the file ends within its header"
        case .fileEndsEarly(let missing):
            return "the file ends \(missing) bytes before the end of this packet or block"
        case .frameTooLong(let length):
            return "a packet of \(length) bytes is beyond reason"
        case .blockTooLong(let length):
            return "a block of \(length) bytes is beyond reason"
        case .badBlockLength(let length):
            return "a block can't have a length of \(length) bytes"
        case .blockLengthsDiffer(let first, let last):
            return "a block has length \(first) at its start and \(last) at its end"
        case .frameExceedsBlock(let length):
            return "a packet of \(length) bytes is longer than its block"
        case .badByteOrderMark(let mark):
            return "a section begins with the byte-order mark \(Self.hex(mark))"
        case .unknownInterface(let index):
            return "a packet of interface \(index), which the file does not describe"
        case .tooManyInterfaces:
            return "more than \(CaptureReader.maximumInterfaceCount) interfaces"
        case .unsupportedLinkType(let type):
            return "can't find IP packets in frames of \(type)"
        }
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
