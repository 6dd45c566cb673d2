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
    /// The same file under a number above those of the standard streams, so that setting up a
    /// child's streams can't overwrite it. Only differs where the program began without them.
    consuming func aboveStandard() throws(SystemError) -> FileDescriptor {
        guard number <= 2 else { return self }
        let number = number
        let moved = try SystemCall.check("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
        return FileDescriptor(owning: moved)
    }

    /// Makes reads and writes return at once. For files that no other process shares: the
    /// mode belongs to the open file, not to the descriptor.
    package borrowing func setNonBlocking() throws(SystemError) {
        let number = number
        let flags = try SystemCall.check("fcntl") { fcntl(number, F_GETFL) }
        try SystemCall.check("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
    }
}

/// Two joined files: what is written to one comes out of the other.
struct Pipe: ~Copyable {
    let reading: FileDescriptor
    let writing: FileDescriptor

    /// A pipe whose ends both wait, closed in child processes unless handed on.
    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try SystemCall.check("pipe2") {
            // The array has room for the two numbers.
            unsafe pipe2(&ends, O_CLOEXEC)
        }
        let first = FileDescriptor(owning: ends[0])
        let second = FileDescriptor(owning: ends[1])
        let reading = try first.aboveStandard()
        let writing = try second.aboveStandard()
        self.reading = reading
        self.writing = writing
    }
}
