import CLinux
package import LinuxEventLoop
package import LinuxNetworking
import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program run by this one, its output read line by line while it runs.
///
/// Nothing here blocks: the loop watches the pipes and a handle of the process. The value is
/// kept alive until the process has ended, and exited children are reaped. The process leads a
/// group of its own, which is what signals are sent to.
package actor ChildProcess {
    private let loop: EventLoop
    /// The kernel's number of the process.
    package nonisolated let identifier: Int32
    private let handle: FileDescriptor
    private var handleWatch: Watch?
    private var limitTimer: DeadlineTimer?
    private var input: FileDescriptor?
    private var inputWatch: Watch?
    private var inputPending: [UInt8] = []
    private var inputEnds = false
    private let output: ChildOutlet
    private let errors: ChildOutlet
    private var status: ExitStatus?
    private var exitWaiters: [CheckedContinuation<Void, Never>] = []
    /// Whether it was killed because it ran longer than it may.
    package private(set) var exceededLimit = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private init(_ process: consuming SpawnedProcess, _ command: ChildCommand, _ loop: EventLoop) {
        self.loop = loop
        let limit = command.outputLimit
        identifier = process.identifier
        handle = process.handle
        input = consume process.input
        output = ChildOutlet(process.output, limit: limit)
        errors = ChildOutlet(process.errors, limit: limit)
    }

    /// Starts a program.
    ///
    /// - Parameter loop: what watches it; nil for the shared one.
    package static func start(
        _ command: ChildCommand, on loop: EventLoop? = nil
    ) async throws(SystemError) -> ChildProcess {
        let loop = if let loop { loop } else { try EventLoop.shared }
        let process = ChildProcess(try command.spawn(), command, loop)
        try await process.begin(command)
        return process
    }

    /// Runs a program to its end and gives all that it wrote.
    package static func run(
        _ command: ChildCommand, on loop: EventLoop? = nil
    ) async throws(SystemError) -> Outcome {
        let process = try await start(command, on: loop)
        let status = await process.waitForExit()
        return await process.outcome(status)
    }

    /// What a finished program left.
    package struct Outcome: Hashable, Sendable {
        /// How it ended.
        package var status: ExitStatus
        /// What it wrote to its standard output.
        package var output: [UInt8]
        /// What it wrote to its standard error.
        package var errors: [UInt8]
        /// Whether it was killed because it ran longer than it may.
        package var exceededLimit: Bool

        /// The standard output as text.
        package var text: String { String(decoding: output, as: UTF8.self) }
        /// The standard error as text.
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    private func outcome(_ status: ExitStatus) -> Outcome {
        Outcome(
            status: status, output: output.takeAll(), errors: errors.takeAll(),
            exceededLimit: exceededLimit)
    }

    private func begin(_ command: ChildCommand) throws(SystemError) {
        do throws(SystemError) {
            // Holds this value until the process has ended.
            handleWatch = try loop.watch(handle) { _ in
                self.assumeIsolated { $0.collectExit() }
            }
            try output.begin(on: loop) { [weak self] _ in
                self?.assumeIsolated { $0.output.read(hasExited: $0.status != nil) }
            }
            try errors.begin(on: loop) { [weak self] _ in
                self?.assumeIsolated { $0.errors.read(hasExited: $0.status != nil) }
            }
        } catch {
            kill()
            throw error
        }
        if let limit = command.limit {
            limitTimer = loop.makeTimer { [weak self] in
                self?.assumeIsolated { $0.stopAtLimit() }
            }
            limitTimer?.setDeadline(SystemClock.now.advanced(by: limit))
        }
        switch command.input {
        case .none: input = nil
        case .bytes(let bytes):
            write(bytes)
            closeInput()
        case .pipe: break
        }
    }

    // MARK: Its end

    /// Waits for its end. When the waiting task is cancelled, the process is killed: nobody
    /// would be there to end it.
    package func waitForExit() async -> ExitStatus {
        while true {
            if let status { return status }
            await withTaskCancellationHandler {
                await withCheckedContinuation { addExitWaiter($0) }
            } onCancel: {
                Task { await self.kill() }
            }
        }
    }

    // Between the check above and this call the actor may have done something else.
    private func addExitWaiter(_ continuation: CheckedContinuation<Void, Never>) {
        if status == nil {
            exitWaiters.append(continuation)
        } else {
            continuation.resume()
        }
    }

    /// Asks the process and what it started to end (SIGTERM).
    package func terminate() {
        send(signal: SIGTERM)
    }

    /// Interrupts the process and what it started, as Control-C does (SIGINT).
    package func interrupt() {
        send(signal: SIGINT)
    }

    /// Tells the process and what it started that the terminal is gone, or to read its
    /// configuration again (SIGHUP).
    package func hangUp() {
        send(signal: SIGHUP)
    }

    /// Ends the process and what it started at once (SIGKILL).
    package func kill() {
        send(signal: SIGKILL)
    }

    /// Sends a signal to the process's group, as long as the process is there: afterwards its
    /// number may belong to somebody else.
    package func send(signal: Int32) {
        guard status == nil else { return }
        killpg(identifier, signal)
    }

    private func stopAtLimit() {
        exceededLimit = status == nil
        kill()
    }

    private func collectExit() {
        var word: Int32 = 0
        // The word is alive for the call, which doesn't wait.
        guard unsafe waitpid(identifier, &word, WNOHANG) == identifier else { return }
        status = ExitStatus(word: word)
        handleWatch?.cancel()
        handleWatch = nil
        limitTimer?.cancel()
        limitTimer = nil
        endInput()
        output.read(hasExited: true)
        errors.read(hasExited: true)
        for waiter in exitWaiters { waiter.resume() }
        exitWaiters = []
    }

    // MARK: What it reads

    /// Gives it more to read; what the pipe does not take yet is kept.
    package func write(_ bytes: [UInt8]) {
        guard input != nil, !inputEnds else { return }
        inputPending.append(contentsOf: bytes)
        writePending()
    }

    /// Gives it more text to read.
    package func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Lets it see the end of its input when it has read what is there.
    package func closeInput() {
        inputEnds = true
        writePending()
    }

    private func writePending() {
        do throws(SystemError) {
            var start = 0
            while start < inputPending.count {
                let rest = inputPending.span.extracting(start...)
                guard let count = try input?.write(rest) else { break }
                start += count
            }
            inputPending.removeFirst(start)
            if inputPending.isEmpty {
                inputWatch?.cancel()
                inputWatch = nil
                if inputEnds { endInput() }
            } else if inputWatch == nil, let number = input?.number {
                inputWatch = try loop.watch(number: number, for: .writable) { [weak self] _ in
                    self?.assumeIsolated { $0.writePending() }
                }
            }
        } catch {
            // It reads no more.
            endInput()
        }
    }

    private func endInput() {
        inputWatch?.cancel()
        inputWatch = nil
        input = nil
        inputPending = []
    }

    // MARK: What it writes

    /// Its standard output, line by line, until it has ended and all was read.
    package nonisolated var outputLines: ChildLines { ChildLines(self, .output) }
    /// Its standard error, line by line, until it has ended and all was read.
    package nonisolated var errorLines: ChildLines { ChildLines(self, .errors) }

    func nextLine(_ channel: ChildLines.Channel) async -> String? {
        let outlet = channel == .output ? output : errors
        while !Task.isCancelled {
            if let line = outlet.nextLine() { return line }
            if outlet.hasEnded { return nil }
            let reader = outlet.newReader()
            await withTaskCancellationHandler {
                await withCheckedContinuation { addReader($0, reader, channel) }
            } onCancel: {
                Task { await self.wake(reader, channel) }
            }
        }
        return nil
    }

    private func addReader(
        _ continuation: CheckedContinuation<Void, Never>, _ reader: Int,
        _ channel: ChildLines.Channel
    ) {
        // A cancellation before this call has looked for the reader in vain.
        guard !Task.isCancelled else { return continuation.resume() }
        (channel == .output ? output : errors).add(continuation, reader: reader)
    }

    private func wake(_ reader: Int, _ channel: ChildLines.Channel) {
        (channel == .output ? output : errors).wake(reader: reader)
    }
}

/// The lines of one output of a child process as they come. Two readers share them.
package struct ChildLines: AsyncSequence, Sendable {
    enum Channel: Sendable {
        case output, errors
    }

    private let process: ChildProcess
    private let channel: Channel

    init(_ process: ChildProcess, _ channel: Channel) {
        self.process = process
        self.channel = channel
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(process: process, channel: channel)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let process: ChildProcess
        fileprivate let channel: Channel

        /// The next line without its end; nil after the last, or when the task is cancelled.
        package mutating func next() async -> String? {
            await process.nextLine(channel)
        }

        /// The same, called from any actor.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> String? {
            await process.nextLine(channel)
        }
    }
}
