import NetworkPrimitives

/// The streams of a connection.
///
/// Each side says up to which offset the other may send, on each stream and in all, and gives more
/// room as its application reads: so what waits in memory is bounded, and a reader that is slow
/// stops its own stream. Frames about streams need no room, so none can block another.
///
/// `open`, `write`, `finish`, `reset` and `read` are the application's; `receive` takes frames and
/// `nextFrame` gives those that are due, the most urgent first.
package struct StreamTable: Sendable {
    let role: ConnectionRole
    let limits: StreamLimits
    var streams: [UInt64: StreamState] = [:]
    /// How many are open on the wire, by the side that opened them.
    var ownCount = 0
    var otherCount = 0
    var nextOwn: UInt64
    var nextOther: UInt64

    /// How much of the room of all streams is used.
    var sent: UInt64 = 0
    var sendLimit = StreamLimits.initialWindow
    var window: ReceiveWindow

    /// Frames that need no room, in order; windows are made when they are sent.
    var control = Queue<Frame>()
    var windowsDue = Queue<UInt64>()
    var isWindowDue = false
    /// Streams that may have something to send, by class.
    var turns = [SendingTurns](repeating: SendingTurns(), count: StreamClass.allCases.count)

    /// What `takeEvents` gives.
    var writable: [StreamEvent] = []

    /// How long a round trip takes, as far as is known: decides how windows grow.
    package var roundTrip: Duration = .milliseconds(100)

    /// On a new connection.
    package init(role: ConnectionRole, limits: StreamLimits = StreamLimits()) {
        self.role = role
        self.limits = limits
        nextOwn = StreamID.first(of: role)
        nextOther = StreamID.first(of: role.other)
        window = ReceiveWindow(size: StreamLimits.initialWindow, maximumSize: limits.window)
    }

    /// How many streams there are, those included that the application has not read to their end.
    package var count: Int { streams.count }

    /// Bytes that wait for the application.
    package var bufferedCount: Int { Int(clamping: window.received - window.consumed) }

    /// Bytes that wait to be sent.
    package var unsentCount: Int { streams.values.reduce(0) { $0 + $1.outgoing.count } }

    /// Bytes of a stream that wait to be sent; nil if there is no such stream, or it was reset.
    func unsentCount(of id: StreamID) -> Int? {
        guard let state = streams[id.rawValue], !state.isDiscarding else { return nil }
        return state.outgoing.count
    }

    // MARK: The application

    /// Opens a stream.
    ///
    /// - Parameter weight: How many frames it sends in its turn, among those of its class.
    package mutating func open(
        _ opening: StreamOpening, weight: Int = 1
    ) throws(StreamError) -> StreamID {
        guard ownCount < StreamLimits.streams else { throw .tooMany }
        let number = nextOwn
        nextOwn += 2
        ownCount += 1
        streams[number] = newState(opening.kind, weight: weight)
        control.append(
            Frame(.open, flags: .critical, stream: number, payload: opening.payload))
        return StreamID(rawValue: number)
    }

    /// Puts bytes behind those that wait to be sent.
    ///
    /// - Returns: How many there was room for. If not all, `writable` follows.
    package mutating func write(_ bytes: [UInt8], to id: StreamID) throws(StreamError) -> Int {
        guard let state = streams[id.rawValue], !state.isDiscarding else { throw .closed }
        guard !state.isFinished else { throw .finished }
        let count = min(bytes.count, limits.outgoing - state.outgoing.count)
        if count > 0 {
            let taken = count == bytes.count ? bytes : Array(bytes.prefix(count))
            streams[id.rawValue]?.outgoing.append(taken)
            turns[Int(state.kind.rawValue)].add(id.rawValue)
        }
        if count < bytes.count { streams[id.rawValue]?.isWaitingForRoom = true }
        return count
    }

    /// Sends no more on a stream after what waits; it can still be read.
    package mutating func finish(_ id: StreamID) throws(StreamError) {
        guard let state = streams[id.rawValue], !state.isDiscarding else { throw .closed }
        guard !state.isFinished else { throw .finished }
        streams[id.rawValue]?.isFinished = true
        turns[Int(state.kind.rawValue)].add(id.rawValue)
    }

    /// Ends a stream in both directions, without what waits.
    package mutating func reset(_ id: StreamID, code: UInt64) throws(StreamError) {
        guard let state = streams[id.rawValue], !state.isDiscarding else { throw .closed }
        discardIncoming(id.rawValue)
        if !state.isClosedOnWire { sendReset(id.rawValue, code) }
        removeIfDone(id.rawValue)
    }

    /// Reads what came on a stream, `limit` bytes at most, and whether that was the end.
    package mutating func read(
        _ id: StreamID, upTo limit: Int = .max
    ) throws(StreamError) -> (bytes: [UInt8], isEnd: Bool) {
        guard let state = streams[id.rawValue], !state.isDiscarding else { throw .closed }
        let bytes = streams[id.rawValue]?.incoming.take(upTo: limit) ?? []
        consume(bytes.count, id.rawValue)
        let isEnd = state.isReceiveEnded && bytes.count == state.incoming.count
        if isEnd {
            streams[id.rawValue]?.isEndRead = true
            removeIfDone(id.rawValue)
        }
        return (bytes, isEnd)
    }

    // MARK: Parts

    func newState(_ kind: StreamClass, weight: Int) -> StreamState {
        StreamState(
            kind: kind, weight: max(weight, 1), sendLimit: StreamLimits.initialStreamWindow,
            window: ReceiveWindow(
                size: StreamLimits.initialStreamWindow, maximumSize: limits.streamWindow))
    }

    /// Bytes no longer wait: room may be given for others.
    mutating func consume(_ count: Int, _ number: UInt64) {
        guard count > 0 else { return }
        window.consume(count)
        isWindowDue = isWindowDue || window.isDue
        streams[number]?.window.consume(count)
        guard let state = streams[number], state.window.isDue, !state.isWindowDue,
            !state.isReceiveEnded, !state.isDiscarding
        else { return }
        streams[number]?.isWindowDue = true
        windowsDue.append(number)
    }

    mutating func discardIncoming(_ number: UInt64) {
        streams[number]?.isDiscarding = true
        let count = streams[number]?.incoming.count ?? 0
        streams[number]?.incoming.removeAll()
        consume(count, number)
    }

    /// Has a reset sent instead of what waits.
    mutating func sendReset(_ number: UInt64, _ code: UInt64) {
        var payload: [UInt8] = []
        VariableInteger.append(code, to: &payload)
        control.append(Frame(.reset, flags: .critical, stream: number, payload: payload))
        streams[number]?.outgoing.removeAll()
        streams[number]?.isFinished = true
        streams[number]?.isResetDue = true
    }

    /// Changes a stream, and counts it no more when it was closed by that.
    mutating func change(_ number: UInt64, _ body: (inout StreamState) -> Void) {
        guard let wasClosed = streams[number]?.isClosedOnWire else { return }
        if var state = streams[number] {
            streams[number] = nil
            body(&state)
            streams[number] = state
        }
        guard !wasClosed, streams[number]?.isClosedOnWire == true else { return }
        if StreamID(rawValue: number).opener == role { ownCount -= 1 } else { otherCount -= 1 }
    }

    mutating func removeIfDone(_ number: UInt64) {
        if streams[number]?.isDone == true { streams[number] = nil }
    }
}
