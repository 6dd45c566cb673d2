import LinuxNetworking
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a test run leaves out: one line, written when the process ends.
package enum LeftOut {
    private static let reasons: Mutex<[String]> = {
        // Behind the result of the run, which the testing library writes before it exits.
        atexit { LeftOut.write() }
        return Mutex([])
    }()

    /// The condition, for a trait; where it does not hold, the end of the run says the reason.
    package static func unless(_ condition: Bool, _ reason: String) -> Bool {
        guard !condition else { return true }
        reasons.withLock { known in
            if !known.contains(reason) { known.append(reason) }
        }
        return false
    }

    private static func write() {
        let line = "left out: " + reasons.withLock { $0 }.joined(separator: "; ") + "\n"
        // Nobody is left who could be told of a failure.
        try? StandardStream.output.write(line)
    }
}
