internal import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Signals to this program, as events instead of interruptions.
package enum ProcessSignals {
    /// A signal that asks a program for something.
    package enum Signal: Hashable, Sendable, CaseIterable {
        /// To stop, by Control-C.
        case interrupt
        /// To stop, by another program.
        case terminate
        /// To stop because the terminal is gone.
        case hangUp

        var number: Int32 {
            switch self {
            case .interrupt: SIGINT
            case .terminate: SIGTERM
            case .hangUp: SIGHUP
            }
        }

        /// What a shell reports of a program that such a signal ended: 128 and its number.
        package var exitCode: Int32 { 128 + number }
    }

    /// Makes a write to a pipe that nobody reads an error instead of the program's end.
    package static func ignoreBrokenPipe() {
        // SIG_IGN of the kernel, which C defines by a cast: Embedded Swift does not see it.
        let ignore = unsafe unsafeBitCast(1, to: (@convention(c) (Int32) -> Void)?.self)
        signal(SIGPIPE, ignore)
    }

    /// Takes signals off the calling thread and all threads that it starts from now on.
    ///
    /// Call it in the main thread before anything else runs: a thread that has not blocked them
    /// would get them instead, and end the program.
    package static func block(_ signals: [Signal]) {
        var set = signalSet(signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Sends a signal to the calling thread only, so that a test can have one.
    package static func raiseHere(_ signal: Signal) {
        pthread_kill(pthread_self(), signal.number)
    }

    static func signalSet(_ signals: [Signal]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal.number) }
        return set
    }
}

/// The signals that arrive, after `ProcessSignals.block` was called for them: a file that is
/// readable when there is one.
package final class SignalFile: Sendable {
    private let file: FileDescriptor
    private let signals: [ProcessSignals.Signal]

    private static let recordSize = MemoryLayout<signalfd_siginfo>.size

    /// Opens it.
    package init(of signals: [ProcessSignals.Signal]) throws(SystemError) {
        var set = ProcessSignals.signalSet(signals)
        let number = try SystemCall.check("signalfd") {
            // The set is copied by the kernel.
            unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        }
        file = FileDescriptor(owning: number)
        self.signals = signals
    }

    /// The kernel's number of the descriptor, to wait for it.
    package var number: Int32 { file.number }

    /// The signals that have arrived.
    package func read() -> [ProcessSignals.Signal] {
        guard let bytes = try? file.read(upTo: Self.recordSize * 8) else { return [] }
        var arrived: [ProcessSignals.Signal] = []
        for start in stride(from: 0, to: bytes.count, by: Self.recordSize) {
            // A record begins with the signal's number, in the machine's order.
            let number = bytes[start..<min(start + 4, bytes.count)].reduce(0) { $0 + Int32($1) }
            if let signal = signals.first(where: { $0.number == number }) { arrived.append(signal) }
        }
        return arrived
    }
}
