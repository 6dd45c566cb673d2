import LinuxNetworking
public import PeerProtocol

/// Why a device's key, or whom it trusts, can't be read or written.
///
/// A damaged file is left as it is: written anew it would make a stranger of this device, or
/// forget whom the user blocks.
public enum PeerStoreError: Error, Hashable, Sendable {
    /// The file of the key is damaged; how, as a sentence.
    case damagedKey(path: String, String)
    /// The file of those who are trusted is damaged.
    case damagedTrust(path: String, TrustStoreDamage)
    /// The folder or a file in it can't be used; why and what helps, as a sentence.
    case unusable(String)
    /// Nothing can be written there; why, as a sentence.
    case notWritable(String)
    /// Another program has kept the folder locked for too long.
    case locked(path: String)
    /// The system gives no random bytes to make a key of.
    case noRandomness(String)
}

extension PeerStoreError: CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    public var description: String {
        switch self {
        case .damagedKey(let path, let what):
            "\(path) is damaged: \(what). Restore it, or move it away to become a new device."
        case .damagedTrust(let path, let damage):
            "\(path) is damaged in line \(damage.line), byte \(damage.offset): "
                + "\(damage.reason.text). Restore it, or move it away to trust nobody."
        case .unusable(let what), .notWritable(let what): what
        case .locked(let path): "\(path) is locked by another program; try again."
        case .noRandomness(let what): "The system gives no random bytes for a key: \(what)."
        }
    }
}

extension PeerStoreError {
    init(_ error: PrivateFileError) {
        switch error {
        case .notWritable: self = .notWritable(error.description)
        default: self = .unusable(error.description)
        }
    }
}

extension DeviceKeyDamage {
    var text: String {
        switch self {
        case .wrongSize(let bytes): "it has \(bytes) bytes instead of \(DeviceKeyFile.size)"
        case .notADeviceKey: "it does not begin as a device key does"
        case .wrongChecksum: "its checksum is another"
        }
    }
}

extension TrustStoreDamage.Reason {
    var text: String {
        switch self {
        case .notATrustStore: "it does not begin as a list of trusted keys does"
        case .newerVersion: "a newer version wrote it"
        case .cutShort: "it ends too early"
        case .unexpectedLine: "another kind of line belongs there"
        case .invalidValue: "the value can't be read"
        case .keysOutOfOrder: "the keys are not in their order"
        case .tooMany: "there are more than are kept"
        case .wrongChecksum: "its checksum is another"
        case .trailingBytes: "there is more behind the end"
        }
    }
}
