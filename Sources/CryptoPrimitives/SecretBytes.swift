/// A key or another secret of a fixed length, in one place of memory that is overwritten when it
/// is no longer needed.
///
/// It can't be copied, because each copy would be one more place to overwrite; who needs a second
/// one says so with `duplicate()`. It is lent to a closure and never printed, compared or hashed.
/// What arithmetic leaves in registers and on the stack is not overwritten: Swift has no means
/// to promise that.
@safe
@usableFromInline
package struct SecretBytes<let count: Int>: ~Copyable {
    /// On the heap, so that a move of the value does not leave bytes behind.
    @usableFromInline
    let storage: UnsafeMutableBufferPointer<UInt8>

    /// All zero.
    package init() {
        unsafe storage = Self.allocated()
    }

    /// The bytes that `fill` writes; those it leaves alone are zero.
    ///
    /// Keys that are used are filled by the system's generator, which may fail: then there is no
    /// key, and what it wrote is overwritten.
    package init<Failure: Error>(
        _ fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = unsafe Self.allocated()
        do throws(Failure) {
            var bytes = unsafe memory.mutableSpan
            try fill(&bytes)
        } catch {
            unsafe Self.overwrite(memory)
            unsafe memory.deallocate()
            throw error
        }
        unsafe storage = memory
    }

    /// A copy of `bytes`, which the caller has to overwrite where they are secret; nil if there
    /// are not exactly `count` of them.
    package init?(copying bytes: Span<UInt8>) {
        guard bytes.count == count else { return nil }
        self.init { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
    }

    private static func allocated() -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        unsafe bytes.initialize(repeating: 0)
        return unsafe bytes
    }

    // Inlinable, because Embedded Swift has to see it wherever another room's value ends.
    @inlinable
    deinit {
        unsafe Self.overwrite(storage)
        unsafe storage.deallocate()
    }

    /// Lends the bytes.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe storage.span)
    }

    /// Lends the bytes to be changed.
    package mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes = unsafe storage.mutableSpan
        return try body(&bytes)
    }

    /// A second one with the same bytes.
    package borrowing func duplicate() -> SecretBytes {
        SecretBytes { copy in
            withBytes { bytes in
                for index in bytes.indices { copy[index] = bytes[index] }
            }
        }
    }

    /// Not optimized, so that it is not left out on the ground that nobody reads the memory again.
    @_optimize(none)
    @usableFromInline
    static func overwrite(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        unsafe bytes.update(repeating: 0)
    }
}

// Unchecked: the memory belongs to this value alone, which can't be copied, and is changed only by
// who may change the value.
extension SecretBytes: @unchecked Sendable {}

/// A key of 32 bytes, as X25519, ChaCha20, Poly1305 and Noise use them all.
package typealias SecretKey = SecretBytes<32>
