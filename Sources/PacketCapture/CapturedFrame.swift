/// One frame of a capture.
public struct CapturedFrame: Sendable {
    /// Which frame of the file it is, the first being 1.
    public var number: Int
    /// When it was captured; `nil` where the file does not say (pcapng's simple packets).
    public var time: CaptureTime?
    /// What its bytes begin with.
    public var linkType: LinkType
    /// The frame's interface, counted from 0 within the section of the file.
    public var interface: Int
    /// How long it was on the wire; more than `bytes` have if the capture's snap length cut it.
    public var originalLength: Int
    /// Where the frame's header is in the file.
    public var fileOffset: Int
    /// The captured bytes.
    public var bytes: ArraySlice<UInt8>

    /// A frame.
    public init(
        number: Int, time: CaptureTime?, linkType: LinkType, interface: Int = 0,
        originalLength: Int, fileOffset: Int = 0, bytes: ArraySlice<UInt8>
    ) {
        self.number = number
        self.time = time
        self.linkType = linkType
        self.interface = interface
        self.originalLength = originalLength
        self.fileOffset = fileOffset
        self.bytes = bytes
    }

    /// Whether the snap length cut bytes off.
    public var isCut: Bool { bytes.count < originalLength }
}
