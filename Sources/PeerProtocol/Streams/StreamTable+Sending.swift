package import NetworkPrimitives

extension StreamTable {
    /// The next frame to send: what needs no room first, then messages, streams and resources.
    /// Nil when there is nothing, or no room.
    ///
    /// - Parameter size: Bytes that the frame may take, `largestControlFrame` at least.
    package mutating func nextFrame(now: Instant, size: Int = .max) -> Frame? {
        if let frame = control.popFirst() {
            if frame.type == .reset { noteResetSent(frame.stream) }
            return frame
        }
        if isWindowDue {
            isWindowDue = false
            if let limit = window.grant(now: now, roundTrip: roundTrip) {
                return windowFrame(0, limit)
            }
        }
        while let number = windowsDue.popFirst() {
            streams[number]?.isWindowDue = false
            guard let state = streams[number], !state.isReceiveEnded, !state.isDiscarding,
                let limit = streams[number]?.window.grant(now: now, roundTrip: roundTrip)
            else { continue }
            return windowFrame(number, limit)
        }
        for kind in StreamClass.allCases {
            if let frame = nextData(of: kind, size: size) { return frame }
        }
        return nil
    }

    /// The streams that have room again for bytes to send, after there was none.
    package mutating func takeEvents() -> [StreamEvent] {
        defer { writable = [] }
        return writable
    }

    private mutating func noteResetSent(_ number: UInt64) {
        change(number) {
            $0.isResetDue = false
            $0.isSendEnded = true
        }
        removeIfDone(number)
    }

    private func windowFrame(_ number: UInt64, _ limit: UInt64) -> Frame {
        var payload: [UInt8] = []
        VariableInteger.append(limit, to: &payload)
        return Frame(.window, flags: .critical, stream: number, payload: payload)
    }

    /// The most bytes of a frame that can't be cut: that of an opening.
    package static let largestControlFrame =
        Frame.largestHeader + 2 + StreamOpening.maximumName

    private mutating func nextData(of kind: StreamClass, size: Int) -> Frame? {
        let index = Int(kind.rawValue)
        let left = sendLimit - sent
        let room = Int(clamping: left - min(left, limits.kept(from: kind)))
        let most = min(limits.frame, size - Frame.largestHeader)
        for _ in 0..<turns[index].count {
            guard let number = turns[index].current else { return nil }
            guard let state = streams[number] else {
                turns[index].removeCurrent()
                continue
            }
            let count = min(state.sendable, room, most)
            if count > 0 || state.owesEnd {
                turns[index].countFrame(weight: state.weight)
                return dataFrame(number, count)
            }
            if state.sendable > 0 {
                turns[index].skipCurrent()
            } else {
                turns[index].removeCurrent()
            }
        }
        return nil
    }

    private mutating func dataFrame(_ number: UInt64, _ count: Int) -> Frame {
        let bytes = streams[number]?.outgoing.take(upTo: count) ?? []
        sent += UInt64(bytes.count)
        streams[number]?.sent += UInt64(bytes.count)
        noteRoom(number)
        let isEnd = streams[number]?.owesEnd == true
        if isEnd {
            change(number) { $0.isSendEnded = true }
            removeIfDone(number)
        }
        let flags: Frame.Flags = isEnd ? [.critical, .end] : .critical
        return Frame(.data, flags: flags, stream: number, payload: bytes)
    }

    private mutating func noteRoom(_ number: UInt64) {
        guard let state = streams[number], state.isWaitingForRoom,
            state.outgoing.count <= limits.outgoing / 2
        else { return }
        streams[number]?.isWaitingForRoom = false
        writable.append(.writable(StreamID(rawValue: number)))
    }
}
