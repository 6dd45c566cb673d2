import CryptoPrimitives
import LinuxNetworking
import Noise

/// Whether memory of secrets is overwritten before it is given back.
///
/// Memory that was freed is read by its number, which is out of bounds for Swift: it is done here
/// only, right after it was freed, and in functions that are not optimized. The allocator keeps a
/// pointer and a mark in the first sixteen bytes of a piece that is free; so the second sixteen are
/// looked at.
enum Wiping {
    private struct NotWiped: Error {
        let what: String
    }

    /// Throws if bytes of a secret are left, or if bytes that nobody overwrote are not seen.
    static func examine() throws {
        for (name, work) in cases {
            let address = work()
            let remains = isPatternLeft(at: address)
            print("\(name): \(remains ? "left" : "overwritten")")
            if remains != (name == planted) { throw NotWiped(what: name) }
        }
    }

    private static let planted = "planted: memory that is not overwritten"

    /// Each makes a secret, gets rid of it, and returns where it was.
    private static let cases: [(String, @Sendable () -> UInt)] = [
        (planted, plain), ("a key that is dropped", dropped), ("a key that is replaced", replaced),
        ("a key whose filling failed", failed), ("a private key", privateKey),
        ("a static key of a handshake that failed", handshake),
    ]

    private static func pattern(_ index: Int) -> UInt8 { 0xC0 | UInt8(index & 31) }

    private static func key() -> SecretKey {
        SecretKey { bytes in
            for index in bytes.indices { bytes[index] = pattern(index) }
        }
    }

    @_optimize(none)
    private static func isPatternLeft(at address: UInt) -> Bool {
        guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return false }
        var count = 0
        for index in 16..<32
        where unsafe start.load(fromByteOffset: index, as: UInt8.self)
            == pattern(index)
        {
            count += 1
        }
        return count > 2
    }

    private static func address(_ bytes: Span<UInt8>) -> UInt {
        unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    @inline(never)
    private static func plain() -> UInt {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 32)
        for index in 0..<32 { unsafe memory.initializeElement(at: index, to: pattern(index)) }
        let address = UInt(bitPattern: memory.baseAddress)
        keep(address)
        unsafe memory.deallocate()
        return address
    }

    /// Keeps what was written before from being left out because it is freed at once.
    @inline(never)
    @_optimize(none)
    private static func keep(_ address: UInt) { _ = isPatternLeft(at: address) }

    @inline(never)
    private static func dropped() -> UInt {
        let key = key()
        return key.withBytes { address($0) }
    }

    @inline(never)
    private static func replaced() -> UInt {
        var key = key()
        let place = key.withBytes { address($0) }
        key = SecretKey { $0[0] = 1 }
        return key.withBytes { $0[0] == 1 } ? place : 0
    }

    @inline(never)
    private static func failed() -> UInt {
        struct Failure: Error {}
        var place: UInt = 0
        do throws(Failure) {
            _ = try SecretKey { bytes throws(Failure) in
                for index in bytes.indices { bytes[index] = pattern(index) }
                place = address(bytes.span)
                throw Failure()
            }
        } catch { return place }
        return 0
    }

    @inline(never)
    private static func privateKey() -> UInt {
        let key = X25519PrivateKey(key())
        return key.withScalar { address($0) }
    }

    @inline(never)
    private static func handshake() -> UInt {
        let key = X25519PrivateKey(key())
        let place = key.withScalar { address($0) }
        do throws(NoiseError) {
            var state = try HandshakeState.begin(
                as: .responder, pattern: .xx, prologue: Span(), staticKey: key,
                ephemeralKey: X25519PrivateKey(SecretKey()))
            _ = try state.readMessage([1].span)
        } catch { return place }
        return 0
    }
}
