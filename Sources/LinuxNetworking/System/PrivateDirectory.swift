internal import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder for keys: it and its files are the user's alone, and nothing in it is ever half
/// written.
///
/// The folder is opened once and its files by their names in it, so that nobody can put another
/// folder in its place meanwhile. Links are not followed. Calls wait for the disk: they are not
/// for a loop's thread.
package struct PrivateDirectory: ~Copyable, Sendable {
    /// Where it is, as it was given.
    package let path: String
    private let directory: FileDescriptor

    /// Opens a folder, and makes it (with those above it) where there is none.
    ///
    /// - Throws: `PrivateFileError.notPrivate` if others may enter it, `otherOwner` if it is not
    ///   this user's, `symbolicLink` if a link stands at its path.
    package init(_ path: String) throws(PrivateFileError) {
        directory = try Self.open(path)
        self.path = path
    }

    /// A file's bytes; nil where there is none.
    ///
    /// - Throws: `PrivateFileError.tooLarge` if it has more than `limit` bytes; as `init` for
    ///   a file that is not the user's alone.
    package borrowing func read(_ name: String, limit: Int) throws(PrivateFileError) -> [UInt8]? {
        let path = try self.path(of: name)
        guard let file = try open(name, path) else { return nil }
        do throws(SystemError) {
            var bytes: [UInt8] = []
            while true {
                guard let piece = try file.read(upTo: max(1, limit - bytes.count + 1)),
                    !piece.isEmpty
                else { return bytes }
                bytes += piece
                guard bytes.count <= limit else {
                    throw SystemError("read", .fileTooLarge, subject: path)
                }
            }
        } catch {
            throw PrivateFileError(error, path: path, isWriting: false)
        }
    }

    /// Reads a file into memory that the caller overwrites afterwards.
    ///
    /// - Returns: How many bytes were read, `bytes.count` at most; nil where there is no file.
    package borrowing func read(
        _ name: String, into bytes: inout MutableSpan<UInt8>
    ) throws(PrivateFileError) -> Int? {
        let path = try self.path(of: name)
        guard let file = try open(name, path) else { return nil }
        let number = file.number
        var count = 0
        var failure: SystemError?
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            do throws(SystemError) {
                while count < buffer.count {
                    let got = try SystemCall.check("read") {
                        // What is left of the buffer.
                        unsafe SystemCall.readBytes(number, start + count, buffer.count - count)
                    }
                    guard got > 0 else { return }
                    count += got
                }
            } catch { failure = error }
        }
        if let failure { throw PrivateFileError(failure, path: path, isWriting: false) }
        return count
    }

    /// Writes a file in the place of the one that was there: readers see the old or the new one
    /// whole, also after the power was cut.
    package borrowing func replace(
        _ name: String, with bytes: Span<UInt8>
    ) throws(PrivateFileError) {
        let path = try self.path(of: name)
        let directory = directory.number
        try withTemporary(of: bytes, path) { temporary throws(SystemError) in
            // Both names are strings that outlive the call.
            try SystemCall.check("rename") {
                unsafe renameat(directory, temporary, directory, name)
            }
        }
    }

    /// Writes a file unless there is one, so that of several programs only one makes it.
    ///
    /// - Returns: Whether this one did.
    package borrowing func create(
        _ name: String, with bytes: Span<UInt8>
    ) throws(PrivateFileError) -> Bool {
        let path = try self.path(of: name)
        let directory = directory.number
        var isNew = true
        try withTemporary(of: bytes, path) { temporary throws(SystemError) in
            do throws(SystemError) {
                // Fails if the name is taken, unlike a rename.
                try SystemCall.check("link") {
                    unsafe linkat(directory, temporary, directory, name, 0)
                }
            } catch {
                guard error.code == .fileExists else { throw error }
                isNew = false
            }
            unsafe unlinkat(directory, temporary, 0)
        }
        return isNew
    }

    /// Takes the folder for this program; nil if another one has it. Given back when the value's
    /// life ends, or the program's.
    package borrowing func lock() throws(PrivateFileError) -> PrivateDirectoryLock? {
        let name = "lock"
        let path = try self.path(of: name)
        let directory = directory.number
        do throws(SystemError) {
            let number = try SystemCall.check("open") {
                unsafe open_in(
                    directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
            }
            let file = FileDescriptor(owning: number)
            guard
                try SystemCall.checkUnlessBlocked("flock", { flock(number, LOCK_EX | LOCK_NB) })
                    != nil
            else { return nil }
            return PrivateDirectoryLock(file)
        } catch {
            throw PrivateFileError(error, path: path, isWriting: true)
        }
    }

    // MARK: Inside

    /// A name of a file in the folder, not of one elsewhere.
    private borrowing func path(of name: String) throws(PrivateFileError) -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0),
            !name.utf8.contains(UInt8(ascii: "/"))
        else { throw .system(SystemError("open", .invalidArgument, subject: name)) }
        return "\(path)/\(name)"
    }

    private borrowing func open(
        _ name: String, _ path: String
    ) throws(PrivateFileError) -> FileDescriptor? {
        let directory = directory.number
        let number: Int32
        do throws(SystemError) {
            // Without O_NONBLOCK it would wait at a pipe that somebody put there.
            number = try SystemCall.check("open") {
                unsafe open_in(
                    directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
            }
        } catch {
            guard error.code != .noSuchFile else { return nil }
            throw PrivateFileError(error, path: path, isWriting: false)
        }
        let file = FileDescriptor(owning: number)
        try Self.check(number, kind: FileKind.regular, path: path)
        return file
    }

    /// Writes a file beside its place, then calls `place`, which moves it there.
    private borrowing func withTemporary(
        of bytes: Span<UInt8>, _ path: String, _ place: (String) throws(SystemError) -> Void
    ) throws(PrivateFileError) {
        let directory = directory.number
        let temporary = ".\(getpid()).\(UInt64.random(in: 0 ... .max)).part"
        do throws(SystemError) {
            let number = try SystemCall.check("open") {
                unsafe open_in(
                    directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    mode_t(0o600))
            }
            let file = FileDescriptor(owning: number)
            try SystemCall.check("fchmod") { fchmod(number, 0o600) }
            try file.writeAll(bytes)
            try SystemCall.check("fsync") { fsync(number) }
            try place(temporary)
            try SystemCall.check("fsync") { fsync(directory) }
        } catch {
            unsafe unlinkat(directory, temporary, 0)
            throw PrivateFileError(error, path: path, isWriting: true)
        }
    }

    private static func open(_ path: String) throws(PrivateFileError) -> FileDescriptor {
        let directory: FileDescriptor
        do throws(SystemError) {
            try create(path)
            directory = try SystemFile.open(path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            throw PrivateFileError(error, path: path, isWriting: true)
        }
        try check(directory.number, kind: FileKind.directory, path: path)
        return directory
    }

    /// Makes the folder for the user alone, and those above it as others do.
    private static func create(_ path: String) throws(SystemError) {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try SystemFile.createDirectory(String(path[..<slash]))
        }
        do throws(SystemError) {
            try SystemCall.check("mkdir") { unsafe mkdir(path, 0o700) }
        } catch {
            guard error.code == .fileExists || SystemFile.exists(path) else { throw error }
        }
    }

    private static func check(
        _ number: Int32, kind: mode_t, path: String
    ) throws(PrivateFileError) {
        var status = stat()
        do throws(SystemError) {
            try SystemCall.check("fstat") { unsafe fstat(number, &status) }
        } catch {
            throw PrivateFileError(error, path: path, isWriting: false)
        }
        guard status.st_mode & FileKind.mask == kind else { throw .wrongKind(path: path) }
        guard status.st_uid == geteuid() else {
            throw .otherOwner(path: path, user: status.st_uid)
        }
        let permissions = UInt32(status.st_mode & 0o777)
        guard permissions & 0o077 == 0 else {
            throw .notPrivate(path: path, permissions: permissions)
        }
    }
}

/// The right to change what is in a `PrivateDirectory`.
package struct PrivateDirectoryLock: ~Copyable, Sendable {
    /// The lock belongs to the open file and goes with it.
    private let file: FileDescriptor

    fileprivate init(_ file: consuming FileDescriptor) { self.file = file }
}
