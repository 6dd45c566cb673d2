import NetworkPrimitives

extension StreamTable {
    /// Takes a frame about streams from the other side.
    ///
    /// - Throws: `StreamViolation`, after which the connection is closed.
    package mutating func receive(_ frame: Frame) throws(StreamViolation) -> [StreamEvent] {
        switch frame.type {
        case .open: return try receiveOpen(frame)
        case .data: return try receiveData(frame)
        case .window: return try receiveWindow(frame)
        case .reset: return try receiveReset(frame)
        default: throw .frame(.invalidField(frame.type))
        }
    }

    private mutating func receiveOpen(_ frame: Frame) throws(StreamViolation) -> [StreamEvent] {
        let opening: StreamOpening
        do throws(FrameError) {
            opening = try StreamOpening(decoding: frame.payload)
        } catch { throw .frame(error) }
        guard frame.stream == nextOther else { throw .unexpectedStream(frame.stream) }
        guard otherCount < StreamLimits.streams else { throw .tooManyStreams }
        nextOther += 2
        otherCount += 1
        streams[frame.stream] = newState(opening.kind, weight: 1)
        return [.opened(StreamID(rawValue: frame.stream), opening)]
    }

    private mutating func receiveData(_ frame: Frame) throws(StreamViolation) -> [StreamEvent] {
        let number = frame.stream
        let count = frame.payload.count
        guard let state = try state(of: number) else { throw .dataAfterEnd(number) }
        guard !state.isReceiveEnded else { throw .dataAfterEnd(number) }
        guard window.receive(count) else { throw .connectionWindowExceeded }
        guard streams[number]?.window.receive(count) == true else {
            throw .streamWindowExceeded(number)
        }
        if state.isDiscarding {
            consume(count, number)
        } else {
            streams[number]?.incoming.append(frame.payload)
        }
        let isEnd = frame.flags.contains(.end)
        if isEnd {
            change(number) { $0.isReceiveEnded = true }
            removeIfDone(number)
        }
        let isNews = !state.isDiscarding && (count > 0 || isEnd)
        return isNews ? [.readable(StreamID(rawValue: number))] : []
    }

    private mutating func receiveWindow(_ frame: Frame) throws(StreamViolation) -> [StreamEvent] {
        let limit = try integer(of: frame)
        guard frame.stream != 0 else {
            sendLimit = max(sendLimit, limit)
            return []
        }
        // It may be on its way while this side ends the stream.
        guard let state = try state(of: frame.stream) else { return [] }
        streams[frame.stream]?.sendLimit = max(state.sendLimit, limit)
        turns[Int(state.kind.rawValue)].add(frame.stream)
        return []
    }

    private mutating func receiveReset(_ frame: Frame) throws(StreamViolation) -> [StreamEvent] {
        let code = try integer(of: frame)
        let number = frame.stream
        guard let state = try state(of: number) else { return [] }
        discardIncoming(number)
        change(number) { $0.isReceiveEnded = true }
        if !state.isSendEnded, !state.isResetDue { sendReset(number, code) }
        removeIfDone(number)
        return state.isDiscarding ? [] : [.reset(StreamID(rawValue: number), code: code)]
    }

    /// The stream of a frame; nil for one that is gone.
    private func state(of number: UInt64) throws(StreamViolation) -> StreamState? {
        if let state = streams[number] { return state }
        let isOwn = StreamID(rawValue: number).opener == role
        guard number > 0, number < (isOwn ? nextOwn : nextOther) else {
            throw .unknownStream(number)
        }
        return nil
    }

    private func integer(of frame: Frame) throws(StreamViolation) -> UInt64 {
        do throws(FrameError) {
            var reader = WireReader(frame.payload)
            let number = try reader.integer()
            try reader.finish()
            return number
        } catch { throw .frame(error) }
    }
}
