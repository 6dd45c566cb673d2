import LinuxNetworking
import NetworkPrimitives
import PeerProtocol

extension PeerSession {
    /// Bytes of a stream that are read at once.
    private static let pieceSize = 64 << 10
    /// The code that ends a stream which nobody holds any more.
    private static let droppedCode: UInt64 = 0

    func handle(_ event: StreamEvent, on transport: LinkTransport) {
        guard let state = connection(of: transport) else { return }
        switch event {
        case .opened(let id, let opening):
            guard opening.kind == .stream else {
                // Files are not received by this session.
                try? transport.link.reset(
                    id, code: MessageLimits.refusedCode, now: SystemClock.now)
                return mark(transport)
            }
            state.streams[id] = StreamState(name: opening.name)
            state.incomingStreams.append(id)
            waiters.wake(.streams(state.number))
        case .readable(let id):
            if state.streams[id]?.isAbandoned == true { discard(id, state) }
            waiters.wake(.bytes(state.number, id.rawValue))
        case .writable(let id): waiters.wake(.room(state.number, id.rawValue))
        case .reset(let id, let code):
            if state.deliveries.removeValue(forKey: id) != nil {
                state.outgoing = state.outgoing.filter { $0.value != id }
                state.channels.removeAll { $0 == id }
                waiters.wake(.message(state.number))
            }
            if state.streams[id]?.isAbandoned == true { state.streams[id] = nil }
            state.streams[id]?.resetCode = code
            wakeStream(state, id)
        }
    }

    func openStream(
        _ name: String, on number: UInt64
    ) throws(PeerSessionError) -> StreamLease {
        let state = try openConnection(number)
        let id: StreamID
        do throws(LinkCallError) {
            let opening: StreamOpening
            do throws(StreamError) {
                opening = try StreamOpening(.stream, name: name)
            } catch { throw .stream(error) }
            id = try state.transport.link.openStream(opening, now: SystemClock.now)
        } catch { throw PeerSessionError(error, state) }
        state.streams[id] = StreamState(name: name)
        mark(state.transport)
        settle()
        return StreamLease(handle(of: state).lease, id.rawValue)
    }

    /// The next stream that the peer opened; nil at the end of the connection, or if the task is
    /// cancelled.
    func nextStream(on number: UInt64) async -> PeerStream? {
        while let state = connections[number] {
            if !state.incomingStreams.isEmpty {
                let id = state.incomingStreams.removeFirst()
                let name = state.streams[id]?.name ?? ""
                return PeerStream(
                    name: name, lease: StreamLease(handle(of: state).lease, id.rawValue))
            }
            if state.end != nil { return nil }
            await wait(for: .streams(number))
            if Task.isCancelled { return nil }
        }
        return nil
    }

    func write(
        _ bytes: [UInt8], to raw: UInt64, on number: UInt64
    ) async throws(PeerSessionError) {
        let id = StreamID(rawValue: raw)
        var rest = bytes[...]
        while !rest.isEmpty {
            let state = try openConnection(number)
            try checkWritable(id, state)
            do throws(LinkCallError) {
                let piece = Array(rest.prefix(Self.pieceSize))
                let count = try state.transport.link.write(piece, to: id, now: SystemClock.now)
                if count > 0 {
                    rest = rest.dropFirst(count)
                    mark(state.transport)
                    settle()
                    continue
                }
            } catch { throw PeerSessionError(error, state) }
            await wait(for: .room(number, raw))
            if Task.isCancelled { throw .cancelled("Writing") }
        }
    }

    private func checkWritable(
        _ id: StreamID, _ state: ConnectionState
    ) throws(PeerSessionError) {
        guard let stream = state.streams[id] else { throw .streamReset(0) }
        if let code = stream.resetCode { throw .streamReset(code) }
        if stream.isFinished {
            throw PeerSessionError(.streamFinished, "The stream was finished by this side.")
        }
    }

    func finishStream(_ raw: UInt64, on number: UInt64) throws(PeerSessionError) {
        let id = StreamID(rawValue: raw)
        let state = try openConnection(number)
        try checkWritable(id, state)
        state.streams[id]?.isFinished = true
        do throws(LinkCallError) {
            try state.transport.link.finish(id, now: SystemClock.now)
        } catch { throw PeerSessionError(error, state) }
        mark(state.transport)
        settle()
    }

    /// The next bytes of a stream; nil at its end, or if the task is cancelled.
    func read(_ raw: UInt64, on number: UInt64) async throws(PeerSessionError) -> [UInt8]? {
        let id = StreamID(rawValue: raw)
        while let state = connections[number] {
            guard let stream = state.streams[id] else { throw .streamReset(0) }
            if let code = stream.resetCode { throw .streamReset(code) }
            if stream.isEndRead { return nil }
            do throws(LinkCallError) {
                let (bytes, isEnd) = try state.transport.link.read(id, upTo: Self.pieceSize)
                if isEnd { state.streams[id]?.isEndRead = true }
                if isEnd || !bytes.isEmpty {
                    mark(state.transport)
                    settle()
                    return bytes.isEmpty ? nil : bytes
                }
            } catch { throw PeerSessionError(error, state) }
            if let end = state.end { throw .disconnected(end) }
            await wait(for: .bytes(number, raw))
            if Task.isCancelled { return nil }
        }
        throw .disconnected(nil)
    }

    func resetStream(_ raw: UInt64, code: UInt64, on number: UInt64) {
        let id = StreamID(rawValue: raw)
        guard let state = connections[number], let stream = state.streams[id] else { return }
        if stream.resetCode == nil { state.streams[id]?.resetCode = code }
        wakeStream(state, id)
        // One that is over already needs no reset.
        try? state.transport.link.reset(id, code: code, now: SystemClock.now)
        mark(state.transport)
        settle()
    }

    /// Nobody holds a stream any more: it is ended, unless both sides have.
    func streamLeaseEnded(_ raw: UInt64, on number: UInt64) {
        let id = StreamID(rawValue: raw)
        guard let state = connections[number], let stream = state.streams[id] else { return }
        if stream.resetCode != nil || stream.isFinished && stream.isEndRead {
            state.streams[id] = nil
        } else if stream.isFinished {
            // What was written before is still to arrive.
            state.streams[id]?.isAbandoned = true
            discard(id, state)
            settle()
        } else {
            resetStream(raw, code: Self.droppedCode, on: number)
            state.streams[id] = nil
        }
    }

    private func discard(_ id: StreamID, _ state: ConnectionState) {
        mark(state.transport)
        do throws(LinkCallError) {
            guard try state.transport.link.read(id).isEnd else { return }
        } catch {
            // It is gone.
        }
        state.streams[id] = nil
    }
}

extension PeerSessionError {
    static func streamReset(_ code: UInt64) -> PeerSessionError {
        PeerSessionError(
            .streamReset, "The stream was ended in both directions, with the code \(code).",
            resetCode: code)
    }
}
