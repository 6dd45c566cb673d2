import CLinux

/// Random bytes for keys, from the kernel's generator.
///
/// There is no other source to fall back on: if the kernel gives none, there are no bytes, and
/// the caller gets the error.
package enum SystemRandom {
    /// Fills `bytes`. Soon after boot it waits until the kernel's generator is seeded.
    package static func fill(_ bytes: inout MutableSpan<UInt8>) throws(SystemError) {
        try unsafe fill(&bytes) { start, count throws(SystemError) in
            try SystemCall.check("getrandom") { unsafe getrandom(start, count, 0) }
        }
    }

    /// Fills `bytes` with what `draw` writes: it may write less than it was asked for, but not
    /// nothing.
    package static func fill(
        _ bytes: inout MutableSpan<UInt8>,
        from draw: (UnsafeMutablePointer<UInt8>, Int) throws(SystemError) -> Int
    ) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            var filled = 0
            do throws(SystemError) {
                while filled < buffer.count {
                    let count = try unsafe draw(start + filled, buffer.count - filled)
                    guard count > 0, count <= buffer.count - filled else {
                        throw SystemError("getrandom", .inputOutput)
                    }
                    filled += count
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
