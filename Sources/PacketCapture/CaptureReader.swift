/// Reads a capture that comes in pieces, of either format: bytes in, frames out.
///
/// Call `append` with the next bytes of the file, then `next` until it returns `nil`, and again;
/// after the last piece call `finish` and drain once more. It holds what has not been read yet:
/// at most the piece and one unfinished frame or block, however long the file is. Formats:
/// draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
public struct CaptureReader: Sendable {
    /// A longer frame is a damaged length (the bound of libpcap).
    public static let maximumFrameLength = 262_144
    /// A longer pcapng block is a damaged length (the bound of Wireshark).
    public static let maximumBlockLength = 16 << 20
    /// More interfaces in a section are refused, so that a file can't make us grow without end.
    public static let maximumInterfaceCount = 65_536

    /// The two formats.
    public enum Format: Hashable, Sendable {
        /// Classic pcap.
        case pcap
        /// pcapng.
        case pcapng
    }

    /// The format, once the first bytes were read.
    public var format: Format? {
        switch state {
        case .start, .failed: nil
        case .pcap: .pcap
        case .pcapng: .pcapng
        }
    }

    private enum State: Sendable {
        case start
        case pcap(PcapFormat)
        case pcapng
        case failed(CaptureError)
    }

    private var state: State = .start
    private var sections = PcapngFormat()
    private var input = CaptureInput()
    private var isFinished = false
    private var frameCount = 0

    /// The bytes held: those given lately that were read, and those not read yet.
    var bufferedByteCount: Int { input.storage.count }

    /// A reader at the start of a file.
    public init() {}

    /// Takes the next bytes of the file.
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        input.append(bytes)
    }

    /// Takes the next bytes of the file.
    public mutating func append(_ bytes: [UInt8]) {
        input.append(bytes[...])
    }

    /// Says that the file has no more bytes.
    public mutating func finish() {
        isFinished = true
    }

    /// The next frame; `nil` when more bytes are needed or, after `finish`, at the end.
    ///
    /// - Throws: `CaptureError`, and the same again for ever after.
    public mutating func next() throws(CaptureError) -> CapturedFrame? {
        do throws(CaptureError) {
            return try read()
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func read() throws(CaptureError) -> CapturedFrame? {
        while true {
            let progress: Progress
            switch state {
            case .failed(let error):
                throw error
            case .start:
                guard let format = try recognize() else { return nil }
                state = format
                continue
            case .pcap(let format):
                progress = try format.read(input)
            case .pcapng:
                progress = try sections.read(input)
            }
            switch progress {
            case .frame(let found, let length):
                frameCount += 1
                defer { input.skip(length) }
                return found.frame(number: frameCount, in: input)
            case .skipped(let length):
                input.skip(length)
            case .needs(let count):
                guard isFinished, input.count > 0 else { return nil }
                throw CaptureError(
                    .fileEndsEarly(missing: count - input.count), offset: input.fileOffset)
            }
        }
    }

    /// The format that the first bytes are of.
    private mutating func recognize() throws(CaptureError) -> State? {
        guard input.count >= 4 else {
            guard isFinished else { return nil }
            throw CaptureError(input.count == 0 ? .emptyFile : .fileHeaderCut, offset: 0)
        }
        let magic = input.storage.span.uint32(at: input.start)
        if magic == PcapngFormat.sectionHeader { return .pcapng }
        guard PcapFormat.magics.contains(magic) else {
            throw CaptureError(.unknownFormat(magic), offset: 0)
        }
        guard input.count >= PcapFormat.fileHeaderLength else {
            guard isFinished else { return nil }
            throw CaptureError(.fileHeaderCut, offset: 0)
        }
        let format = try PcapFormat(fileHeader: input.storage.span, at: input.start)
        input.skip(PcapFormat.fileHeaderLength)
        return .pcap(format)
    }
}

/// What came of an attempt to read a frame or block.
enum Progress {
    /// A frame; with its header it is so long.
    case frame(FoundFrame, length: Int)
    /// Something that is not a frame, and so long.
    case skipped(length: Int)
    /// The frame or block has so many bytes in all, and they are not all there yet.
    case needs(Int)
}

/// A frame whose bytes are still in the reader's input.
struct FoundFrame {
    var time: CaptureTime?
    var linkType: LinkType
    var interface = 0
    var originalLength: Int
    var fileOffset: Int
    /// Counted like the indices of `CaptureInput.storage`.
    var range: Range<Int>

    func frame(number: Int, in input: CaptureInput) -> CapturedFrame {
        CapturedFrame(
            number: number, time: time, linkType: linkType, interface: interface,
            originalLength: originalLength, fileOffset: fileOffset, bytes: input.storage[range])
    }
}
