import LinuxNetworking

/// The project's folder and what tests read from it.
package enum ProjectFiles {
    /// The folder that `Package.swift` is in.
    package static let root: String = {
        var parts = #filePath.split(separator: "/")
        while let _ = parts.popLast() {
            let folder = "/" + parts.joined(separator: "/")
            if SystemFile.exists("\(folder)/Package.swift") { return folder }
        }
        return "."
    }()

    /// A path under `Fixtures/`.
    package static func fixture(_ path: String) -> String { "\(root)/Fixtures/\(path)" }

    /// Whether golden texts are to be written anew rather than compared.
    package static var writesGolden: Bool { ProcessEnvironment["VICINITY_GOLDEN"] == "write" }

    /// The folder of captures and vectors that is not a part of the project; `nil` where it is
    /// not there. `VICINITY_SHARED` names it, by default it is beside the project.
    package static let shared: String? = {
        let named = ProcessEnvironment["VICINITY_SHARED"] ?? "../shared"
        let path = named.hasPrefix("/") ? named : "\(root)/\(named)"
        return SystemFile.isDirectory(path) ? path : nil
    }()
}
