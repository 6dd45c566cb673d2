import Conformance
import LinuxNetworking
import Testing

/// The display names of all tests of the project, read from their sources.
struct TestNames {
    /// A test and the file that it is in.
    struct Entry {
        let file: String
        let name: String
    }

    let entries: [Entry]

    /// Reads the sources under `Tests`.
    init(project: String) throws {
        var entries: [Entry] = []
        for file in try SystemFile.files(under: "\(project)/Tests") where file.hasSuffix(".swift") {
            let text = String(
                decoding: try SystemFile.read("\(project)/Tests/\(file)"), as: UTF8.self)
            entries += Self.names(in: text).map { Entry(file: file, name: $0) }
        }
        self.entries = entries
    }

    /// The names that stand in `@Test("…"`.
    static func names(in text: String) -> [String] {
        text.split(separator: "@Test(", omittingEmptySubsequences: false).dropFirst().compactMap {
            let rest = $0.drop { $0 == " " || $0 == "\n" }
            guard rest.first == "\"" else { return nil }
            return String(rest.dropFirst().prefix { $0 != "\"" && $0 != "\n" })
        }
    }

    /// The ids that a name begins with; there may be several.
    static func ids(of name: String) -> [String] {
        name.split(separator: " ").map(String.init).prefix { Requirement.named($0) != nil }
            .map { $0 }
    }

    /// For each id, the files with a test of that name, sorted.
    var filesByID: [String: [String]] {
        var files: [String: Set<String>] = [:]
        for entry in entries {
            for id in Self.ids(of: entry.name) { files[id, default: []].insert(entry.file) }
        }
        return files.mapValues { $0.sorted() }
    }
}
