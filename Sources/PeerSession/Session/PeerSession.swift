import CryptoPrimitives
package import LinuxEventLoop
import LinuxNetworking
import MDNS
import NetworkPrimitives
public import PeerProtocol

/// A peer on the local network: it finds others, agrees with them, and talks with them over
/// encrypted connections.
///
/// Connections come about by invitation: one side invites, the application of the other accepts or
/// declines, and both are connected or neither is. `connections`, `invitations` and `events` are
/// sequences that go on until the session is closed; `run` has all connections served.
///
/// A session lives on the thread of its sockets and works until it is closed. It tells its peers
/// that it leaves if it is closed before the program ends.
public actor PeerSession {
    /// Where the session runs.
    nonisolated let loop: EventLoop
    /// The executor of the session's thread.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        // The session holds its loop as long as it lives.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// What the session was started with.
    public nonisolated let options: PeerSessionOptions
    /// The device's key and whom it trusts.
    public nonisolated let store: PeerStore
    /// Who this peer is: the device's key, and which of its peers.
    public nonisolated let identity: PeerIdentity

    nonisolated let check: TrustCheck
    nonisolated let secret: SharedSecret?
    let sessionID: SessionID
    var listeners: [SessionListener] = []
    var listenerTimer: DeadlineTimer?
    var admission: AdmissionTable
    var links: [UInt64: LinkTransport] = [:]
    var dials: [UInt64: Dial] = [:]
    var peerEntries: [PeerIdentity: PeerEntry] = [:]
    var connections: [UInt64: ConnectionState] = [:]
    var runs = RunTable()
    var runLinks: [RunNumber: [LinkTransport]] = [:]
    /// What became of this side's invitations, until who waits for it has seen it.
    var invitationResults: [UInt64: Result<ConnectionState, PeerSessionError>] = [:]
    let invitationMailbox = EventMailbox(InvitationBacklog())
    var eventMailboxes: [UInt64: EventMailbox<EventBacklog>] = [:]
    var peerMailboxes: [UInt64: EventMailbox<LatestValue<[ConnectedPeer]>>] = [:]
    var foundMailboxes: [UInt64: EventMailbox<LatestValue<[FoundPeer]>>] = [:]
    var runners: [UInt64: EventMailbox<RingBuffer<PeerConnection>>] = [:]
    var limits: [UInt64: DeadlineTimer] = [:]
    var discovery = SessionDiscovery()
    var waiters = WaitList()
    /// Links that have something to do.
    var dirty: [UInt64] = []
    private var timer: DeadlineTimer?
    private var isSettling = false
    private var lastNumber: UInt64 = 0
    /// The number of the last invitation.
    var lastInvitation: UInt64 = 0
    /// What was counted, for tests and the log.
    package internal(set) var counters = Counters()
    /// Whether it is closed, or is being closed.
    public internal(set) var isClosed = false

    /// What happened before anybody could be told of it, in numbers.
    package struct Counters: Hashable, Sendable {
        /// Connections that were accepted.
        package var accepted = 0
        /// Half-open connections that were closed for newer ones.
        package var evicted = 0
        /// Handshakes that were refused because there were too many in a second.
        package var throttled = 0
        /// Links that came to an end before the peer was trusted.
        package var failedHandshakes = 0
        /// Trusted peers whose link was closed because too many neither were connected nor invited.
        package var crowdedOut = 0
    }

    /// Starts a session; it neither listens nor looks for anybody yet.
    ///
    /// - Parameter options: Who this peer is and whom it accepts.
    /// - Throws: `PeerSessionError`: options that contradict each other, a store that is damaged or
    ///   open to others, a system without random bytes.
    public init(_ options: PeerSessionOptions) async throws(PeerSessionError) {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop.shared
        } catch { throw PeerSessionError(error, whenDoing: "starting the event loop") }
        try await self.init(options, loop: loop)
    }

    /// A session on a loop of its own.
    package init(
        _ options: PeerSessionOptions, loop: EventLoop, store: PeerStore? = nil
    ) async throws(PeerSessionError) {
        self.loop = loop
        self.options = options
        try options.check()
        do throws(PeerStoreError) {
            self.store = if let store { store } else { try await .open(options.store) }
        } catch { throw PeerSessionError(.storeFailed, error.description) }
        var generator = SystemRandomNumberGenerator()
        secret = try options.secret.map { bytes throws(PeerSessionError) in
            try SharedSecret(bytes)
        }
        identity = PeerIdentity(
            key: self.store.key, id: options.id ?? PeerID(using: &generator))
        check = TrustCheck(
            policy: options.trust, own: identity, run: RunNumber(using: &generator),
            canAsk: options.ask != nil)
        sessionID = SessionID(rawValue: generator.next())
        admission = AdmissionTable(now: SystemClock.now)
        // All is set, so from here on this runs on the loop.
        timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.deadlineIsDue() }
        }
    }

    isolated deinit {
        for transport in links.values { transport.close() }
        finishSequences()
    }

    /// Which run of this peer it is.
    package nonisolated var run: RunNumber { check.ownRun }

    /// How many links there are, those included that are being closed.
    package var linkCount: Int { links.count }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func checkOpen() throws(PeerSessionError) {
        if isClosed { throw .sessionClosed }
    }

    // MARK: The end

    /// Leaves: peers that are connected are told so when what waits for them has left, nobody is
    /// accepted any more, and all sequences end. Closing twice does nothing more.
    public func close() async {
        if !isClosed {
            isClosed = true
            closeListeners()
            for dial in dials.values { end(dial, .failure(.sessionClosed)) }
            for transport in links.values {
                transport.link.close(.left, now: SystemClock.now)
                mark(transport)
            }
            settle()
            await closeDiscovery()
            waiters.wakeAll()
            finishSequences()
        }
        while !links.isEmpty, !Task.isCancelled { await wait(for: .links) }
        if Task.isCancelled {
            for transport in links.values { transport.close() }
            settle()
        }
        timer?.cancel()
    }

    private func finishSequences() {
        invitationMailbox.finish()
        for mailbox in eventMailboxes.values { mailbox.finish() }
        for mailbox in peerMailboxes.values { mailbox.finish() }
        for mailbox in foundMailboxes.values { mailbox.finish() }
        for mailbox in runners.values { mailbox.finish() }
    }

    // MARK: The loop

    private func deadlineIsDue() {
        let now = SystemClock.now
        for transport in links.values {
            guard let deadline = transport.deadline, deadline <= now else { continue }
            transport.advance(to: now)
            mark(transport)
        }
        for dial in dials.values { advance(dial, to: now) }
        for entry in peerEntries.values {
            guard let deadline = entry.selection.deadline, deadline <= now else { continue }
            follow(entry.selection.advance(to: now), entry)
        }
        follow(runs.advance(to: now))
        for ticket in admission.expire(now: now) { evict(ticket) }
        settle()
    }

    /// Notes that a link may have events, or something to send.
    func mark(_ transport: LinkTransport) {
        if !dirty.contains(transport.number) { dirty.append(transport.number) }
    }

    /// What is due after every call into a link: its events are followed, its bytes leave, and the
    /// timer is set.
    func settle() {
        guard !isSettling else { return }
        isSettling = true
        while let number = dirty.popLast() {
            if let transport = links[number] { serve(transport) }
        }
        isSettling = false
        rearm()
    }

    private func serve(_ transport: LinkTransport) {
        let now = SystemClock.now
        var hasMore = transport.write(now: now)
        while let event = transport.link.nextEvent() {
            handle(event, on: transport)
            if !hasMore { hasMore = transport.write(now: now) }
        }
        if hasMore {
            // The others have their turn first.
            let number = transport.number
            loop.perform { [weak self] in
                self?.assumeIsolated { session in
                    guard let transport = session.links[number] else { return }
                    session.mark(transport)
                    session.settle()
                }
            }
        }
        if transport.isClosed {
            while let event = transport.link.nextEvent() { handle(event, on: transport) }
            links[transport.number] = nil
            if let ticket = transport.ticket { admission.remove(ticket) }
            waiters.wake(.links)
        }
    }

    private func rearm() {
        var earliest: Instant?
        func consider(_ time: Instant?) {
            guard let time else { return }
            earliest = earliest.map { min($0, time) } ?? time
        }
        for transport in links.values { consider(transport.deadline) }
        for dial in dials.values { consider(dial.deadline) }
        for entry in peerEntries.values { consider(entry.selection.deadline) }
        consider(runs.deadline)
        consider(admission.deadline)
        timer?.setDeadline(earliest)
    }
}
