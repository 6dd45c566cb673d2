import CLinux
package import LinuxNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Two joined files: what is written to one comes out of the other.
package struct Pipe: ~Copyable, Sendable {
    package let reading: FileDescriptor
    package let writing: FileDescriptor

    /// A pipe whose ends both wait, closed in child processes unless handed on.
    package init() throws(SystemError) {
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

extension FileDescriptor {
    /// The same file under a number above those of the standard streams, so that setting up a
    /// child's streams can't overwrite it. Only differs where the program began without them.
    fileprivate consuming func aboveStandard() throws(SystemError) -> FileDescriptor {
        guard number <= 2 else { return self }
        let number = number
        let moved = try SystemCall.check("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
        return FileDescriptor(owning: moved)
    }
}
