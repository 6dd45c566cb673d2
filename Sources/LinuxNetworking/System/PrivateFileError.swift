/// Why a private file can't be read or written.
package enum PrivateFileError: Error, Hashable, Sendable {
    /// The file system is read-only, or the user may not write there: keys can only be kept
    /// until the program ends.
    case notWritable(SystemError)
    /// Others may read it, or enter the folder.
    case notPrivate(path: String, permissions: UInt32)
    /// It belongs to another user, with that number.
    case otherOwner(path: String, user: UInt32)
    /// A symbolic link stands at the path.
    case symbolicLink(path: String)
    /// It is not a folder, or not an ordinary file.
    case wrongKind(path: String)
    /// It has more bytes than it may have.
    case tooLarge(path: String)
    /// Something else.
    case system(SystemError)

    /// What a failed call means for the file at `path`.
    init(_ error: SystemError, path: String, isWriting: Bool) {
        let named = SystemError(error.operation, error.code, subject: path)
        switch error.code {
        case .readOnlyFileSystem: self = .notWritable(named)
        case .accessDenied where isWriting, .notPermitted where isWriting:
            self = .notWritable(named)
        case .tooManyLinks: self = .symbolicLink(path: path)
        case .notDirectory:
            self = SystemFile.isLink(path) ? .symbolicLink(path: path) : .wrongKind(path: path)
        case .fileTooLarge: self = .tooLarge(path: path)
        default: self = .system(named)
        }
    }
}

extension PrivateFileError: CustomStringConvertible {
    /// What is wrong and what helps, as a sentence.
    package var description: String {
        switch self {
        case .notWritable(let error): "\(error); nothing can be kept there."
        case .notPrivate(let path, let permissions):
            "\(path) is open to others (mode \(String(permissions, radix: 8))); "
                + "take their rights away: chmod go= \(path)"
        case .otherOwner(let path, let user): "\(path) belongs to user \(user)."
        case .symbolicLink(let path): "\(path) is a symbolic link, which is not followed."
        case .wrongKind(let path): "\(path) is of another kind than it should be."
        case .tooLarge(let path): "\(path) is larger than such a file can be."
        case .system(let error): "\(error)"
        }
    }
}
