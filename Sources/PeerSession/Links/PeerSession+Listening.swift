import LinuxEventLoop
import LinuxNetworking
import MDNS
import NetworkPrimitives
import PeerProtocol

/// A listener and the loop's wait for its connections.
struct SessionListener {
    let socket: TCPListener
    let watch: Watch
}

extension PeerSession {
    /// How long nobody is accepted when the process has no more descriptors.
    private static let pause: Duration = .milliseconds(500)
    /// Connections that are accepted in one turn.
    private static let acceptsPerTurn = 16

    /// The port on which the session waits for connections; nil if it does not.
    public var port: UInt16? { listeners.first?.socket.address.port }

    /// Waits for connections over both families, or over the one that the system has.
    ///
    /// `advertise` does so by itself. Without it peers are told the port in some other way, and
    /// call `connect(to:port:)`.
    ///
    /// - Parameter port: The port; zero for any that is free. Nothing happens if the session
    ///   listens already.
    /// - Returns: The port.
    /// - Throws: `PeerSessionError.portInUse`, `systemFailure`.
    @discardableResult
    public func listen(port: UInt16 = 0) throws(PeerSessionError) -> UInt16 {
        try checkOpen()
        if let port = self.port { return port }
        do throws(SystemError) {
            listeners = try openListeners(port)
        } catch {
            guard error.code != .addressInUse else {
                throw PeerSessionError(
                    .portInUse, "Another program listens on TCP port \(port); choose another.")
            }
            throw PeerSessionError(error, whenDoing: "listening on TCP port \(port)")
        }
        let bound = self.port ?? port
        report(.listening(port: bound))
        return bound
    }

    private func openListeners(_ port: UInt16) throws(SystemError) -> [SessionListener] {
        var failure: SystemError?
        // A port that is free over the one family may be taken over the other.
        for _ in 0..<(port == 0 ? 8 : 1) {
            var opened: [SessionListener] = []
            var wanted = port
            failure = nil
            for family in AddressFamily.allCases {
                do throws(SystemError) {
                    let listener = try open(family, wanted)
                    wanted = listener.socket.address.port
                    opened.append(listener)
                } catch {
                    switch error.code {
                    case .familyUnsupported, .addressNotAvailable: break
                    default: failure = error
                    }
                }
            }
            if failure == nil, !opened.isEmpty { return opened }
        }
        throw failure ?? SystemError("socket", .familyUnsupported)
    }

    private func open(
        _ family: AddressFamily, _ port: UInt16
    ) throws(SystemError) -> SessionListener {
        let socket = try TCPListener(family, port: port)
        let watch = try loop.watch(number: socket.number, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.acceptConnections(family) }
        }
        return SessionListener(socket: socket, watch: watch)
    }

    func closeListeners() {
        for listener in listeners { listener.watch.cancel() }
        listeners = []
        listenerTimer?.cancel()
        listenerTimer = nil
    }

    private func acceptConnections(_ family: AddressFamily) {
        let listener = listeners.first { $0.socket.address.address.family == family }
        guard let listener else { return }
        do throws(SystemError) {
            for _ in 0..<Self.acceptsPerTurn {
                guard let connection = try listener.socket.accept() else { break }
                counters.accepted += 1
                admit(connection)
            }
        } catch { pauseListening(error) }
        settle()
    }

    /// The kernel would report the same connection again and again.
    private func pauseListening(_ error: SystemError) {
        report(.listeningPaused("no connection can be accepted: \(error)"))
        for listener in listeners { try? listener.watch.setInterest([]) }
        let timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { session in
                for listener in session.listeners { try? listener.watch.setInterest(.readable) }
                session.listenerTimer = nil
            }
        }
        timer.setDeadline(SystemClock.now.advanced(by: Self.pause))
        listenerTimer = timer
    }

    // MARK: Admission

    private func admit(_ connection: TCPConnection) {
        let now = SystemClock.now
        let address = connection.remote.address
        let isTrusted = links.values.contains {
            $0.peer != nil && $0.remote.address == address
        }
        let admission = self.admission.admit(
            from: address, isTrustedAddress: isTrusted, now: now)
        if let evicted = admission.evicted {
            counters.evicted += 1
            evict(evicted)
        }
        do throws(SystemError) {
            let transport = try makeLink(connection, .responder, expected: .anyone)
            transport.ticket = admission.ticket
            mark(transport)
        } catch {
            self.admission.remove(admission.ticket)
        }
    }

    /// Closes a half-open connection without a word.
    func evict(_ ticket: AdmissionTable.Ticket) {
        guard let transport = links.values.first(where: { $0.ticket == ticket }) else { return }
        transport.ticket = nil
        drop(transport)
    }

    /// Cuts a connection of a stranger.
    func drop(_ transport: LinkTransport) {
        transport.link.disconnect()
        transport.close()
        mark(transport)
    }

    // MARK: Links

    /// Begins a link on a connection that is up.
    func makeLink(
        _ connection: TCPConnection, _ role: ConnectionRole, expected: ExpectedPeer
    ) throws(SystemError) -> LinkTransport {
        let payload = HandshakePayload(
            id: identity.id, run: run, capabilities: [], session: sessionID, name: options.name)
        var configuration = PeerLink.Configuration(
            role: role, serviceType: options.service.description, encryption: options.encryption,
            payload: payload, expected: expected)
        configuration.sharesInvitations = true
        configuration.timing.closing = options.linkTiming.closing
        configuration.timing.unconnected = options.linkTiming.unconnected
        configuration.timing.liveness.idle = options.linkTiming.idle
        configuration.timing.liveness.dead = options.linkTiming.dead
        let link = PeerLink(
            configuration, staticKey: store.keyPair.duplicate(), ephemeralKey: try .drawn(),
            secret: secret?.duplicate(), now: SystemClock.now)
        let number = nextNumber()
        let transport = LinkTransport(number, role, connection, expected: expected, link: link)
        try transport.attach(to: loop) { [weak self] readiness in
            self?.assumeIsolated { $0.linkIsReady(number, readiness) }
        }
        links[number] = transport
        return transport
    }

    private func linkIsReady(_ number: UInt64, _ readiness: Readiness) {
        guard let transport = links[number] else { return }
        // What is writable is written by `settle`.
        if !readiness.isDisjoint(with: [.readable, .failed]) {
            transport.read(now: SystemClock.now)
        }
        mark(transport)
        settle()
    }
}
