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
}
