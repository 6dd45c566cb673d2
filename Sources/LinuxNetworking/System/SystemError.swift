import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A system call that failed: which one, on what, and the kernel's reason.
package struct SystemError: Error, Hashable, Sendable {
    /// The kernel's number for a reason, `errno`.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }
    }

    /// The call that failed, `bind`.
    package var operation: String
    /// What it was asked to work on, `port 5353` or a path, where that helps.
    package var subject: String?
    /// The kernel's reason.
    package var code: Code

    /// A failure of `operation` on `subject` for the reason `code`.
    package init(_ operation: String, _ code: Code, subject: String? = nil) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// The failure that `errno` tells of now.
    static func last(_ operation: String, subject: String? = nil) -> SystemError {
        SystemError(operation, Code(rawValue: SystemCall.errorNumber), subject: subject)
    }
}

extension SystemError: CustomStringConvertible {
    /// `bind port 5353: address already in use (EADDRINUSE)`.
    package var description: String {
        let place = subject.map { "\(operation) \($0)" } ?? operation
        return "\(place): \(code.text) (\(code))"
    }
}

extension SystemError.Code {
    package static let notPermitted = Self(rawValue: EPERM)
    package static let noSuchFile = Self(rawValue: ENOENT)
    package static let noSuchProcess = Self(rawValue: ESRCH)
    package static let interrupted = Self(rawValue: EINTR)
    package static let inputOutput = Self(rawValue: EIO)
    package static let badDescriptor = Self(rawValue: EBADF)
    package static let wouldBlock = Self(rawValue: EAGAIN)
    package static let outOfMemory = Self(rawValue: ENOMEM)
    package static let accessDenied = Self(rawValue: EACCES)
    package static let fileExists = Self(rawValue: EEXIST)
    package static let noSuchDevice = Self(rawValue: ENODEV)
    package static let notDirectory = Self(rawValue: ENOTDIR)
    package static let isDirectory = Self(rawValue: EISDIR)
    package static let invalidArgument = Self(rawValue: EINVAL)
    package static let tooManyFiles = Self(rawValue: EMFILE)
    package static let fileTooLarge = Self(rawValue: EFBIG)
    package static let readOnlyFileSystem = Self(rawValue: EROFS)
    package static let tooManyLinks = Self(rawValue: ELOOP)
    package static let noSpace = Self(rawValue: ENOSPC)
    package static let brokenPipe = Self(rawValue: EPIPE)
    package static let messageTooLong = Self(rawValue: EMSGSIZE)
    package static let noProtocolOption = Self(rawValue: ENOPROTOOPT)
    package static let familyUnsupported = Self(rawValue: EAFNOSUPPORT)
    package static let addressInUse = Self(rawValue: EADDRINUSE)
    package static let addressNotAvailable = Self(rawValue: EADDRNOTAVAIL)
    package static let networkDown = Self(rawValue: ENETDOWN)
    package static let networkUnreachable = Self(rawValue: ENETUNREACH)
    package static let noBufferSpace = Self(rawValue: ENOBUFS)
    package static let connectionReset = Self(rawValue: ECONNRESET)
    package static let connectionAborted = Self(rawValue: ECONNABORTED)
    package static let notConnected = Self(rawValue: ENOTCONN)
    package static let inProgress = Self(rawValue: EINPROGRESS)
    package static let shutDown = Self(rawValue: ESHUTDOWN)
    package static let notOffered = Self(rawValue: ENOSYS)
    package static let protocolUnsupported = Self(rawValue: EPROTONOSUPPORT)
    package static let timedOut = Self(rawValue: ETIMEDOUT)
    package static let connectionRefused = Self(rawValue: ECONNREFUSED)
    package static let hostUnreachable = Self(rawValue: EHOSTUNREACH)

    /// Whether the process or the system has used up something, so that it may work later.
    package var isExhaustion: Bool {
        switch rawValue {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: true
        default: false
        }
    }

    /// The reason in words.
    package var text: String {
        Self.known[rawValue]?.text ?? "system error \(rawValue)"
    }

    // strerror keeps its text in a buffer that threads share, so the words are kept here.
    private static let known: [Int32: (name: String, text: String)] = [
        EPERM: ("EPERM", "not permitted"),
        ENOENT: ("ENOENT", "no such file or directory"),
        ESRCH: ("ESRCH", "no such process"),
        EINTR: ("EINTR", "interrupted"),
        EIO: ("EIO", "input/output error"),
        ENXIO: ("ENXIO", "no such device or address"),
        E2BIG: ("E2BIG", "argument list too long"),
        ENOEXEC: ("ENOEXEC", "not an executable"),
        EBADF: ("EBADF", "bad file descriptor"),
        ECHILD: ("ECHILD", "no child process"),
        EAGAIN: ("EAGAIN", "would have to wait"),
        ENOMEM: ("ENOMEM", "out of memory"),
        EACCES: ("EACCES", "permission denied"),
        EBUSY: ("EBUSY", "busy"),
        EEXIST: ("EEXIST", "exists already"),
        EXDEV: ("EXDEV", "on another file system"),
        ENODEV: ("ENODEV", "no such device"),
        ENOTDIR: ("ENOTDIR", "not a directory"),
        EISDIR: ("EISDIR", "is a directory"),
        EINVAL: ("EINVAL", "invalid argument"),
        ENFILE: ("ENFILE", "too many open files in the system"),
        EMFILE: ("EMFILE", "too many open files"),
        EFBIG: ("EFBIG", "file too large"),
        ENOSPC: ("ENOSPC", "no space left on the device"),
        ESPIPE: ("ESPIPE", "not seekable"),
        EROFS: ("EROFS", "read-only file system"),
        EPIPE: ("EPIPE", "nobody reads any more"),
        ENAMETOOLONG: ("ENAMETOOLONG", "name too long"),
        ELOOP: ("ELOOP", "too many symbolic links"),
        ENOSYS: ("ENOSYS", "not offered by this kernel"),
        EMSGSIZE: ("EMSGSIZE", "message too long"),
        ENOPROTOOPT: ("ENOPROTOOPT", "option not known"),
        EPROTONOSUPPORT: ("EPROTONOSUPPORT", "protocol not supported"),
        EOPNOTSUPP: ("EOPNOTSUPP", "operation not supported"),
        EAFNOSUPPORT: ("EAFNOSUPPORT", "address family not supported"),
        EADDRINUSE: ("EADDRINUSE", "address already in use"),
        EADDRNOTAVAIL: ("EADDRNOTAVAIL", "address not available"),
        ENETDOWN: ("ENETDOWN", "network is down"),
        ENETUNREACH: ("ENETUNREACH", "network is unreachable"),
        ECONNABORTED: ("ECONNABORTED", "connection aborted"),
        ECONNRESET: ("ECONNRESET", "connection reset"),
        EINPROGRESS: ("EINPROGRESS", "in progress"),
        ENOTCONN: ("ENOTCONN", "not connected"),
        ENOBUFS: ("ENOBUFS", "no buffer space"),
        ESHUTDOWN: ("ESHUTDOWN", "shut down"),
        ETIMEDOUT: ("ETIMEDOUT", "timed out"),
        ECONNREFUSED: ("ECONNREFUSED", "connection refused"),
        EHOSTUNREACH: ("EHOSTUNREACH", "host is unreachable"),
    ]
}

extension SystemError.Code: CustomStringConvertible {
    /// The reason's name, `EADDRINUSE`.
    package var description: String {
        Self.known[rawValue]?.name ?? "errno \(rawValue)"
    }
}
