#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the system says of this program.
package enum CurrentProcess {
    /// The kernel's number of it.
    package static var identifier: Int32 { getpid() }

    /// Whether it runs as the administrator.
    package static var isAdministrator: Bool { geteuid() == 0 }

    /// How many bytes of memory it occupies.
    package static var residentMemory: Int {
        guard let bytes = try? SystemFile.read("/proc/self/statm", limit: 4096) else { return 0 }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Does the program's work, then ends it with the exit code that the work gives.
    ///
    /// For the main thread, which waits here with the signals that it has blocked. An `await` in
    /// the main program would have it wait in the runtime's own way, which lets every signal in.
    package static func run(_ work: @escaping @Sendable () async -> Int32) -> Never {
        Task.detached { endProgram(await work()) }
        park()
    }

    /// Leaves the calling thread asleep for good, while others do the work. Signals that are
    /// blocked don't wake it.
    package static func park() -> Never {
        while true { pause() }
    }

    /// Ends the program at once.
    package static func exit(_ code: Int32) -> Never {
        endProgram(code)
    }
}

// Outside of the type that has a method of that name.
private func endProgram(_ code: Int32) -> Never {
    exit(code)
}
