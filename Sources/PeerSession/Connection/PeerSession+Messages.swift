import LinuxNetworking
import NetworkPrimitives
import PeerProtocol

extension PeerSession {
    /// Types that are told as unread on one connection at the most.
    private static let maximumUnreadTypes = 64

    // MARK: Sending

    func send(
        _ message: PeerMessage, _ delivery: MessageDelivery, on number: UInt64
    ) async throws(PeerSessionError) {
        while true {
            let state = try openConnection(number)
            var id = StreamID(rawValue: 0)
            do throws(LinkCallError) {
                id = try channel(ChannelKey(delivery: delivery, type: message.type), of: state)
                try state.transport.link.send(message, on: id, now: SystemClock.now)
                mark(state.transport)
                return settle()
            } catch {
                guard case .message(.noRoom) = error else {
                    throw PeerSessionError(error, state)
                }
            }
            // Nothing is settled in between: room that this made would wake nobody.
            await wait(for: .room(number, id.rawValue))
            if Task.isCancelled { throw .cancelled("Sending") }
        }
    }

    func sendDatagram(
        _ bytes: [UInt8], type: String, on number: UInt64
    ) throws(PeerSessionError) {
        let state = try openConnection(number)
        do throws(LinkCallError) {
            try state.transport.link.sendDatagram(
                type: type, bytes, now: SystemClock.now)
        } catch { throw PeerSessionError(error, state) }
        mark(state.transport)
        settle()
    }

    private func channel(
        _ key: ChannelKey, of state: ConnectionState
    ) throws(LinkCallError) -> StreamID {
        if let id = state.outgoing[key] { return id }
        let opening: StreamOpening
        do throws(StreamError) {
            opening = try StreamOpening(.message, delivery: key.delivery, name: key.type)
        } catch { throw .stream(error) }
        let id = try state.transport.link.openStream(opening, now: SystemClock.now)
        state.outgoing[key] = id
        // The peer may answer on the same channel.
        state.deliveries[id] = key.delivery
        mark(state.transport)
        settle()
        return id
    }

    // MARK: Receiving

    func channelOpened(
        _ id: StreamID, _ opening: StreamOpening, on transport: LinkTransport
    ) {
        connection(of: transport)?.deliveries[id] = opening.delivery
    }

    func handle(_ event: MessageTable.Event, on transport: LinkTransport) {
        guard let state = connection(of: transport) else { return }
        switch event {
        case .readable(let id):
            if !state.channels.contains(id) { state.channels.append(id) }
            waiters.wake(.message(state.number))
        case .writable(let id): waiters.wake(.room(state.number, id.rawValue))
        case .finished(let id):
            // Only then is the stream's place free again.
            try? transport.link.finish(id, now: SystemClock.now)
            state.deliveries[id] = nil
            state.outgoing = state.outgoing.filter { $0.value != id }
            mark(transport)
        }
    }

    /// The next message of a type, or of any; nil at the end of a connection that one of both has
    /// left, or if the task is cancelled.
    func nextMessage(
        of type: String?, on number: UInt64
    ) async throws(PeerSessionError) -> PeerConnection.Message? {
        let reader = nextNumber()
        defer { connections[number]?.readers[reader] = nil }
        while let state = connections[number] {
            state.readers.updateValue(type, forKey: reader)
            if let message = takeMessage(of: type, state) ?? takeDatagram(of: type, state) {
                settle()
                return message
            }
            if let end = state.end {
                guard end.isOrderly else { throw .disconnected(end) }
                return nil
            }
            reportUnread(state)
            // What looking has freed leaves first; what that brings is looked at, not waited for.
            guard dirty.isEmpty else {
                settle()
                continue
            }
            await wait(for: .message(number))
            if Task.isCancelled { return nil }
        }
        throw .disconnected(nil)
    }

    /// The next message, of those that are whole; channels take turns.
    private func takeMessage(
        of type: String?, _ state: ConnectionState
    ) -> PeerConnection.Message? {
        // Of a link that is over no event says that there is more.
        let channels =
            state.end == nil
            ? state.channels : state.deliveries.keys.sorted { $0.rawValue < $1.rawValue }
        for id in channels {
            guard let head = head(of: id, state) else {
                state.channels.removeAll { $0 == id }
                continue
            }
            guard type == nil || head.message.type == type else { continue }
            state.heads[id] = nil
            state.channels.removeAll { $0 == id }
            state.channels.append(id)
            return PeerConnection.Message(
                type: head.message.type, bytes: head.message.bytes, number: head.number,
                delivery: state.deliveries[id])
        }
        return nil
    }

    private func head(of id: StreamID, _ state: ConnectionState) -> ReceivedMessage? {
        if let head = state.heads[id] { return head }
        // A channel that is gone has no more messages.
        let next = try? state.transport.link.nextMessage(on: id)
        mark(state.transport)
        state.heads[id] = next ?? nil
        return next ?? nil
    }

    /// The next datagram; those of a type that nobody reads are dropped.
    private func takeDatagram(
        of type: String?, _ state: ConnectionState
    ) -> PeerConnection.Message? {
        while let datagram = state.datagram ?? state.transport.link.nextDatagram() {
            state.datagram = datagram
            if type == nil || datagram.type == type {
                state.datagram = nil
                return PeerConnection.Message(
                    type: datagram.type, bytes: datagram.bytes, number: datagram.number,
                    delivery: nil)
            }
            if isRead(datagram.type, state) { return nil }
            state.datagram = nil
            reportUnread(datagram.type, state)
        }
        return nil
    }

    private func isRead(_ type: String, _ state: ConnectionState) -> Bool {
        state.readers.values.contains { $0 == nil || $0 == type }
    }

    private func reportUnread(_ state: ConnectionState) {
        for head in state.heads.values where !isRead(head.message.type, state) {
            reportUnread(head.message.type, state)
        }
    }

    private func reportUnread(_ type: String, _ state: ConnectionState) {
        guard state.unreadTypes.count < Self.maximumUnreadTypes,
            state.unreadTypes.insert(type).inserted
        else { return }
        report(.unreadMessage(state.description, type: type))
    }

    func reportUndecodable(
        _ message: PeerConnection.Message, of peer: PeerDescription, _ text: String
    ) {
        report(.undecodableMessage(peer, type: message.type, text))
    }

    func reportFailure(of peer: PeerDescription, _ text: String) {
        report(.serviceFailed(peer, text))
    }
}

extension PeerSessionError {
    /// Why a call to a connection's link can't be followed.
    init(_ error: LinkCallError, _ state: ConnectionState) {
        switch error {
        case .message(.tooLong):
            self.init(.messageTooLong, Self.text(of: error))
        case .message(.typeTooLong), .message(.keyTooLarge), .stream(.nameTooLong):
            self = .invalid(Self.text(of: error))
        case .stream(.tooMany): self.init(.full, Self.text(of: error))
        case .stream(.finished): self.init(.streamFinished, Self.text(of: error))
        default: self = .disconnected(state.end)
        }
    }

    private static func text(of error: LinkCallError) -> String {
        switch error {
        case .message(let error): error.description
        case .stream(.nameTooLong(let bytes)):
            "A stream's name has \(bytes) bytes of UTF-8; \(StreamOpening.maximumName) are allowed."
        case .stream(.tooMany):
            "As many streams and types of messages are open as may be, \(StreamLimits.streams)."
        case .stream(.finished): "The stream was finished by this side."
        default: "The peer is not connected any more."
        }
    }
}
