package import NetworkPrimitives
import Noise

extension PeerLink {
    /// Takes bytes of the connection, in pieces of any size.
    package mutating func receive(_ bytes: [UInt8], now: Instant) {
        pass(to: now)
        guard end == nil else {
            storedCounters.ignoredBytes += UInt64(bytes.count)
            return
        }
        storedCounters.receivedBytes += UInt64(bytes.count)
        do throws(LinkEnd) {
            let rest = try receiveHandshake(bytes)
            if !rest.isEmpty { try receiveRecords(rest) }
        } catch { fail(error) }
    }

    /// Answers the other side's handshake, after the event `answerWanted`.
    package mutating func answer(now: Instant) throws(LinkCallError) {
        pass(to: now)
        guard end == nil else { throw .closed }
        do throws(PeerHandshakeError) {
            try handshake?.answer()
        } catch { return fail(.handshake(error)) }
        clear += handshake?.takeOutput() ?? []
    }

    // MARK: Handshake

    /// The bytes that come behind the handshake.
    private mutating func receiveHandshake(_ bytes: [UInt8]) throws(LinkEnd) -> [UInt8] {
        var rest = bytes[...]
        while let wanted = handshakeWantedCount, !rest.isEmpty {
            guard wanted > 0 else { throw .handshake(.outOfTurn) }
            let piece = Array(rest.prefix(wanted))
            rest = rest.dropFirst(wanted)
            do throws(PeerHandshakeError) {
                let step = try handshake?.receive(piece, now: now) ?? .more
                clear += handshake?.takeOutput() ?? []
                try follow(step)
            } catch {
                clear += handshake?.takeOutput() ?? []
                throw error == .timedOut ? .timedOut(.handshake) : .handshake(error)
            }
            if let end { throw end }
        }
        return Array(rest)
    }

    private mutating func follow(_ step: PeerHandshake.Step) throws(PeerHandshakeError) {
        switch step {
        case .more: break
        case .answer: events.append(.answerWanted)
        case .identified(let found):
            guard isExpected(found) else { return }
            try handshake?.proceed()
            clear += handshake?.takeOutput() ?? []
            try finishHandshake()
        case .complete(let found):
            guard isExpected(found) else { return }
            try finishHandshake()
        }
    }

    private mutating func isExpected(_ found: PeerDescription) -> Bool {
        guard configuration.expected.matches(found.identity) else {
            finish(.wrongPeer(expected: configuration.expected, found: found))
            return false
        }
        return true
    }

    private mutating func finishHandshake() throws(PeerHandshakeError) {
        guard let handshake = handshake.take() else { return }
        establish(try handshake.finish())
    }

    /// Goes on with what a handshake leaves.
    mutating func establish(_ connection: consuming EstablishedConnection) {
        handshake = nil
        let peer = Peer(
            description: connection.peer, capabilities: connection.capabilities,
            session: connection.session, negotiation: connection.negotiation,
            channelBinding: connection.channelBinding, provesSecret: connection.provesSecret)
        self.peer = peer
        reportsSecret = peer.negotiation.usesSecret && !peer.provesSecret
        cipher = connection.records(now: now)
        comparison = ShortStringComparison(
            role: configuration.role, handshakeHash: peer.channelBinding,
            nonce: configuration.comparisonNonce)
        liveness = Liveness(timing: configuration.timing.liveness, now: now)
        idleSince = now
        // It measures the round trip, and proves the secret to the initiator.
        control.append(liveness.ping(now: now))
        events.append(.established(peer))
    }

    // MARK: Records

    private mutating func receiveRecords(_ bytes: [UInt8]) throws(LinkEnd) {
        liveness.received(now: now)
        reader.append(bytes)
        while end == nil, let record = try nextRecord() {
            storedCounters.receivedRecords += 1
            if reportsSecret {
                reportsSecret = false
                events.append(.secretProved)
            }
            for frame in record where end == nil {
                do throws(LinkViolation) {
                    try process(frame)
                } catch { throw .violation(error) }
            }
            try readMessages()
        }
    }

    private mutating func nextRecord() throws(LinkEnd) -> [Frame]? {
        let record: [UInt8]?
        do throws(RecordError) {
            record = try reader.next()
        } catch { throw .violation(.record(error)) }
        guard let record else { return nil }
        do throws(RecordOpeningError) {
            return try cipher?.open(record)
        } catch { throw .violation(.content(error)) }
    }

    mutating func readMessages() throws(LinkEnd) {
        do throws(MessageViolation) {
            let received = try messages.readStreams(&streams)
            guard end == nil else { return }
            for event in received { events.append(.messages(event)) }
        } catch { throw .violation(.message(error)) }
    }

    mutating func fail(_ reason: LinkEnd) {
        if case .violation = reason { return finish(reason, telling: GoAway(.violation)) }
        finish(reason)
    }

    // MARK: Frames

    private mutating func process(_ frame: Frame) throws(LinkViolation) {
        switch frame.type {
        case .open, .data, .window, .reset: try processStream(frame)
        case .datagram: try processDatagram(frame)
        default:
            do throws(FrameError) {
                try processConnection(frame)
            } catch { throw .frame(error) }
            if heldInvitations.count > Self.maximumHeld { throw .tooManyInvitations }
        }
    }

    private mutating func processConnection(_ frame: Frame) throws(FrameError) {
        switch frame.type {
        case .ping: try liveness.receivePing(frame.payload)
        case .pong:
            guard try liveness.receivePong(frame.payload, now: now) else { return }
            if let time = liveness.roundTrip { streams.roundTrip = time }
            if reportsAnswer { events.append(.answered) }
            reportsAnswer = false
        case .goAway: process(try GoAway(decoding: frame.payload))
        case .trust:
            theirStanding = try TrustStanding(decoding: frame.payload)
            if let theirStanding, !isTrustedEventDue {
                isTrustedEventDue = true
                events.append(.trusted(theirStanding))
            }
        case .shortString:
            guard let message = ShortStringMessage(frame.payload) else {
                throw .invalidField(.shortString)
            }
            report(comparison?.receive(message) ?? [])
        case .invitation:
            if let message = try invitationFrames.receive(frame) { process(message) }
        default: throw .invalidField(frame.type)
        }
    }

    private mutating func processStream(_ frame: Frame) throws(LinkViolation) {
        guard isConnected else { throw .beforeConnected(frame.type) }
        do throws(StreamViolation) {
            for event in try streams.receive(frame) { process(event) }
        } catch { throw .stream(error) }
    }

    private mutating func process(_ event: StreamEvent) {
        switch event {
        case .opened(let id, let opening) where opening.kind == .message:
            guard messages.opened(id, opening, &streams) else { return }
            events.append(.channelOpened(id, opening))
        case .readable(let id):
            if messages.contains(id) { return messages.noteReadable(id) }
            guard readable.insert(id.rawValue).inserted else { return }
            events.append(.stream(event))
        case .reset(let id, _):
            messages.remove(id)
            readable.remove(id.rawValue)
            events.append(.stream(event))
        default: events.append(.stream(event))
        }
    }

    private mutating func processDatagram(_ frame: Frame) throws(LinkViolation) {
        guard isConnected else { throw .beforeConnected(frame.type) }
        do throws(FrameError) {
            incomingDatagrams.append(try DatagramMessage(decoding: frame.payload))
        } catch { throw .message(.datagram(error)) }
        guard !isDatagramsEventDue else { return }
        isDatagramsEventDue = true
        events.append(.datagrams)
    }

    private mutating func process(_ goAway: GoAway) {
        guard let closing else {
            return finish(
                closed(goAway, byPeer: true, unsent: unsentCount),
                telling: GoAway(goAway.reason))
        }
        if let unsent = closing.unsent {
            return finish(closed(closing.goAway, byPeer: false, unsent: unsent))
        }
        self.closing?.isAnswered = true
    }

    // MARK: Invitations and comparing

    private static var maximumHeld: Int { 4 }

    private mutating func process(_ message: InvitationMessage) {
        if isTrusted { follow(message) } else { heldInvitations.append(message) }
    }

    /// Follows a message of a peer that is trusted.
    mutating func follow(_ message: InvitationMessage) {
        guard carried != nil else { return apply(invitations.receive(message, now: now)) }
        idleSince = now
        carried?.receive(message)
        events.append(.invitation(message))
    }

    mutating func apply(_ effects: [InvitationExchange.Effect]) {
        for effect in effects {
            idleSince = now
            switch effect {
            case .send(let message): enqueue(message)
            case .invited(let number, let invitation):
                events.append(.invited(number: number, invitation))
            case .withdrawn(let number, let reason): withdraw(number, reason)
            case .connected: events.append(.connected)
            case .failed(let reason): events.append(.invitationFailed(reason))
            }
        }
    }

    /// Of refusals only the last counts, because a peer has one invitation at a time: so who
    /// invites without end and reads nothing makes no queue of them.
    mutating func enqueue(_ message: InvitationMessage) {
        if case .refuse = message {
            let count = outgoingInvitations.count
            outgoingInvitations.removeAll {
                if case .refuse = $0 { true } else { false }
            }
            storedCounters.replacedRefusals += count - outgoingInvitations.count
        }
        outgoingInvitations.append(message)
    }

    /// An invitation that nobody has seen leaves no trace but in a counter.
    private mutating func withdraw(_ number: UInt64, _ reason: InvitationRefusal) {
        let count = events.count
        events.removeAll {
            if case .invited(number, _) = $0 { true } else { false }
        }
        guard events.count == count else {
            storedCounters.unseenInvitations += 1
            return
        }
        events.append(.withdrawn(number: number, reason))
    }

    mutating func report(_ effects: [ShortStringComparison.Effect]) {
        for effect in effects {
            if case .send(let message) = effect {
                control.append(Frame(.shortString, payload: message.bytes))
            } else {
                events.append(.comparison(effect))
            }
        }
    }
}
