import LinuxNetworking
import PeerProtocol

/// The folder of a store. Calls wait for the disk.
final class PeerStoreFiles: Sendable {
    private static let trustFile = "trust"
    /// Bytes of a file of as many keys as there can be, with as many names and numbers.
    private static let maximumSize = 16 << 20

    let path: String
    private let directory: PrivateDirectory

    /// Opens the folder, and makes it where there is none.
    init(_ path: String) throws(PeerStoreError) {
        self.path = path
        do throws(PrivateFileError) {
            directory = try PrivateDirectory(path)
        } catch { throw PeerStoreError(error) }
    }

    /// The device's key, which is made where there is none.
    func keyPair() throws(PeerStoreError) -> DeviceKeyPair { try .stored(in: directory) }

    /// Whom the device trusts; nobody where there is no file.
    func trust() throws(PeerStoreError) -> TrustStore {
        let bytes: [UInt8]?
        do throws(PrivateFileError) {
            bytes = try directory.read(Self.trustFile, limit: Self.maximumSize)
        } catch { throw PeerStoreError(error) }
        guard let bytes else { return TrustStore() }
        do throws(TrustStoreDamage) {
            return try TrustStore(decoding: bytes)
        } catch { throw .damagedTrust(path: "\(path)/\(Self.trustFile)", error) }
    }

    /// Changes whom the device trusts; nil if another program has the folder now.
    func change<Result>(
        _ body: (inout TrustStore) -> Result
    ) throws(PeerStoreError) -> Result? {
        guard let lock = try self.lock() else { return nil }
        var store = try trust()
        let before = store
        let result = body(&store)
        if store != before { try write(store) }
        _ = consume lock
        return result
    }

    private func lock() throws(PeerStoreError) -> PrivateDirectoryLock? {
        do throws(PrivateFileError) {
            return try directory.lock()
        } catch { throw PeerStoreError(error) }
    }

    private func write(_ store: TrustStore) throws(PeerStoreError) {
        let bytes = store.encoded()
        do throws(PrivateFileError) {
            try directory.replace(Self.trustFile, with: bytes.span)
        } catch { throw PeerStoreError(error) }
    }
}
