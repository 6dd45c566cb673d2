import CryptoPrimitives
import LinuxNetworking
import PeerProtocol

/// The key pair of this device, of which each handshake gets a copy.
final class DeviceKeyPair: Sendable {
    static let fileName = "device-key"

    private let key: X25519PrivateKey
    let publicKey: DeviceKey

    init(_ key: consuming X25519PrivateKey) {
        publicKey = DeviceKey(key.publicKey)
        self.key = key
    }

    /// A copy for one handshake.
    func duplicate() -> X25519PrivateKey { key.duplicate() }

    /// A new one, from the system's generator.
    static func drawn() throws(PeerStoreError) -> DeviceKeyPair {
        do throws(SystemError) {
            return DeviceKeyPair(try X25519PrivateKey.drawn())
        } catch { throw .noRandomness("\(error)") }
    }

    /// That of a folder, which is made where there is none.
    static func stored(
        in directory: borrowing PrivateDirectory
    ) throws(PeerStoreError) -> DeviceKeyPair {
        if let pair = try read(in: directory) { return pair }
        let pair = try drawn()
        let file = DeviceKeyFile.encode(pair.key)
        let isNew: Bool
        do throws(PrivateFileError) {
            isNew = try file.withBytes { bytes throws(PrivateFileError) in
                try directory.create(fileName, with: bytes)
            }
        } catch { throw PeerStoreError(error) }
        if isNew { return pair }
        // Another program has made one meanwhile.
        guard let other = try read(in: directory) else {
            throw .unusable("\(directory.path)/\(fileName) came and went; try again.")
        }
        return other
    }

    private static func read(
        in directory: borrowing PrivateDirectory
    ) throws(PeerStoreError) -> DeviceKeyPair? {
        // A byte more than a key has, to see a file that is too long.
        var file = SecretBytes<49>()
        let count: Int?
        do throws(PrivateFileError) {
            count = try file.withMutableBytes { bytes throws(PrivateFileError) in
                try directory.read(fileName, into: &bytes)
            }
        } catch { throw PeerStoreError(error) }
        guard let count else { return nil }
        do throws(DeviceKeyDamage) {
            return DeviceKeyPair(
                try file.withBytes { bytes throws(DeviceKeyDamage) in
                    try DeviceKeyFile.decode(bytes.extracting(0..<count))
                })
        } catch {
            throw .damagedKey(path: "\(directory.path)/\(fileName)", error.text)
        }
    }
}

extension X25519PrivateKey {
    /// A new one, from the system's generator.
    static func drawn() throws(SystemError) -> X25519PrivateKey {
        X25519PrivateKey(
            try SecretKey { bytes throws(SystemError) in try SystemRandom.fill(&bytes) })
    }
}
