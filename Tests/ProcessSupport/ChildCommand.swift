import CLinux
import LinuxNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What to run as a child process.
package struct ChildCommand: Sendable {
    /// What the child reads on its standard input.
    package enum Input: Sendable {
        /// Nothing: the end at once.
        case none
        /// These bytes, then the end.
        case bytes([UInt8])
        /// What `ChildProcess.write` is given, until `closeInput`.
        case pipe
    }

    /// The program's path, or a name to look for in PATH.
    package var program: String
    /// What follows the program's name.
    package var arguments: [String]
    /// The variables to change in the child's environment; nil as a value removes one.
    package var environment: [String: String?]
    /// The folder it starts in; nil for ours.
    package var directory: String?
    /// What it reads.
    package var input: Input
    /// How long it may run before it is killed; nil for as long as it likes.
    package var limit: Duration?
    /// How many bytes of each of its outputs are kept for a reader that is slow.
    package var outputLimit = 64 << 20

    /// A program and its arguments.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:],
        directory: String? = nil, input: Input = .none, limit: Duration? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.limit = limit
    }
}

/// How a child process ended.
package enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
    /// By itself, with this status.
    case exited(Int32)
    /// By a signal, of this number.
    case signalled(Int32)

    /// Whether it ended by itself with status zero.
    package var isSuccess: Bool { self == .exited(0) }

    /// `exit status 2`, `signal 15`.
    package var description: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signalled(let number): "signal \(number)"
        }
    }

    /// From the word that `waitpid` fills.
    init(word: Int32) {
        let signal = word & 0x7F
        self = signal == 0 ? .exited(word >> 8 & 0xFF) : .signalled(signal)
    }
}

/// A process that was just started, with our ends of its streams.
struct SpawnedProcess: ~Copyable, Sendable {
    let identifier: Int32
    /// Becomes readable when the process ends.
    let handle: FileDescriptor
    let input: FileDescriptor
    let output: FileDescriptor
    let errors: FileDescriptor
}

extension ChildCommand {
    /// Starts it, in a process group of its own so that what it starts can be ended with it.
    func spawn() throws(SystemError) -> SpawnedProcess {
        let input = try Pipe()
        let output = try Pipe()
        let errors = try Pipe()
        try input.writing.setNonBlocking()
        try output.reading.setNonBlocking()
        try errors.reading.setNonBlocking()
        let identifier = try start(
            streams: [input.reading.number, output.writing.number, errors.writing.number])
        do throws(SystemError) {
            let handle = try SystemCall.check("pidfd_open") {
                Int32(truncatingIfNeeded: system_call(Int(SYS_pidfd_open), Int(identifier), 0))
            }
            // The child's ends close here: only then can ours see an end.
            return SpawnedProcess(
                identifier: identifier, handle: FileDescriptor(owning: handle),
                input: input.writing, output: output.reading, errors: errors.reading)
        } catch {
            kill(identifier, SIGKILL)
            var word: Int32 = 0
            unsafe waitpid(identifier, &word, 0)
            throw error
        }
    }

    private func start(streams: [Int32]) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (standard, stream) in streams.enumerated() {
            // A duplicate is not closed when the program starts, as the original is.
            unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(standard))
        }
        if let directory {
            unsafe posix_spawn_file_actions_addchdir_np(&actions, directory)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The child must not inherit the signals that we block or ignore.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        let environment = changedEnvironment()
        var identifier: pid_t = 0
        try SystemCall.checkReturned("run", subject: program) {
            unsafe Self.withCStrings([program] + arguments) { arguments in
                unsafe Self.withCStrings(environment) { environment in
                    // All of it outlives the call.
                    unsafe posix_spawnp(
                        &identifier, program, &actions, &attributes, arguments, environment)
                }
            }
        }
        return identifier
    }

    private func changedEnvironment() -> [String] {
        var variables: [String] = []
        for variable in Self.inheritedEnvironment {
            let name = variable.prefix { $0 != "=" }
            if environment[String(name)] == nil { variables.append(variable) }
        }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            if let value { variables.append("\(name)=\(value)") }
        }
        return variables
    }

    /// All variables as `name=value`, as the program was given them.
    private static var inheritedEnvironment: [String] {
        guard let bytes = try? SystemFile.read("/proc/self/environ") else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Lends strings in the form of C: a list of pointers that ends with nil.
    private static func withCStrings(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        // Ours by `strdup`, and nobody keeps them.
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers)
    }
}
