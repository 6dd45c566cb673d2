import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files and folders of the system.
///
/// These calls wait for the disk: they are for programs and tests, never for a loop's thread.
package enum SystemFile {
    /// Reads a whole file; one longer than `limit` bytes is refused as too large.
    package static func read(
        _ path: String, limit: Int = 64 << 20
    ) throws(SystemError) -> [UInt8] {
        let reader = try Reader(path)
        return try reader.readAll(limit: limit)
    }

    /// Writes a file so that it is there whole or not at all: beside its place first, then
    /// moved over what was there.
    package static func write(
        _ bytes: Span<UInt8>, to path: String, permissions: UInt32 = 0o644
    ) throws(SystemError) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
        do throws(SystemError) {
            let file = try open(
                temporary, flags: O_WRONLY | O_CREAT | O_EXCL, permissions: permissions)
            try file.writeAll(bytes)
            let number = file.number
            try SystemCall.check("fsync", subject: path) { fsync(number) }
            // Both paths are strings that outlive the call.
            try SystemCall.check("rename", subject: path) { unsafe rename(temporary, path) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Writes text as UTF-8, by the same way.
    package static func write(_ text: String, to path: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try write(bytes.span, to: path)
    }

    /// Makes a folder and those above it; one that is there already is fine.
    package static func createDirectory(_ path: String) throws(SystemError) {
        guard !isDirectory(path) else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try createDirectory(String(path[..<slash]))
        }
        do throws(SystemError) {
            try SystemCall.check("mkdir", subject: path) { unsafe mkdir(path, 0o777) }
        } catch {
            // Made by somebody else meanwhile.
            guard error.code == .fileExists, isDirectory(path) else { throw error }
        }
    }

    /// Whether there is a folder of that name.
    package static func isDirectory(_ path: String) -> Bool {
        mode(path).map { $0 & FileKind.mask == FileKind.directory } ?? false
    }

    /// Whether there is anything of that name.
    package static func exists(_ path: String) -> Bool {
        mode(path) != nil
    }

    /// Removes a file, or a folder that is empty.
    package static func remove(_ path: String) throws(SystemError) {
        try SystemCall.check("remove", subject: path) { systemRemove(path) }
    }

    /// The paths of all files under a folder, relative to it, sorted; folders that links point
    /// to are not entered.
    package static func files(under directory: String) throws(SystemError) -> [String] {
        var found: [String] = []
        var pending = [""]
        while let place = pending.popLast() {
            let folder = place.isEmpty ? directory : "\(directory)/\(place)"
            for name in try entries(of: folder) {
                let path = place.isEmpty ? name : "\(place)/\(name)"
                if isRealDirectory("\(directory)/\(path)") {
                    pending.append(path)
                } else {
                    found.append(path)
                }
            }
        }
        return found.sorted()
    }

    /// The names in a folder, sorted.
    package static func entries(of directory: String) throws(SystemError) -> [String] {
        // The stream is closed below; an entry is valid until the next one is read, and its
        // name is copied before.
        guard let stream = unsafe opendir(directory) else {
            throw SystemError.last("opendir", subject: directory)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            SystemCall.errorNumber = 0
            guard let entry = unsafe readdir(stream) else {
                if SystemCall.errorNumber != 0 {
                    throw SystemError.last("readdir", subject: directory)
                }
                return names.sorted()
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Opens a file that child processes don't inherit.
    static func open(
        _ path: String, flags: Int32, permissions: UInt32 = 0
    ) throws(SystemError) -> FileDescriptor {
        let number = try SystemCall.check("open", subject: path) {
            SystemCall.openFile(path, flags | O_CLOEXEC, permissions)
        }
        return FileDescriptor(owning: number)
    }

    private static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode : nil
    }

    /// Whether a symbolic link stands there.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
            && status.st_mode & FileKind.mask == FileKind.link
    }

    /// Where a symbolic link points to; nil if there is none.
    package static func target(ofLink path: String) -> String? {
        let size = 4096
        var bytes = [UInt8](repeating: 0, count: size)
        let length = unsafe bytes.withUnsafeMutableBytes { buffer -> Int in
            guard let start = buffer.baseAddress else { return 0 }
            // The path outlives the call; the buffer is of the size that is passed.
            return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), size)
        }
        // One that fills the buffer may be longer.
        guard length > 0, length < size else { return nil }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }

    private static func isRealDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
            && status.st_mode & FileKind.mask == FileKind.directory
    }

    private static func systemRemove(_ path: String) -> Int32 {
        isRealDirectory(path) ? unsafe rmdir(path) : unsafe unlink(path)
    }
}

extension SystemFile {
    /// Reads a file or the standard input piece by piece.
    package struct Reader: ~Copyable {
        private let file: FileDescriptor
        private let path: String

        /// Opens a file.
        package init(_ path: String) throws(SystemError) {
            file = try SystemFile.open(path, flags: O_RDONLY)
            self.path = path
        }

        private init(_ file: consuming FileDescriptor, path: String) {
            self.file = file
            self.path = path
        }

        /// What is fed to the program.
        package static func standardInput() throws(SystemError) -> Reader {
            // A number of its own, which can be closed.
            let number = try SystemCall.check("fcntl", subject: "standard input") {
                file_control(0, F_DUPFD_CLOEXEC, 3)
            }
            return Reader(FileDescriptor(owning: number), path: "standard input")
        }

        /// The next bytes, at most `limit` and at least one; empty at the end.
        package borrowing func next(upTo limit: Int = 1 << 18) throws(SystemError) -> [UInt8] {
            do throws(SystemError) {
                while true {
                    if let bytes = try file.read(upTo: limit) { return bytes }
                    // A terminal or pipe that somebody set to non-blocking.
                    try file.waitUntilReadable()
                }
            } catch {
                throw SystemError(error.operation, error.code, subject: path)
            }
        }

        /// All that is left; more than `limit` bytes are refused as too large.
        package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                let piece = try next(upTo: max(1, min(limit - bytes.count + 1, 1 << 18)))
                if piece.isEmpty { return bytes }
                bytes.append(contentsOf: piece)
                guard bytes.count <= limit else {
                    throw SystemError("read", .fileTooLarge, subject: path)
                }
            }
        }
    }
}
