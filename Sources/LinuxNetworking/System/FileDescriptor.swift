internal import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file of the kernel, closed when the value's life ends.
///
/// It can't be copied, so it can't be closed twice. All are opened so that a child process
/// does not inherit them.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number.
    package let number: Int32

    /// Takes over an open descriptor.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // A close that was interrupted has closed all the same on Linux: never try again.
        close(number)
    }

    /// Reads up to `limit` bytes: empty at the end, nil when it would have to wait.
    package borrowing func read(upTo limit: Int) throws(SystemError) -> [UInt8]? {
        var failure: SystemError?
        var isBlocked = false
        let number = number
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                let got = try SystemCall.checkUnlessBlocked("read") {
                    // The buffer is `limit` bytes, which the array owns.
                    unsafe SystemCall.readBytes(number, buffer.baseAddress, limit)
                }
                isBlocked = got == nil
                count = got ?? 0
            } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        return isBlocked ? nil : bytes
    }

    /// Writes what the kernel takes of `bytes` now: the count, nil when it would have to wait.
    package borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
        try SystemCall.write(number, bytes)
    }

    /// Writes all of `bytes` and waits for that if need be: for files and the terminal only.
    package borrowing func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
        try SystemCall.writeAll(number, bytes)
    }

    /// Waits until there is something to read. Never on a loop's thread.
    borrowing func waitUntilReadable() throws(SystemError) {
        try SystemCall.wait(number, for: POLLIN)
    }
}

extension FileDescriptor {
    /// Makes reads and writes return at once. For files that no other process shares: the
    /// mode belongs to the open file, not to the descriptor.
    package borrowing func setNonBlocking() throws(SystemError) {
        let number = number
        let flags = try SystemCall.check("fcntl") { file_control(number, F_GETFL, 0) }
        try SystemCall.check("fcntl") { file_control(number, F_SETFL, flags | O_NONBLOCK) }
    }
}
