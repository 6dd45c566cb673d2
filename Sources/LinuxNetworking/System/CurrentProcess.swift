internal import CLinux

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

    /// The path of its file; nil where the system does not tell.
    package static var executablePath: String? { SystemFile.target(ofLink: "/proc/self/exe") }

    /// How many bytes of memory it occupies.
    package static var residentMemory: Int {
        guard let bytes = try? SystemFile.read("/proc/self/statm", limit: 4096) else { return 0 }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Leaves the calling thread asleep for good, while others do the work.
    ///
    /// For the main thread, with the signals that it has blocked. An `await` in the main program
    /// would have it wait in the runtime's own way, which lets every signal in.
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
