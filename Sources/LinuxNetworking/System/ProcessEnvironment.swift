import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The variables the program was started with.
package enum ProcessEnvironment {
    /// The value of a variable, nil where it isn't set.
    package static subscript(name: String) -> String? {
        // Nothing in the program changes the environment, so the text stays where it is until
        // it is copied here.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// All variables as `name=value`, as the program was given them.
    static var inherited: [String] {
        guard let bytes = try? SystemFile.read("/proc/self/environ") else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
