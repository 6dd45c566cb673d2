import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How this room calls the system: a result of -1 becomes an error, an interrupted call is
/// made again.
enum SystemCall {
    /// Calls until it is not interrupted; throws what `errno` says when it fails.
    @discardableResult
    @inline(__always)
    static func check<Result: FixedWidthInteger>(
        _ operation: String, subject: @autoclosure () -> String? = nil, _ call: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = call()
            guard result == -1 else { return result }
            let reason = errno
            guard reason != EINTR else { continue }
            throw SystemError(operation, .init(rawValue: reason), subject: subject())
        }
    }

    /// Calls something that returns the error's number itself, zero for success.
    static func checkReturned(
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

    /// `write`, for types that have a method of that name.
    @inline(__always)
    static func writeBytes(
        _ number: Int32, _ start: UnsafePointer<UInt8>?, _ count: Int
    ) -> Int {
        unsafe write(number, start, count)
    }

    /// `open`, for types that have a method of that name.
    static func openFile(_ path: String, _ flags: Int32, _ permissions: UInt32) -> Int32 {
        // The path is a string that outlives the call.
        unsafe open(path, flags, mode_t(permissions))
    }

    /// `bind`, for types that have a method of that name.
    static func bindSocket(
        _ number: Int32, _ address: UnsafeMutableRawPointer, _ length: socklen_t
    ) -> Int32 {
        // The caller's memory holds an address of that length.
        unsafe bind(number, address.assumingMemoryBound(to: sockaddr.self), length)
    }

    /// `getsockname` into memory that has room for any address.
    static func socketName(
        _ number: Int32, _ address: UnsafeMutableRawPointer, _ length: inout socklen_t
    ) -> Int32 {
        unsafe getsockname(number, address.assumingMemoryBound(to: sockaddr.self), &length)
    }
}
