import LinuxNetworking
import TestSupport
import Testing

@testable import MDNSTool

/// Captures of our own lab, with what we make of them.
@Suite struct GoldenCaptureTests {
    static let captures = ProjectFiles.fixture("Captures/lab")
    static let expected = ProjectFiles.fixture("Captures/expected")
    static let names = (try? SystemFile.entries(of: captures)) ?? []

    @Test("There are captures")
    func present() {
        #expect(Self.names.count == 10)
    }

    @Test("Text and JSON are as they were", arguments: names)
    func golden(name: String) throws {
        let file = try SystemFile.read("\(Self.captures)/\(name)")
        for (isJSON, ending) in [(false, "txt"), (true, "jsonl")] {
            let (output, error, statistics) = decodedOutput(ofCapture: file, isJSON: isJSON)
            #expect(error == nil)
            let notes = DecodeNotes.problems(statistics) + DecodeNotes.remarks(statistics)
            // The notes stand below the text, as on a terminal.
            let text = isJSON ? output : output + notes.map { "mdns decode: \($0)\n" }.joined()
            let path = "\(Self.expected)/\(name).\(ending)"
            if ProjectFiles.writesGolden {
                try SystemFile.createDirectory(Self.expected)
                try SystemFile.write(text, to: path)
            }
            let golden = String(decoding: try SystemFile.read(path), as: UTF8.self)
            // One difference is enough to look at; the whole text would bury it.
            let pairs = zip(
                text.split(separator: "\n", omittingEmptySubsequences: false),
                golden.split(separator: "\n", omittingEmptySubsequences: false))
            let difference = pairs.first { $0 != $1 }
            #expect(difference?.0 == difference?.1, "\(path)")
            #expect(text.utf8.count == golden.utf8.count, "\(path)")
        }
    }

    @Test("No golden text without its capture", .enabled(if: !ProjectFiles.writesGolden))
    func noneLeftOver() throws {
        let wanted = Self.names.flatMap { ["\($0).jsonl", "\($0).txt"] }.sorted()
        #expect(try SystemFile.entries(of: Self.expected) == wanted)
    }
}
