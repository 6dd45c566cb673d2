package import NetworkPrimitives
import Noise

extension PeerLink {
    /// The most datagrams of a record, so that messages are never kept out of one.
    private static var datagramsPerRecord: Int { 6 }

    /// The next bytes to send: a step of the handshake, or one record. Nil if nothing is due.
    ///
    /// What is urgent comes first: what concerns the connection, then datagrams and messages, then
    /// streams, then resources. To be called when the connection accepts bytes, not before.
    package mutating func nextOutput(now: Instant) -> [UInt8]? {
        pass(to: now)
        if !clear.isEmpty {
            defer { clear = [] }
            storedCounters.sentBytes += UInt64(clear.count)
            return clear
        }
        let text = nextText()
        guard !text.isEmpty else { return nil }
        do throws(NoiseError) {
            guard let record = try cipher?.seal(text, now: self.now) else { return nil }
            storedCounters.sentRecords += 1
            storedCounters.sentBytes += UInt64(record.count)
            return record
        } catch {
            finish(.violation(.content(.cipher(error))))
            return nil
        }
    }

    /// Whether the link is over and all bytes were taken: the connection is to be closed.
    package var isDrained: Bool { end != nil && clear.isEmpty && lastFrame == nil }

    /// The frames of the next record.
    mutating func nextText() -> [UInt8] {
        guard cipher != nil else { return [] }
        var text: [UInt8] = []
        var datagrams = 0
        while true {
            let room = RecordReader.defaultTextSize - text.count
            guard room >= StreamTable.largestControlFrame,
                let frame = nextFrame(size: room, &datagrams)
            else { break }
            frame.append(to: &text)
        }
        let (rooms, writable) = (messages.takeEvents(), streams.takeEvents())
        guard end == nil else { return text }
        for event in rooms { events.append(.messages(event)) }
        for event in writable { events.append(.stream(event)) }
        return text
    }

    private mutating func nextFrame(size: Int, _ datagrams: inout Int) -> Frame? {
        if end != nil { return lastFrame.take() }
        // Nothing follows the frame that closes.
        guard closing?.unsent == nil else { return nil }
        if let pong = liveness.takePong() { return pong }
        if control.isEmpty, !outgoingInvitations.isEmpty {
            let message = outgoingInvitations.removeFirst()
            let limit = RecordReader.defaultTextSize - Frame.largestHeader
            for frame in InvitationFrames.frames(of: message, size: limit) {
                control.append(frame)
            }
        }
        if let first = control.first { return first.size <= size ? control.popFirst() : nil }
        if closing?.isForced == true { return goAway() }
        if datagrams < Self.datagramsPerRecord, !outgoingDatagrams.isEmpty {
            guard size >= DatagramMessage.maximumSize + Frame.largestHeader else { return nil }
            datagrams += 1
            return outgoingDatagrams.popFirst().map { Frame(.datagram, payload: $0.encoded) }
        }
        messages.fill(&streams)
        if let frame = streams.nextFrame(now: now, size: size) { return frame }
        return mayLeave ? goAway() : nil
    }

    /// Whether all that was to leave before the link is closed has left; behind the other side's
    /// own `goAway`, all that there is room for, because no more is given.
    private var mayLeave: Bool {
        guard let closing else { return false }
        return closing.isAnswered || outgoingDatagrams.isEmpty && unsentCount == 0
    }

    private mutating func goAway() -> Frame? {
        guard let closing else { return nil }
        let unsent = unsentCount
        self.closing?.unsent = unsent
        self.closing?.deadline = now.advanced(by: configuration.timing.closing)
        if closing.isAnswered {
            finish(closed(closing.goAway, byPeer: false, unsent: unsent))
        }
        return closing.goAway.frame
    }
}
