import NetworkPrimitives

/// Finds the UDP datagrams of one port, on either side, in the frames of a capture.
///
/// Fragments are put together within the bounds of `FragmentReassembly`; nothing else is kept
/// from frame to frame.
public struct DatagramExtraction: Sendable {
    /// What was met, frame by frame.
    public struct Statistics: Hashable, Sendable {
        /// Frames looked at.
        public var frames = 0
        /// Datagrams found.
        public var datagrams = 0
        /// Frames that hold something else.
        public var otherFrames = 0
        /// Frames of which the snap length left not even the headers.
        public var cutFrames = 0
        /// Datagrams found whose payload the snap length cut.
        public var cutDatagrams = 0
        /// Frames whose IP or UDP headers contradict themselves or end early.
        public var malformedFrames = 0
        /// Fragments of datagrams that could be ours.
        public var fragments = 0
        /// Datagrams of which a fragment is missing.
        public var incompleteDatagrams = 0
        /// Datagrams whose fragments overlap or don't fit together.
        public var conflictingDatagrams = 0
        /// Encrypted 802.11 frames.
        public var encryptedFrames = 0
        /// 802.11 frames that hold several packets or a part of one.
        public var aggregateFrames = 0
        /// Frames of a link type that isn't known here.
        public var unsupportedFrames = 0

        /// Where the first frame is that the snap length cut too short.
        public var firstCutOffset: Int?
        /// Where the first frame with malformed headers is.
        public var firstMalformedOffset: Int?
        /// Where the first fragment is of a datagram of which one is missing, or that was given
        /// up because its fragments contradict each other.
        public var firstIncompleteOffset: Int?
        /// Where the first frame of an unknown link type is, and which type that is.
        public var firstUnsupported: CaptureError?
    }

    /// The port sought.
    public let port: UInt16
    /// What was met so far. Fragments still awaited count as missing once `finish` was called.
    public private(set) var statistics = Statistics()

    private var reassembly = FragmentReassembly()

    /// Looks for datagrams from or to that port.
    public init(port: UInt16 = 5353) {
        self.port = port
    }

    /// The datagram in a frame, or the one that the frame completes; `nil` if there is none.
    public mutating func datagram(in frame: CapturedFrame) -> CapturedDatagram? {
        statistics.frames += 1
        let bytes = frame.bytes.span
        switch LinkLayer.payload(of: bytes, linkType: frame.linkType) {
        case .packet(let offset):
            do throws(InternetPacket.Failure) {
                return datagram(in: try InternetPacket(bytes, at: offset), of: frame)
            } catch {
                count(error, in: frame)
            }
        case .other: statistics.otherFrames += 1
        case .ends: count(.ends, in: frame)
        case .encrypted: statistics.encryptedFrames += 1
        case .aggregate: statistics.aggregateFrames += 1
        case .unsupported:
            statistics.unsupportedFrames += 1
            if statistics.firstUnsupported == nil {
                statistics.firstUnsupported = CaptureError(
                    .unsupportedLinkType(frame.linkType), offset: frame.fileOffset)
            }
        }
        return nil
    }

    /// Counts the datagrams whose fragments did not all come.
    public mutating func finish() {
        countIncomplete(reassembly.removeAll())
    }

    private mutating func countIncomplete(_ places: [Int]) {
        statistics.incompleteDatagrams += places.count
        if let first = places.min() { noteIncomplete(first) }
    }

    private mutating func noteIncomplete(_ offset: Int) {
        statistics.firstIncompleteOffset = min(statistics.firstIncompleteOffset ?? .max, offset)
    }

    private mutating func noteCut(_ frame: CapturedFrame) {
        statistics.firstCutOffset = statistics.firstCutOffset ?? frame.fileOffset
    }

    private mutating func count(_ failure: InternetPacket.Failure, in frame: CapturedFrame) {
        switch failure {
        case .ends where frame.isCut:
            statistics.cutFrames += 1
            noteCut(frame)
        case .ends, .malformed:
            statistics.malformedFrames += 1
            statistics.firstMalformedOffset =
                statistics.firstMalformedOffset ?? frame.fileOffset
        case .other: statistics.otherFrames += 1
        }
    }

    private mutating func datagram(
        in packet: InternetPacket, of frame: CapturedFrame
    ) -> CapturedDatagram? {
        if packet.fragment != nil { return reassembled(packet, of: frame) }
        guard packet.transport == UserDatagram.protocolNumber else {
            statistics.otherFrames += 1
            return nil
        }
        let start = frame.bytes.startIndex
        let payload =
            frame.bytes[start + packet.payload.lowerBound..<start + packet.payload.upperBound]
        let isCut = frame.isCut && packet.payload.count < packet.payloadLength
        return datagram(in: payload, isCut: isCut, packet: packet, frame: frame)
    }

    private mutating func datagram(
        in transport: ArraySlice<UInt8>, isCut: Bool, packet: InternetPacket,
        frame: CapturedFrame
    ) -> CapturedDatagram? {
        let header: UserDatagram
        do throws(InternetPacket.Failure) {
            header = try UserDatagram(transport.span)
        } catch {
            count(isCut ? .ends : .malformed, in: frame)
            return nil
        }
        guard header.sourcePort == port || header.destinationPort == port else {
            statistics.otherFrames += 1
            return nil
        }
        let start = transport.startIndex
        let payload = transport[
            start + header.payload.lowerBound..<start + header.payload.upperBound]
        let isPayloadCut = isCut && payload.count < Int(header.length) - 8
        statistics.datagrams += 1
        if isPayloadCut {
            statistics.cutDatagrams += 1
            noteCut(frame)
        }
        return CapturedDatagram(
            frameNumber: frame.number, time: frame.time, fileOffset: frame.fileOffset,
            source: SocketAddress(packet.source, port: header.sourcePort),
            destination: SocketAddress(packet.destination, port: header.destinationPort),
            hopLimit: packet.hopLimit, lengthField: header.length, isCut: isPayloadCut,
            payload: payload)
    }

    /// Keeps a fragment; the datagram, if it was the last that was missing.
    private mutating func reassembled(
        _ packet: InternetPacket, of frame: CapturedFrame
    ) -> CapturedDatagram? {
        guard FragmentReassembly.canHoldUserDatagram(packet) else {
            statistics.otherFrames += 1
            return nil
        }
        guard packet.payload.count == packet.payloadLength else {
            count(.ends, in: frame)
            return nil
        }
        statistics.fragments += 1
        let start = frame.bytes.startIndex
        let piece =
            frame.bytes[start + packet.payload.lowerBound..<start + packet.payload.upperBound]
        let outcome = reassembly.add(
            piece, of: packet, at: frame.time, fileOffset: frame.fileOffset)
        countIncomplete(outcome.abandoned)
        if outcome.isConflict {
            statistics.conflictingDatagrams += 1
            noteIncomplete(frame.fileOffset)
        }
        guard let whole = outcome.complete else { return nil }
        // Extension headers may stand between the fragment header and UDP (RFC 8200 §4.5).
        do throws(InternetPacket.Failure) {
            let headers = try ExtensionHeaders(
                whole.bytes.span, from: 0, end: whole.bytes.count, first: whole.transport)
            guard headers.transport == UserDatagram.protocolNumber else {
                statistics.otherFrames += 1
                return nil
            }
            return datagram(
                in: whole.bytes[headers.end...], isCut: false, packet: packet, frame: frame)
        } catch {
            count(error, in: frame)
            return nil
        }
    }
}
