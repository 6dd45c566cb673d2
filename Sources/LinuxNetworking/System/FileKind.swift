internal import CLinux

/// The bits of a mode that say what kind of file it is: `S_IFMT` and its values, which are of
/// another type where the C library has no module.
enum FileKind {
    static let mask: mode_t = 0o170000
    static let directory: mode_t = 0o040000
    static let regular: mode_t = 0o100000
    static let link: mode_t = 0o120000
}
