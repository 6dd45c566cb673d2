package import LinuxNetworking
package import ProcessSupport

/// What Python has, for tests that compare this project with others' code.
package enum PythonModules {
    /// With `VICINITY_LAB=required` such tests run, and fail where a module is missing.
    package static let areRequired = ProcessEnvironment["VICINITY_LAB"] == "required"

    /// Whether `python3` can import them all.
    package static func areInstalled(_ names: [String]) async -> Bool {
        let words = ["-c", "import \(names.joined(separator: ", "))"]
        let outcome = try? await ChildProcess.run(
            ChildCommand("python3", words, limit: .seconds(30)))
        return outcome?.status.isSuccess == true
    }

    /// Runs a script of `Tests/Lab`.
    package static func run(
        _ script: String, _ arguments: [String]
    ) async throws(SystemError) -> ChildProcess.Outcome {
        try await ChildProcess.run(
            ChildCommand(
                "python3", ["\(ProjectFiles.root)/Tests/Lab/\(script)"] + arguments,
                limit: .seconds(120)))
    }
}
