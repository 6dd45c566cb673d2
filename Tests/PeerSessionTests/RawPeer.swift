import CryptoPrimitives
import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import ProcessSupport

/// A TCP connection to a session that says what a test wants it to say.
actor RawPeer {
    private let loop: EventLoop
    private var connection: TCPConnection?
    private var listener: TCPListener?
    private(set) var received: [UInt8] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(_ loop: EventLoop) { self.loop = loop }

    func connect(_ port: UInt16) async throws {
        let connection = try TCPConnection(to: SocketAddress(.v4(.loopback), port: port))
        self.connection = connection
        while try !connection.finishConnecting() {
            try await loop.ready(connection.number, .writable)
        }
    }

    /// Listens, but does not accept.
    func listen() throws -> UInt16 {
        let listener = try TCPListener(
            .ipv4, address: SocketAddress(.v4(.loopback), port: 0))
        self.listener = listener
        return listener.address.port
    }

    func accept() async throws {
        guard let listener else { throw TestEnd.nothing }
        while connection == nil {
            connection = try listener.accept()
            if connection == nil { try await loop.ready(listener.number, .readable) }
        }
    }

    func write(_ bytes: [UInt8]) throws {
        _ = try connection?.write(bytes.span)
    }

    /// Reads until the other side ends the connection.
    ///
    /// - Returns: Whether it was reset.
    func readToEnd() async throws -> Bool {
        guard let connection else { throw TestEnd.nothing }
        while true {
            do throws(SystemError) {
                if let bytes = try connection.read(upTo: 4096) {
                    if bytes.isEmpty { return false }
                    received += bytes
                    continue
                }
            } catch {
                guard error.code == .connectionReset else { throw error }
                return true
            }
            try await loop.ready(connection.number, .readable)
        }
    }

    func close() {
        connection = nil
        listener = nil
    }
}
