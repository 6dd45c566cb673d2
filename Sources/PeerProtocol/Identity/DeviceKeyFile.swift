package import CryptoPrimitives

/// The private key of a device as it is stored: 8 bytes that say what this is, the key, and the
/// start of SHA-256 over both.
package enum DeviceKeyFile {
    /// Bytes of a file: 8, 32 and 8.
    package static let size = 48

    private static let magic: [UInt8] = Array("VICKEY1\n".utf8)
    private static let checksumSize = 8

    /// The bytes to store.
    package static func encode(_ key: borrowing X25519PrivateKey) -> SecretBytes<48> {
        SecretBytes<48> { file in
            for index in magic.indices { file[index] = magic[index] }
            key.withScalar { scalar in
                for index in scalar.indices { file[magic.count + index] = scalar[index] }
            }
            let checksum = checksum(of: file.span)
            for index in checksum.indices { file[size - checksumSize + index] = checksum[index] }
        }
    }

    /// The key of a stored file.
    ///
    /// - Throws: `DeviceKeyDamage`. Then the file must be left as it is: a new key would make a
    ///   stranger of this device to all that trust it.
    package static func decode(
        _ file: Span<UInt8>
    ) throws(DeviceKeyDamage) -> X25519PrivateKey {
        guard file.count == size else { throw .wrongSize(bytes: file.count) }
        guard magic.indices.allSatisfy({ file[$0] == magic[$0] }) else { throw .notADeviceKey }
        let checksum = checksum(of: file)
        guard checksum.indices.allSatisfy({ file[size - checksumSize + $0] == checksum[$0] })
        else { throw .wrongChecksum }
        let secret = SecretKey { key in
            for index in key.indices { key[index] = file[magic.count + index] }
        }
        return X25519PrivateKey(secret)
    }

    private static func checksum(of file: Span<UInt8>) -> [UInt8] {
        Array(SHA256.hash(file.extracting(0..<(size - checksumSize))).prefix(checksumSize))
    }
}

/// Why a file holds no device key that could be used.
package enum DeviceKeyDamage: Error, Hashable, Sendable {
    /// A device key has 48 bytes.
    case wrongSize(bytes: Int)
    /// It does not begin as a device key does.
    case notADeviceKey
    /// Something in it was changed.
    case wrongChecksum
}
