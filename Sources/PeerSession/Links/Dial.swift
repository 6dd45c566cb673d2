import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol

/// A search for one of a peer's addresses at which the peer answers. Used by its session only.
///
/// Addresses are begun one after the other, the next while the one before is silent. The first
/// that answers shakes hands while the others wait: if it is another peer than was meant, or none,
/// they have their turn.
final class Dial {
    /// A connection that is being opened.
    struct Attempt {
        let connection: TCPConnection
        let watch: Watch
        let deadline: Instant
    }

    /// How long an address may be silent before the next one is begun beside it (RFC 8305 §5).
    static let stagger: Duration = .milliseconds(250)
    /// The most addresses that are tried.
    static let maximumAddresses = 16

    /// What a search has led to.
    enum Success {
        /// This side has invited the peer, by the invitation of that number.
        case invited(PeerIdentity, number: UInt64)
        /// The peer is connected already.
        case connected(ConnectionState)
    }

    let number: UInt64
    let expected: ExpectedPeer
    /// What the peer is invited with.
    let context: [UInt8]
    var waiting: [SocketAddress]
    var attempts: [Attempt] = []
    /// The link that shakes hands, or whose peer is being decided about.
    var link: LinkTransport?
    var failures: [PeerSessionError.Attempt] = []
    /// The last failure of a link, which says more than an address that was not reached.
    var linkFailure: PeerSessionError?
    var nextStart: Instant?
    /// When it has to be over.
    let limit: Instant
    /// What came of it, once the peer is trusted or no address is left.
    var outcome: Result<Success, PeerSessionError>?

    init(
        _ number: UInt64, to addresses: [SocketAddress], expected: ExpectedPeer,
        context: [UInt8], limit: Instant
    ) {
        self.number = number
        self.expected = expected
        self.context = context
        self.limit = limit
        waiting = Array(addresses.prefix(Self.maximumAddresses))
    }

    var deadline: Instant? {
        guard outcome == nil else { return nil }
        var earliest = limit
        for attempt in attempts { earliest = min(earliest, attempt.deadline) }
        if link == nil, let nextStart { earliest = min(earliest, nextStart) }
        return earliest
    }
}

extension PeerSession {
    /// Looks for a peer at these addresses, and waits until it is trusted and invited.
    func dial(
        _ addresses: [SocketAddress], expected: ExpectedPeer, context: [UInt8], limit: Instant
    ) async throws(PeerSessionError) -> Dial.Success {
        let dial = Dial(
            nextNumber(), to: addresses, expected: expected, context: context, limit: limit)
        dials[dial.number] = dial
        startNext(dial, SystemClock.now)
        settle()
        while dial.outcome == nil {
            await wait(for: .dial(dial.number))
            if Task.isCancelled { end(dial, .failure(.cancelled("Connecting"))) }
        }
        dials[dial.number] = nil
        settle()
        guard let outcome = dial.outcome else { throw .cancelled("Connecting") }
        return try outcome.get()
    }

    func advance(_ dial: Dial, to now: Instant) {
        guard dial.outcome == nil else { return }
        if dial.limit <= now {
            for attempt in dial.attempts { noteSilent(attempt.connection.remote, dial) }
            return end(
                dial,
                .failure(
                    PeerSessionError(
                        .timedOut, "The peer did not answer in time.", attempts: dial.failures)))
        }
        for attempt in dial.attempts where attempt.deadline <= now {
            noteSilent(attempt.connection.remote, dial)
            remove(attempt.connection, dial)
        }
        if dial.link == nil, let next = dial.nextStart, next <= now { startNext(dial, now) }
        endIfExhausted(dial)
    }

    /// Begins the next address, and goes on to the one after it where nothing can be sent.
    private func startNext(_ dial: Dial, _ now: Instant) {
        dial.nextStart = nil
        while dial.outcome == nil, dial.link == nil, !dial.waiting.isEmpty {
            let address = dial.waiting.removeFirst()
            report(.connecting(address))
            do throws(SystemError) {
                try start(dial, TCPConnection(to: address), now)
                if dial.link == nil, !dial.waiting.isEmpty {
                    dial.nextStart = now.advanced(by: Dial.stagger)
                }
                break
            } catch { note(error, at: address, dial) }
        }
        endIfExhausted(dial)
    }

    private func start(
        _ dial: Dial, _ connection: TCPConnection, _ now: Instant
    ) throws(SystemError) {
        if connection.isConnected { return try shakeHands(dial, connection) }
        let number = connection.number
        let dialNumber = dial.number
        let watch = try loop.watch(number: number, for: .writable) { [weak self] _ in
            self?.assumeIsolated { $0.attemptIsReady(dialNumber, number) }
        }
        dial.attempts.append(
            Dial.Attempt(
                connection: connection, watch: watch,
                deadline: now.advanced(by: options.linkTiming.connecting)))
    }

    private func attemptIsReady(_ dialNumber: UInt64, _ number: Int32) {
        guard let dial = dials[dialNumber], dial.outcome == nil,
            let attempt = dial.attempts.first(where: { $0.connection.number == number })
        else { return }
        do throws(SystemError) {
            guard try attempt.connection.finishConnecting() else { return }
            guard dial.link == nil else { return }
            remove(attempt.connection, dial)
            try shakeHands(dial, attempt.connection)
        } catch {
            remove(attempt.connection, dial)
            note(error, at: attempt.connection.remote, dial)
            startNext(dial, SystemClock.now)
        }
        settle()
    }

    private func remove(_ connection: TCPConnection, _ dial: Dial) {
        for attempt in dial.attempts where attempt.connection === connection {
            attempt.watch.cancel()
        }
        dial.attempts.removeAll { $0.connection === connection }
    }

    /// The others are closed and begun anew if this one is not the peer.
    private func shakeHands(_ dial: Dial, _ connection: TCPConnection) throws(SystemError) {
        for attempt in dial.attempts { attempt.watch.cancel() }
        dial.waiting.insert(contentsOf: dial.attempts.map { $0.connection.remote }, at: 0)
        dial.attempts = []
        dial.nextStart = nil
        let transport = try makeLink(connection, .initiator, expected: dial.expected)
        transport.dial = dial.number
        dial.link = transport
        mark(transport)
    }

    // MARK: The end

    /// A link of a dial has ended before its peer was trusted.
    func dialLinkEnded(_ transport: LinkTransport, _ error: PeerSessionError) {
        guard let number = transport.dial, let dial = dials[number], dial.link === transport else {
            return
        }
        dial.link = nil
        dial.linkFailure = error
        let text = error.description
        let failure = text.hasSuffix(".") ? String(text.dropLast()) : text
        note(PeerSessionError.Attempt(address: transport.remote, failure: failure), dial)
        switch transport.refusal {
        // Another address may be the peer's.
        case .none, .oneself, .wrongPeer: startNext(dial, SystemClock.now)
        default: end(dial, .failure(error))
        }
    }

    /// The peer of a dial's link is trusted: it is invited.
    func dialSucceeded(_ transport: LinkTransport, _ entry: PeerEntry) {
        guard let number = transport.dial, let dial = dials[number], dial.outcome == nil else {
            return
        }
        transport.dial = nil
        dial.link = nil
        if let state = entry.connection { return end(dial, .success(.connected(state))) }
        do throws(PeerSessionError) {
            let number = try invite(entry, dial.context, dial.limit)
            end(dial, .success(.invited(entry.identity, number: number)))
        } catch {
            end(dial, .failure(error))
            guard entry.selection.isIdle else { return }
            transport.link.close(.left, now: SystemClock.now)
        }
    }

    func end(_ dial: Dial, _ outcome: Result<Dial.Success, PeerSessionError>) {
        guard dial.outcome == nil else { return }
        dial.outcome = outcome
        for attempt in dial.attempts { attempt.watch.cancel() }
        dial.attempts = []
        dial.waiting = []
        if let transport = dial.link {
            transport.link.close(.left, now: SystemClock.now)
            mark(transport)
            dial.link = nil
        }
        waiters.wake(.dial(dial.number))
    }

    private func endIfExhausted(_ dial: Dial) {
        guard dial.outcome == nil, dial.link == nil, dial.attempts.isEmpty, dial.waiting.isEmpty
        else { return }
        if let failure = dial.linkFailure {
            return end(
                dial,
                .failure(
                    PeerSessionError(
                        failure.code, failure.description, attempts: dial.failures)))
        }
        end(dial, .failure(.unreachable(dial.failures)))
    }

    private func note(_ error: SystemError, at address: SocketAddress, _ dial: Dial) {
        note(PeerSessionError.Attempt(address: address, failure: error.connectingText), dial)
    }

    private func noteSilent(_ address: SocketAddress, _ dial: Dial) {
        note(
            PeerSessionError.Attempt(
                address: address,
                failure: "nothing came back; a firewall may drop TCP port \(address.port)"), dial)
    }

    private func note(_ attempt: PeerSessionError.Attempt, _ dial: Dial) {
        dial.failures.append(attempt)
        report(.attemptFailed(attempt))
    }
}

extension SystemError {
    fileprivate var connectingText: String {
        switch code {
        case .connectionRefused: "nobody listens on the port, or a firewall says so"
        case .hostUnreachable: "no host has the address, or a firewall says so"
        case .networkUnreachable: "there is no route to it"
        case .timedOut: "nothing came back; a firewall may drop the port"
        case .notPermitted, .accessDenied: "this host's own firewall forbids it"
        default: "\(code.text) (\(code))"
        }
    }
}

extension PeerSessionError {
    static func unreachable(_ attempts: [Attempt]) -> PeerSessionError {
        guard !attempts.isEmpty else {
            return PeerSessionError(.unreachable, "No address of the peer is known.")
        }
        return PeerSessionError(
            .unreachable,
            "The peer could not be reached at any of its addresses: "
                + attempts.map(\.description).joined(separator: "; ") + ".",
            attempts: attempts)
    }

    /// A system call that failed.
    init(_ error: SystemError, whenDoing action: String) {
        self.init(.systemFailure, "\(action) failed: \(error).")
    }
}
