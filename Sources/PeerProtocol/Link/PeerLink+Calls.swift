package import NetworkPrimitives

extension PeerLink {
    /// Asks for a sign of life at once, as to find out whether a run is alive; `answered` follows.
    package mutating func ping(now: Instant) throws(LinkCallError) {
        try enter(now)
        reportsAnswer = true
        control.append(liveness.ping(now: self.now))
    }

    // MARK: Trust

    /// The peer is accepted, which is told to it: now it can be invited, and its invitations are
    /// shown. May be called again when the standing has changed.
    package mutating func trust(_ standing: TrustStanding, now: Instant) throws(LinkCallError) {
        try enter(now)
        control.append(standing.frame)
        guard !isTrusted else { return }
        isTrusted = true
        idleSince = self.now
        let held = heldInvitations
        heldInvitations = []
        for message in held { follow(message) }
    }

    /// This side's person wants to compare a short string.
    package mutating func compare(now: Instant) throws(LinkCallError) {
        try enter(now)
        guard comparison != nil else { throw .noNonce }
        report(comparison?.begin() ?? [])
    }

    /// This side's person says whether the other one sees the same digits.
    package mutating func answerComparison(_ isSame: Bool, now: Instant) throws(LinkCallError) {
        try enter(now)
        guard comparison != nil else { throw .noNonce }
        report(comparison?.answer(isSame) ?? [])
    }

    // MARK: Invitations

    /// Invites the peer.
    ///
    /// - Parameter number: From 1, higher than that of every invitation of this run before.
    package mutating func invite(
        _ invitation: Invitation, number: UInt64, now: Instant
    ) throws(LinkCallError) {
        try enterInvitations(now)
        do throws(InvitationError) {
            apply(try invitations.invite(invitation, number: number, now: self.now))
        } catch { throw .invitation(error) }
    }

    /// Accepts an invitation. Nothing happens if it no longer holds.
    package mutating func accept(number: UInt64, now: Instant) throws(LinkCallError) {
        try enterInvitations(now)
        apply(invitations.accept(number: number))
    }

    /// Declines an invitation. Nothing happens if it no longer holds, or the two are connected.
    package mutating func decline(
        number: UInt64, _ reason: InvitationRefusal = .declined, now: Instant
    ) throws(LinkCallError) {
        try enterInvitations(now)
        apply(invitations.decline(number: number, reason))
    }

    /// Takes this side's invitation back.
    package mutating func withdraw(now: Instant) throws(LinkCallError) {
        try enterInvitations(now)
        apply(invitations.withdraw())
    }

    /// Sends what the `LinkSelection` says that decides on invitations.
    package mutating func send(_ message: InvitationMessage, now: Instant) throws(LinkCallError) {
        try enterTrusted(now)
        guard carried != nil else { throw .otherInvitations }
        idleSince = self.now
        carried?.send(message)
        enqueue(message)
    }

    // MARK: Streams

    /// Opens a stream of the application or of a resource.
    ///
    /// - Parameter weight: How many frames it sends in its turn, among those of its class.
    package mutating func openStream(
        _ opening: StreamOpening, weight: Int = 1, now: Instant
    ) throws(LinkCallError) -> StreamID {
        try enterConnected(now)
        do throws(StreamError) {
            guard opening.kind == .message else { return try streams.open(opening, weight: weight) }
            return try messages.open(opening, weight: weight, &streams)
        } catch { throw .stream(error) }
    }

    /// Puts bytes behind those that wait to be sent.
    ///
    /// - Returns: How many there was room for. If not all, `writable` follows.
    package mutating func write(
        _ bytes: [UInt8], to id: StreamID, now: Instant
    ) throws(LinkCallError) -> Int {
        try enterConnected(now)
        do throws(StreamError) {
            guard !messages.contains(id) else { throw .closed }
            return try streams.write(bytes, to: id)
        } catch { throw .stream(error) }
    }

    /// Reads what came on a stream, and whether that was the end. Possible after the link's end.
    package mutating func read(
        _ id: StreamID, upTo limit: Int = .max
    ) throws(LinkCallError) -> (bytes: [UInt8], isEnd: Bool) {
        do throws(StreamError) {
            guard !messages.contains(id) else { throw .closed }
            readable.remove(id.rawValue)
            return try streams.read(id, upTo: limit)
        } catch { throw .stream(error) }
    }

    /// Sends no more on a stream or a channel after what waits; it can still be read.
    package mutating func finish(_ id: StreamID, now: Instant) throws(LinkCallError) {
        try enterConnected(now)
        if messages.contains(id) {
            do throws(MessageError) {
                return try messages.finish(id)
            } catch { throw .message(error) }
        }
        do throws(StreamError) {
            try streams.finish(id)
        } catch { throw .stream(error) }
    }

    /// Ends a stream or a channel in both directions, without what waits.
    package mutating func reset(
        _ id: StreamID, code: UInt64, now: Instant
    ) throws(LinkCallError) {
        try enterConnected(now)
        messages.remove(id)
        readable.remove(id.rawValue)
        do throws(StreamError) {
            try streams.reset(id, code: code)
        } catch { throw .stream(error) }
    }

    // MARK: Messages

    /// Sends a message on a channel, which `openStream` made or the other side opened.
    ///
    /// - Throws: `message(noRoom)` if too much waits; `writable` follows.
    package mutating func send(
        _ message: PeerMessage, on id: StreamID, now: Instant
    ) throws(LinkCallError) {
        try enterConnected(now)
        do throws(MessageError) {
            try messages.send(message, on: id, streams)
        } catch { throw .message(error) }
    }

    /// The next message of a channel; nil if none is whole, after which `readable` is told again.
    /// Possible after the link's end.
    package mutating func nextMessage(on id: StreamID) throws(LinkCallError) -> ReceivedMessage? {
        let message = try popMessage(on: id)
        do throws(LinkEnd) {
            try readMessages()
        } catch { fail(error) }
        // After the end no event says that there are more.
        return message == nil && end != nil ? try popMessage(on: id) : message
    }

    private mutating func popMessage(on id: StreamID) throws(LinkCallError) -> ReceivedMessage? {
        do throws(MessageError) {
            return try messages.next(on: id)
        } catch { throw .message(error) }
    }

    /// Sends a message that may get lost. When too many wait the oldest is dropped.
    package mutating func sendDatagram(
        type: String = "", _ bytes: [UInt8], now: Instant
    ) throws(LinkCallError) {
        try enterConnected(now)
        do throws(MessageError) {
            outgoingDatagrams.append(
                try DatagramMessage(number: datagramNumber, type: type, bytes))
        } catch { throw .message(error) }
        datagramNumber += 1
    }

    /// The next datagram that came.
    package mutating func nextDatagram() -> DatagramMessage? { incomingDatagrams.popFirst() }

    // MARK: Closing

    /// Closes the link after everything that waits has left, with the reason for the other side.
    /// `ended` follows when the other side has answered, or after a time.
    package mutating func close(_ reason: CloseReason, text: String = "", now: Instant) {
        pass(to: now)
        guard end == nil, closing == nil else { return }
        let goAway = GoAway(reason, text: text)
        guard peer != nil else { return finish(closed(goAway, byPeer: false, unsent: 0)) }
        closing = Closing(
            goAway: goAway, deadline: self.now.advanced(by: configuration.timing.closing))
    }

    // MARK: Conditions

    private mutating func enter(_ now: Instant) throws(LinkCallError) {
        pass(to: now)
        guard end == nil, closing == nil else { throw .closed }
        guard peer != nil else { throw .notEstablished }
    }

    private mutating func enterTrusted(_ now: Instant) throws(LinkCallError) {
        try enter(now)
        guard isTrusted else { throw .notTrusted }
    }

    private mutating func enterInvitations(_ now: Instant) throws(LinkCallError) {
        try enterTrusted(now)
        guard carried == nil else { throw .otherInvitations }
    }

    private mutating func enterConnected(_ now: Instant) throws(LinkCallError) {
        try enterTrusted(now)
        guard isConnected else { throw .notConnected }
    }
}
