internal import CLinux
package import LinuxNetworking

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
        signal(SIGPIPE, SIG_IGN)
    }

    /// Takes signals off the calling thread and all threads that it starts from now on.
    ///
    /// Call it in the main thread before anything else runs: a thread that has not blocked them
    /// would get them instead, and end the program.
    package static func block(_ signals: [Signal]) {
        var set = signalSet(signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// The signals that arrive, after `block` was called for them. Ends with its reader's task.
    package static func events(
        of signals: [Signal], on loop: EventLoop? = nil
    ) async throws(SystemError) -> AsyncStream<Signal> {
        let loop = if let loop { loop } else { try EventLoop.shared }
        var set = signalSet(signals)
        let number = try SystemCall.check("signalfd") {
            // The set is copied by the kernel.
            unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        }
        let source = SignalSource(FileDescriptor(owning: number), signals, loop)
        return try await source.begin()
    }

    /// Sends a signal to the calling thread only, so that a test can have one.
    package static func raiseHere(_ signal: Signal) {
        pthread_kill(pthread_self(), signal.number)
    }

    private static func signalSet(_ signals: [Signal]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal.number) }
        return set
    }
}

/// Reads signals on a loop. Kept alive by its watch until the reader is gone.
private actor SignalSource {
    private let file: FileDescriptor
    private let signals: [ProcessSignals.Signal]
    private let loop: EventLoop
    private var continuation: AsyncStream<ProcessSignals.Signal>.Continuation?
    private var watch: Watch?

    private static let recordSize = MemoryLayout<signalfd_siginfo>.size

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(
        _ file: consuming FileDescriptor, _ signals: [ProcessSignals.Signal], _ loop: EventLoop
    ) {
        self.file = file
        self.signals = signals
        self.loop = loop
    }

    func begin() throws(SystemError) -> AsyncStream<ProcessSignals.Signal> {
        watch = try loop.watch(file) { _ in
            self.assumeIsolated { $0.read() }
        }
        // More of them than that would all be the same wish.
        let (stream, continuation) = AsyncStream<ProcessSignals.Signal>.makeStream(
            bufferingPolicy: .bufferingNewest(8))
        continuation.onTermination = { _ in
            Task { await self.end() }
        }
        self.continuation = continuation
        return stream
    }

    private func read() {
        guard let bytes = try? file.read(upTo: Self.recordSize * 8) else { return }
        for start in stride(from: 0, to: bytes.count, by: Self.recordSize) {
            // A record begins with the signal's number, in the machine's order.
            let number = bytes[start..<min(start + 4, bytes.count)].reduce(0) { $0 + Int32($1) }
            guard let signal = signals.first(where: { $0.number == number }) else { continue }
            continuation?.yield(signal)
        }
    }

    private func end() {
        watch?.cancel()
        watch = nil
        continuation = nil
    }
}
