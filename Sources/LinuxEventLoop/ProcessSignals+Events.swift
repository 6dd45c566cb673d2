package import LinuxNetworking

extension ProcessSignals {
    /// The signals that arrive, after `block` was called for them. Ends with its reader's task.
    package static func events(
        of signals: [Signal], on loop: EventLoop? = nil
    ) async throws(SystemError) -> AsyncStream<Signal> {
        let loop = if let loop { loop } else { try EventLoop.shared }
        let source = SignalSource(try SignalFile(of: signals), loop)
        return try await source.begin()
    }
}

/// Reads signals on a loop. Kept alive by its watch until the reader is gone.
private actor SignalSource {
    private let file: SignalFile
    private let loop: EventLoop
    private var continuation: AsyncStream<ProcessSignals.Signal>.Continuation?
    private var watch: Watch?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(_ file: SignalFile, _ loop: EventLoop) {
        self.file = file
        self.loop = loop
    }

    func begin() throws(SystemError) -> AsyncStream<ProcessSignals.Signal> {
        watch = try loop.watch(number: file.number, for: .readable) { _ in
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
        for signal in file.read() { continuation?.yield(signal) }
    }

    private func end() {
        watch?.cancel()
        watch = nil
        continuation = nil
    }
}
