import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How the system is called: a result of -1 becomes an error, an interrupted call is
/// made again.
package enum SystemCall {
    /// `errno`: the reason for which the thread's last call failed.
    static var errorNumber: Int32 {
        // The thread's own number, as long as the thread lives.
        get { unsafe __errno_location().pointee }
        set { unsafe __errno_location().pointee = newValue }
    }

    /// Calls until it is not interrupted; throws what `errno` says when it fails.
    @discardableResult
    @inline(__always)
    package static func check<Result: FixedWidthInteger>(
        _ operation: String, subject: @autoclosure () -> String? = nil, _ call: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = call()
            guard result == -1 else { return result }
            let reason = errorNumber
            guard reason != EINTR else { continue }
            throw SystemError(operation, .init(rawValue: reason), subject: subject())
        }
    }

    /// Calls something that returns the error's number itself, zero for success.
    package static func checkReturned(
        _ operation: String, subject: @autoclosure () -> String? = nil, _ call: () -> Int32
    ) throws(SystemError) {
        while true {
            let reason = call()
            if reason == 0 { return }
            guard reason != EINTR else { continue }
            throw SystemError(operation, .init(rawValue: reason), subject: subject())
        }
    }

    /// The same, but a call that would have to wait gives nil.
    @inline(__always)
    static func checkUnlessBlocked<Result: FixedWidthInteger>(
        _ operation: String, _ call: () -> Result
    ) throws(SystemError) -> Result? {
        do throws(SystemError) {
            return try check(operation, call)
        } catch {
            // Two numbers for one reason on some architectures.
            if error.code.rawValue == EAGAIN || error.code.rawValue == EWOULDBLOCK { return nil }
            throw error
        }
    }

    /// `read`, for types that have a method of that name.
    @inline(__always)
    static func readBytes(
        _ number: Int32, _ start: UnsafeMutablePointer<UInt8>?, _ count: Int
    ) -> Int {
        unsafe read(number, start, count)
    }

    /// Writes what the kernel takes of `bytes` now: the count, nil when it would have to wait.
    static func write(_ number: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> Int? {
        var result: Int?
        var failure: SystemError?
        unsafe bytes.withUnsafeBufferPointer { buffer in
            do throws(SystemError) {
                result = try checkUnlessBlocked("write") {
                    // The span outlives the call.
                    unsafe writeBytes(number, buffer.baseAddress, buffer.count)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return result
    }

    /// Writes all of `bytes`, and waits for that if need be.
    static func writeAll(_ number: Int32, _ bytes: Span<UInt8>) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            if let count = try write(number, bytes.extracting(start...)) {
                start += count
            } else {
                try wait(number, for: POLLOUT)
            }
        }
    }

    /// Waits until a file is ready for `event`. Never on a loop's thread.
    static func wait(_ number: Int32, for event: Int32) throws(SystemError) {
        var entry = pollfd(fd: number, events: Int16(event), revents: 0)
        try check("poll") {
            // One entry, alive for the call.
            unsafe poll(&entry, 1, -1)
        }
    }

    /// `open`, for types that have a method of that name.
    static func openFile(_ path: String, _ flags: Int32, _ permissions: UInt32) -> Int32 {
        // The path is a string that outlives the call.
        unsafe open_path(path, flags, mode_t(permissions))
    }

    /// `bind`, for types that have a method of that name.
    static func bindSocket(
        _ number: Int32, _ address: UnsafeMutableRawPointer, _ length: socklen_t
    ) -> Int32 {
        // The caller's memory holds an address of that length.
        unsafe bind(number, address.assumingMemoryBound(to: sockaddr.self), length)
    }

    /// `connect`, for types that have a method of that name.
    static func connectSocket(
        _ number: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> Int32 {
        // The caller's memory holds an address of that length.
        unsafe connect(number, address, length)
    }

    /// `getsockname` into memory that has room for any address.
    static func socketName(
        _ number: Int32, _ address: UnsafeMutableRawPointer, _ length: inout socklen_t
    ) -> Int32 {
        unsafe getsockname(number, address.assumingMemoryBound(to: sockaddr.self), &length)
    }
}

// Outside of any type that has a method of that name.
@inline(__always)
private func writeBytes(_ number: Int32, _ start: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    unsafe write(number, start, count)
}
