import LinuxNetworking
import ProcessSupport
package import Testing

/// What a test takes that a fresh machine may lack. Where it lacks, the test is skipped, and the
/// end of the run says so (`LeftOut`).
extension Trait where Self == ConditionTrait {
    /// Network namespaces of its own.
    package static var makesNetworks: Self {
        let reason = "real sockets in networks of their own (that takes root)"
        return .enabled(
            if: LeftOut.unless(CurrentProcess.isAdministrator, reason),
            Comment(rawValue: reason))
    }

    /// A folder of captures or vectors that is not a part of the project.
    package static func shared(_ folder: String) -> Self {
        let there = ProjectFiles.shared.map { SystemFile.isDirectory("\($0)/\(folder)") } ?? false
        let reason = "others' \(folder) (VICINITY_SHARED names no folder that has them)"
        return .enabled(if: LeftOut.unless(there, reason), Comment(rawValue: reason))
    }

    /// A program of the system; these are its paths.
    package static func command(_ paths: String...) -> Self {
        let reason = "what takes \(paths[0]) (it is not installed)"
        return .enabled(
            if: LeftOut.unless(paths.contains { SystemFile.exists($0) }, reason),
            Comment(rawValue: reason))
    }

    /// Modules of Python. With `VICINITY_LAB=required` the test runs, and fails without them.
    package static func python(_ modules: String...) -> Self {
        let reason = "comparison by python3 with \(modules.joined(separator: ", ")) (not installed)"
        return .enabled(Comment(rawValue: reason)) {
            if PythonModules.areRequired { return true }
            return LeftOut.unless(await PythonModules.areInstalled(modules), reason)
        }
    }
}
