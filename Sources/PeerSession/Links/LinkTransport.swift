import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol

/// A link and the connection that carries its bytes. Used by its session only.
final class LinkTransport {
    /// Bytes that are read from a connection in one turn, and sealed for it.
    static let bytesPerTurn = 256 << 10
    /// How long the other side may take to close a connection that this side has closed.
    private static let lingering: Duration = .seconds(2)

    let number: UInt64
    let role: ConnectionRole
    let remote: SocketAddress
    let expected: ExpectedPeer
    /// The dial that it was made for.
    var dial: UInt64?
    var link: PeerLink
    var ticket: AdmissionTable.Ticket?
    /// The peer whose links it is among, once the peer is trusted.
    var peer: PeerIdentity?
    /// Why the peer is trusted.
    var standing: TrustStanding?
    /// Whether it is being decided, perhaps by a person, whether to trust the peer.
    var isDeciding = false
    /// The refusal that it was closed for.
    var refusal: TrustRefusal?

    private var connection: TCPConnection?
    private var watch: Watch?
    private var unsent: [UInt8] = []
    private var unsentStart = 0
    /// Until when the end of the connection is waited for, once nothing more is sent.
    private var lingerDeadline: Instant?

    init(
        _ number: UInt64, _ role: ConnectionRole, _ connection: TCPConnection,
        expected: ExpectedPeer, link: consuming PeerLink
    ) {
        self.number = number
        self.role = role
        self.connection = connection
        remote = connection.remote
        self.expected = expected
        self.link = link
    }

    /// Has `onReady` called when there is something to do.
    func attach(
        to loop: EventLoop, onReady: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) {
        guard let connection else { return }
        watch = try loop.watch(number: connection.number, for: .readable, onReady: onReady)
    }

    /// Whether the connection is closed: nothing more will come of it.
    var isClosed: Bool { connection == nil }

    /// When `advance` wants to be called.
    var deadline: Instant? {
        if let lingerDeadline { return lingerDeadline }
        return isClosed ? nil : link.deadline
    }

    func advance(to now: Instant) {
        if let lingerDeadline, lingerDeadline <= now { return close() }
        guard let deadline = link.deadline, deadline <= now else { return }
        // What came until now counts, as a sign of life too.
        read(now: now)
        link.advance(to: now)
    }

    // MARK: Bytes

    /// Reads what there is, as much as the link wants, within a turn's measure.
    func read(now: Instant) {
        var rest = Self.bytesPerTurn
        while rest > 0, let connection {
            let isOver = link.end != nil
            let wanted = isOver ? rest : min(link.wantedCount, rest)
            // Events wait to be taken, or the handshake waits for this side.
            guard wanted > 0 else { return }
            do throws(SystemError) {
                guard let bytes = try connection.read(upTo: min(wanted, 64 << 10)) else { return }
                guard !bytes.isEmpty else { return cut() }
                rest -= bytes.count
                link.receive(bytes, now: now)
            } catch { return cut() }
            // Who shakes hands takes turns.
            if link.stage == .handshake { return }
        }
    }

    /// Writes what is due and what the connection takes.
    ///
    /// - Returns: Whether there is more than a turn's measure.
    func write(now: Instant) -> Bool {
        var rest = Self.bytesPerTurn
        while let connection, lingerDeadline == nil {
            if unsentStart == unsent.count {
                guard rest > 0 else { return true }
                guard let bytes = link.nextOutput(now: now) else { break }
                (unsent, unsentStart) = (bytes, 0)
                rest -= bytes.count
            }
            do throws(SystemError) {
                guard let count = try connection.write(unsent.span.extracting(unsentStart...))
                else {
                    setInterest([.readable, .writable])
                    return false
                }
                unsentStart += count
            } catch {
                // It may have said why before it closed.
                read(now: now)
                cut()
                return false
            }
        }
        setInterest(.readable)
        if link.isDrained, unsentStart == unsent.count { finish(now: now) }
        return false
    }

    /// Closes the connection at once.
    func close() {
        watch?.cancel()
        watch = nil
        connection = nil
        lingerDeadline = nil
        unsent = []
        unsentStart = 0
    }

    /// The connection is over, whether or not the link was.
    private func cut() {
        if link.end == nil { link.disconnect() }
        close()
    }

    /// Everything was sent: waits for the other side to close too, so that it reads the end.
    private func finish(now: Instant) {
        guard lingerDeadline == nil else { return }
        connection?.finishWriting()
        lingerDeadline = now.advanced(by: Self.lingering)
    }

    private func setInterest(_ interest: Readiness) {
        // A watch that the kernel does not change is one of a closed file.
        try? watch?.setInterest(interest)
    }
}
