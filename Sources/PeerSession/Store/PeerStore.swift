import LinuxEventLoop
import LinuxNetworking
public import PeerProtocol

/// The key of this device and whom it trusts, in a folder of the user's own.
///
/// Files are 0600 and are replaced whole. Several programs may use the folder at once: each reads
/// what the others have decided. Where nothing can be kept the store is ephemeral, and says why.
public actor PeerStore {
    /// The key that others know this device by.
    public nonisolated let key: DeviceKey
    /// Why nothing is kept, as a sentence; nil if it is.
    public nonisolated let ephemeralReason: String?

    nonisolated let keyPair: DeviceKeyPair
    private let files: PeerStoreFiles?
    /// What is trusted, where there is no file.
    private var memory = TrustStore(isEphemeral: true)

    private static let lockAttempts = 200
    private static let lockPause: Duration = .milliseconds(10)

    /// Opens a store, and makes a key where there is none.
    ///
    /// It waits for the disk, never on an event loop.
    ///
    /// - Parameter location: Where it is.
    /// - Throws: `PeerStoreError`: a damaged file, which is left as it is; a folder that others may
    ///   enter. A place where nothing can be written is no error: see `ephemeralReason`.
    @concurrent
    public static func open(
        _ location: PeerStoreLocation = .standard
    ) async throws(PeerStoreError) -> PeerStore {
        guard let path = location.path() else {
            let reason =
                location == .ephemeral
                ? "The device's key is not kept, as was asked for."
                : "The device's key is not kept: neither XDG_STATE_HOME nor HOME names a folder."
            return PeerStore(try DeviceKeyPair.drawn(), reason: reason)
        }
        do throws(PeerStoreError) {
            let files = try PeerStoreFiles(path)
            let keyPair = try files.keyPair()
            _ = try files.trust()
            return PeerStore(keyPair, files)
        } catch {
            guard case .notWritable(let reason) = error else { throw error }
            return PeerStore(try DeviceKeyPair.drawn(), reason: reason)
        }
    }

    private init(_ keyPair: DeviceKeyPair, _ files: PeerStoreFiles) {
        self.keyPair = keyPair
        key = keyPair.publicKey
        self.files = files
        ephemeralReason = nil
    }

    private init(_ keyPair: DeviceKeyPair, reason: String) {
        self.keyPair = keyPair
        key = keyPair.publicKey
        files = nil
        ephemeralReason = reason
    }

    /// Whether everything is forgotten when the program ends.
    public nonisolated var isEphemeral: Bool { ephemeralReason != nil }

    /// Whom the device trusts now, other programs' decisions included.
    ///
    /// - Throws: `PeerStoreError`: a file that is damaged or can't be read.
    public func trust() throws(PeerStoreError) -> TrustStore {
        try files?.trust() ?? memory
    }

    /// Changes whom the device trusts, while no other program does.
    ///
    /// - Parameter body: Changes it; called once at the most.
    /// - Returns: What `body` returns, once it is on the disk.
    /// - Throws: `PeerStoreError`: a file that is damaged or can't be written; nothing is changed.
    public func change<Result: Sendable>(
        _ body: @Sendable (inout TrustStore) -> Result
    ) async throws(PeerStoreError) -> Result {
        guard let files else { return body(&memory) }
        for _ in 0..<Self.lockAttempts {
            if let result = try files.change(body) { return result }
            try? await Task.sleep(for: Self.lockPause)
        }
        throw .locked(path: files.path)
    }
}
