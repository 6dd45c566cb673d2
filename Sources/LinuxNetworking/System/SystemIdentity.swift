import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the system says of itself.
package enum SystemIdentity {
    /// The host's name from the kernel, without a domain; empty where none was set. A bare
    /// container has no file for it, but always this.
    package static var hostName: String {
        var names = utsname()
        // A struct of the kernel's, filled during the call; its text ends with a zero.
        guard unsafe uname(&names) == 0 else { return "" }
        let full = unsafe withUnsafeBytes(of: &names.nodename) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return String(full.prefix { $0 != "." })
    }

    /// The number that the installation was given once, as 32 hexadecimal digits; nil where
    /// there is none. It should not be shown to others as it is.
    package static var machineIdentifier: String? {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            guard let bytes = try? SystemFile.read(path, limit: 4096) else { continue }
            let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            if text.count == 32, text.allSatisfy({ $0.isHexDigit }) { return text }
        }
        return nil
    }

    /// Bytes that nobody can guess.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    }
}
