import LinuxNetworking
import Testing

/// A folder of its own for a test, which removes it.
private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = "/tmp/vicinity-test-\(UInt64.random(in: 0 ... .max))"
    try SystemFile.createDirectory(folder)
    defer { removeAll(folder) }
    try body(folder)
}

private func removeAll(_ path: String) {
    for name in (try? SystemFile.entries(of: path)) ?? [] { removeAll("\(path)/\(name)") }
    try? SystemFile.remove(path)
}

@Suite("Files")
struct SystemFileTests {
    @Test("What was written is read again, over what was there before")
    func roundTrip() throws {
        try withFolder { folder in
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            try SystemFile.write("before", to: "\(folder)/file")
            try SystemFile.write(bytes.span, to: "\(folder)/file")
            #expect(try SystemFile.read("\(folder)/file") == bytes)
            // The part that was written beside it is gone.
            #expect(try SystemFile.entries(of: folder) == ["file"])
        }
    }

    @Test("A file over the limit is refused, one at the limit is not")
    func limit() throws {
        try withFolder { folder in
            try SystemFile.write("12345", to: "\(folder)/file")
            #expect(try SystemFile.read("\(folder)/file", limit: 5).count == 5)
            let error = #expect(throws: SystemError.self) {
                try SystemFile.read("\(folder)/file", limit: 4)
            }
            #expect(error?.code == .fileTooLarge)
            #expect(error?.subject == "\(folder)/file")
        }
    }

    @Test("A file is read in pieces")
    func pieces() throws {
        try withFolder { folder in
            try SystemFile.write("abcdefg", to: "\(folder)/file")
            let reader = try SystemFile.Reader("\(folder)/file")
            #expect(try reader.next(upTo: 3) == Array("abc".utf8))
            #expect(try reader.next(upTo: 3) == Array("def".utf8))
            #expect(try reader.next(upTo: 3) == Array("g".utf8))
            #expect(try reader.next(upTo: 3).isEmpty)
        }
    }

    @Test("Folders are made with those above them, and their files listed in order")
    func folders() throws {
        try withFolder { folder in
            try SystemFile.createDirectory("\(folder)/b/c")
            try SystemFile.createDirectory("\(folder)/b/c")
            try SystemFile.write("", to: "\(folder)/b/c/two")
            try SystemFile.write("", to: "\(folder)/b/one")
            try SystemFile.write("", to: "\(folder)/a")
            #expect(try SystemFile.files(under: folder) == ["a", "b/c/two", "b/one"])
            #expect(SystemFile.isDirectory("\(folder)/b"))
            #expect(!SystemFile.isDirectory("\(folder)/a"))
            #expect(!SystemFile.exists("\(folder)/d"))
        }
    }

    @Test("What can't be done is told with the path and the reason")
    func failures() throws {
        let error = #expect(throws: SystemError.self) {
            try SystemFile.read("/nowhere/at/all")
        }
        #expect(error?.code == .noSuchFile)
        #expect(
            error?.description
                == "open /nowhere/at/all: no such file or directory (ENOENT)")
        let folder = #expect(throws: SystemError.self) {
            try SystemFile.createDirectory("/proc/version/below")
        }
        #expect(folder?.code == .fileExists)
    }
}
