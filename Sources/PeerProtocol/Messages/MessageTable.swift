import NetworkPrimitives

/// The message channels of a connection. A channel is a stream of the class `message`, in both
/// directions, so the credit of streams bounds it and a channel that nobody reads stops itself.
///
/// Of what is sent no more than a piece is handed to the stream at a time. What arrives is put
/// together at once, up to a bound: then the stream is not read on until the application has
/// read. Large messages of all channels together have a bound too; a channel that would exceed it
/// waits, small messages never.
package struct MessageTable: Sendable {
    /// What the application has to know.
    package enum Event: Hashable, Sendable {
        /// There are messages to read.
        case readable(StreamID)
        /// There is room again for messages to send.
        case writable(StreamID)
        /// The other side sends no more on it, and all was read.
        case finished(StreamID)
    }

    private struct Channel: Sendable {
        var outgoing: OutgoingMessages
        var incoming: IncomingMessages
        /// The application sends no more.
        var isFinished = false
        /// The stream's end was read.
        var isEnded = false
        /// The application was told that there are messages.
        var isReadable = false
        /// The application was told of the end.
        var isOver = false
        var isSending = false
        var isDue = false
    }

    private let limits: MessageLimits
    private var channels: [UInt64: Channel] = [:]
    /// Channels that have something to send.
    private var sending: [UInt64] = []
    /// Channels whose stream may have something to read.
    private var due = Queue<UInt64>()
    /// Channels that wait for the large messages of others.
    private var blocked: [UInt64] = []
    /// Whether there may be channels that have ended in both directions.
    private var hasOver = false
    /// What large messages occupy.
    private var reservedSize = 0

    /// Bytes that large messages of all channels occupy, or will when they are whole; never more
    /// than `MessageLimits.largeSize`.
    package var largeSize: Int { reservedSize }
    private var events: [Event] = []

    private var storedCounters = Counters()

    /// What did not reach an application, and why.
    package struct Counters: Hashable, Sendable {
        /// Latest ones replaced by later ones before they were sent.
        package var replacedOutgoing = 0
        /// Latest ones replaced by later ones before they were read.
        package var replacedIncoming = 0
        /// Channels that were reset because there were too many.
        package var refusedChannels = 0

        /// All that were replaced.
        package var replacedTotal: Int { replacedOutgoing + replacedIncoming }
    }

    /// Without any channel.
    package init(limits: MessageLimits = MessageLimits()) { self.limits = limits }

    /// Bytes of messages that wait to be sent.
    package var unsentCount: Int { channels.values.reduce(0) { $0 + $1.outgoing.waitingSize } }

    /// Bytes of messages and parts of them that wait for the application.
    package var bufferedCount: Int { channels.values.reduce(0) { $0 + $1.incoming.bufferedSize } }

    /// What did not reach an application.
    package var counters: Counters {
        channels.values.reduce(into: storedCounters) { Self.add($1, to: &$0) }
    }

    /// How many channels there are.
    package var count: Int { channels.count }

    // MARK: The application

    /// Opens a channel.
    package mutating func open(
        _ opening: StreamOpening, weight: Int, _ streams: inout StreamTable
    ) throws(StreamError) -> StreamID {
        guard channels.count < MessageLimits.channels else { throw .tooMany }
        let id = try streams.open(opening, weight: weight)
        add(id, opening)
        return id
    }

    /// Puts a message behind those that wait to be sent.
    package mutating func send(
        _ message: PeerMessage, on id: StreamID, _ streams: borrowing StreamTable
    ) throws(MessageError) {
        guard channels[id.rawValue] != nil, streams.unsentCount(of: id) != nil else {
            throw .noChannel
        }
        guard channels[id.rawValue]?.isFinished == false else { throw .finished }
        try channels[id.rawValue]?.outgoing.add(message)
        markSending(id.rawValue)
    }

    /// Sends no more after what waits.
    package mutating func finish(_ id: StreamID) throws(MessageError) {
        guard let channel = channels[id.rawValue] else { throw .noChannel }
        guard !channel.isFinished else { throw .finished }
        channels[id.rawValue]?.isFinished = true
        markSending(id.rawValue)
    }

    /// The next message of a channel; nil if none is whole.
    package mutating func next(on id: StreamID) throws(MessageError) -> ReceivedMessage? {
        guard channels[id.rawValue] != nil else { throw .noChannel }
        let message = change(id.rawValue) { $0.incoming.popFirst() }
        if message == nil { channels[id.rawValue]?.isReadable = false }
        markDue(id.rawValue)
        return message
    }

    /// The channel was reset by either side: what was not sent or read is gone.
    package mutating func remove(_ id: StreamID) {
        guard let channel = channels.removeValue(forKey: id.rawValue) else { return }
        Self.add(channel, to: &storedCounters)
        release(channel.incoming.reservedSize)
    }

    // MARK: The connection

    /// The other side opened a channel.
    package mutating func opened(
        _ id: StreamID, _ opening: StreamOpening, _ streams: inout StreamTable
    ) -> Bool {
        guard channels.count < MessageLimits.channels else {
            storedCounters.refusedChannels += 1
            do throws(StreamError) {
                try streams.reset(id, code: MessageLimits.refusedCode)
            } catch {}
            return false
        }
        add(id, opening)
        return true
    }

    /// Whether a stream is a channel.
    package func contains(_ id: StreamID) -> Bool { channels[id.rawValue] != nil }

    /// There is something to read on the stream of a channel.
    package mutating func noteReadable(_ id: StreamID) { markDue(id.rawValue) }

    /// Reads the streams of channels, as far as there is room for messages.
    ///
    /// - Throws: `MessageViolation`, after which the connection is closed.
    package mutating func readStreams(
        _ streams: inout StreamTable
    ) throws(MessageViolation) -> [Event] {
        while let number = due.popFirst() {
            channels[number]?.isDue = false
            guard channels[number] != nil else { continue }
            try readStream(number, &streams)
        }
        removeDone(streams)
        defer { events = [] }
        return events
    }

    /// Hands the next pieces to the streams of channels that have sent what they had.
    package mutating func fill(_ streams: inout StreamTable) {
        removeDone(streams)
        guard !sending.isEmpty else { return }
        var left: [UInt64] = []
        for number in sending where fill(number, &streams) { left.append(number) }
        sending = left
    }

    /// What became of sending since the last call.
    package mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: Parts

    private mutating func add(_ id: StreamID, _ opening: StreamOpening) {
        let delivery = opening.delivery ?? .ordered
        channels[id.rawValue] = Channel(
            outgoing: OutgoingMessages(delivery, limits: limits),
            incoming: IncomingMessages(id, delivery))
    }

    private mutating func markSending(_ number: UInt64) {
        guard channels[number]?.isSending == false else { return }
        channels[number]?.isSending = true
        sending.append(number)
    }

    private mutating func markDue(_ number: UInt64) {
        guard channels[number]?.isDue == false else { return }
        channels[number]?.isDue = true
        due.append(number)
    }

    /// Changes a channel in its place, and keeps the sum of what large messages occupy.
    private mutating func change<Result>(
        _ number: UInt64, _ body: (inout Channel) -> Result?
    ) -> Result? {
        guard var channel = channels[number] else { return nil }
        channels[number] = nil
        let former = channel.incoming.reservedSize
        let result = body(&channel)
        let difference = channel.incoming.reservedSize - former
        channels[number] = channel
        if difference < 0 { release(-difference) } else { reservedSize += difference }
        return result
    }

    private mutating func release(_ size: Int) {
        guard size > 0 else { return }
        reservedSize -= size
        let waiting = blocked
        blocked = []
        for number in waiting { markDue(number) }
    }

    private static func add(_ channel: Channel, to counters: inout Counters) {
        counters.replacedOutgoing += channel.outgoing.replacedCount
        counters.replacedIncoming += channel.incoming.replacedCount
    }

    /// Reads a stream until it has nothing or the messages may not be kept.
    private mutating func readStream(
        _ number: UInt64, _ streams: inout StreamTable
    ) throws(MessageViolation) {
        let id = StreamID(rawValue: number)
        while true {
            let room = MessageLimits.largeSize - reservedSize
            var violation: MessageViolation?
            let pause = change(number) { channel -> IncomingMessages.Pause? in
                do throws(MessageViolation) {
                    return try channel.incoming.read(room: room)
                } catch {
                    violation = error
                    return nil
                }
            }
            if let violation { throw violation }
            if pause == .others { blocked.append(number) }
            guard pause == .bytes, readPiece(id, &streams) else { break }
        }
        try report(id)
    }

    /// Whether there was more.
    private mutating func readPiece(_ id: StreamID, _ streams: inout StreamTable) -> Bool {
        guard channels[id.rawValue]?.isEnded == false else { return false }
        do throws(StreamError) {
            let (bytes, isEnd) = try streams.read(id, upTo: MessageLimits.chunk)
            channels[id.rawValue]?.incoming.append(bytes)
            if isEnd { channels[id.rawValue]?.isEnded = true }
            return !bytes.isEmpty
        } catch {
            // Reset by this side in the meantime.
            return false
        }
    }

    private mutating func report(_ id: StreamID) throws(MessageViolation) {
        guard let channel = channels[id.rawValue] else { return }
        if channel.incoming.hasReady {
            guard !channel.isReadable else { return }
            channels[id.rawValue]?.isReadable = true
            events.append(.readable(id))
        } else if channel.isEnded, !channel.isOver {
            guard channel.incoming.isWhole else { throw .cutShort(id) }
            channels[id.rawValue]?.isOver = true
            hasOver = true
            events.append(.finished(id))
        }
    }

    /// Whether there may be more to hand over later.
    private mutating func fill(_ number: UInt64, _ streams: inout StreamTable) -> Bool {
        let id = StreamID(rawValue: number)
        while let channel = channels[number], let unsent = streams.unsentCount(of: id) {
            guard unsent == 0 || channel.outgoing.isEmpty else { return true }
            guard let chunk = channels[number]?.outgoing.nextChunk() else { break }
            do throws(StreamError) {
                _ = try streams.write(chunk.encoded, to: id)
            } catch { break }
            if channels[number]?.outgoing.takeRoom() == true { events.append(.writable(id)) }
        }
        channels[number]?.isSending = false
        if channels[number]?.isFinished == true, channels[number]?.outgoing.isEmpty == true {
            do throws(StreamError) {
                try streams.finish(id)
            } catch {}
        }
        return false
    }

    /// Forgets channels that have ended in both directions.
    private mutating func removeDone(_ streams: borrowing StreamTable) {
        guard hasOver else { return }
        hasOver = false
        for (number, channel) in channels where channel.isOver {
            // Who reads until there is no more must not find the channel gone.
            if !channel.isReadable, streams.unsentCount(of: StreamID(rawValue: number)) == nil {
                remove(StreamID(rawValue: number))
            } else {
                hasOver = true
            }
        }
    }
}
