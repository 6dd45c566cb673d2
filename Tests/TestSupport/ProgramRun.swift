package import LinuxNetworking
package import ProcessSupport

/// The built program, run as a user runs it.
package enum ProgramRun {
    /// Runs `mdns` with these words until it ends, a minute at most.
    package static func run(
        _ arguments: [String], input: [UInt8]? = nil
    ) async throws(SystemError) -> ChildProcess.Outcome {
        try await ChildProcess.run(
            ChildCommand(
                program, arguments, input: input.map { .bytes($0) } ?? .none, limit: .seconds(60)))
    }

    /// The program's path.
    package static let program = path(of: "mdns")

    /// The path of a program of this package: beside the program that runs the tests.
    package static func path(of name: String) -> String {
        let own = CommandLine.arguments.first ?? ""
        let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? "."
        return SystemFile.exists("\(folder)/\(name)")
            ? "\(folder)/\(name)" : "\(ProjectFiles.root)/.build/debug/\(name)"
    }
}
