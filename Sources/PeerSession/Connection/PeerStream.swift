import LinuxEventLoop

extension PeerConnection {
    /// Opens a stream of bytes in both directions.
    ///
    /// - Parameter name: What the application calls it: 255 bytes at most.
    /// - Throws: `PeerSessionError`: `invalidArgument`, `full` if 256 are open, `disconnected`.
    public func openStream(_ name: String = "") async throws(PeerSessionError) -> PeerStream {
        PeerStream(name: name, lease: try await session.openStream(name, on: lease.number))
    }

    /// The streams that the peer opens. Several readers share them.
    public var streams: PeerStreams { PeerStreams(connection: self) }
}

/// A stream of bytes to and from a peer, in order.
///
/// A stream that nobody holds any more is ended with the code 0, unless both sides have finished it
/// and all was read.
public struct PeerStream: Sendable {
    /// What the side that opened it calls it.
    public let name: String
    let lease: StreamLease

    /// Sends bytes, and waits while the peer has no room for them.
    ///
    /// - Throws: `PeerSessionError`: `streamReset`, `streamFinished`, `disconnected`, `cancelled`.
    public func write(_ bytes: [UInt8]) async throws(PeerSessionError) {
        try await lease.session.write(bytes, to: lease.id, on: lease.connection.number)
    }

    /// Sends no more: the peer reads the end behind what was written. It may go on sending.
    ///
    /// - Throws: `PeerSessionError`: `streamReset`, `streamFinished`, `disconnected`.
    public func finish() async throws(PeerSessionError) {
        try await lease.session.finishStream(lease.id, on: lease.connection.number)
    }

    /// Ends it in both directions; what waits to be sent or read is gone.
    ///
    /// - Parameter code: A number for the other application, below 2^62.
    public func reset(code: UInt64) async {
        await lease.session.resetStream(lease.id, code: code, on: lease.connection.number)
    }

    /// The bytes that the peer sends. Who reads slowly makes the peer wait.
    public var bytes: PeerBytes { PeerBytes(lease: lease) }
}

/// The bytes of a stream, in pieces as they come. The sequence ends at the stream's end and when
/// the task is cancelled; it throws `PeerSessionError` when the stream was reset or the connection
/// ended before it.
public struct PeerBytes: AsyncSequence, Sendable {
    let lease: StreamLease

    /// Iterators share the bytes among themselves: use one.
    public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    /// Takes the pieces out one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let lease: StreamLease

        /// The next bytes, one at least; nil at the end.
        public mutating func next() async throws(PeerSessionError) -> [UInt8]? {
            try await next(isolation: nil)
        }

        /// The next bytes, one at least; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PeerSessionError) -> [UInt8]? {
            try await lease.session.read(lease.id, on: lease.connection.number)
        }
    }
}

/// The streams that a peer opens. The sequence ends with the connection, and when the task is
/// cancelled.
public struct PeerStreams: AsyncSequence, Sendable {
    let connection: PeerConnection

    /// Iterators share the streams among themselves.
    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }

    /// Takes the streams out one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let connection: PeerConnection

        /// The next stream; nil at the end.
        public mutating func next() async -> PeerStream? { await next(isolation: nil) }

        /// The next stream; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> PeerStream? {
            await connection.session.nextStream(on: connection.lease.number)
        }
    }
}

/// What the application holds of a stream.
final class StreamLease: Sendable {
    let connection: ConnectionLease
    let id: UInt64

    var session: PeerSession { connection.session }

    init(_ connection: ConnectionLease, _ id: UInt64) {
        self.connection = connection
        self.id = id
    }

    deinit {
        let session = connection.session
        let number = connection.number
        session.loop.perform { [session, id, number] in
            session.assumeIsolated { $0.streamLeaseEnded(id, on: number) }
        }
    }
}
