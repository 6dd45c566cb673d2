import ProcessSupport
import Testing

@testable import LinuxNetworking

@Suite("Files of the user alone")
struct PrivateDirectoryTests {
    /// A path for a folder that is not there yet, in one that is removed afterwards.
    private func withPath(_ body: (String) async throws -> Void) async throws {
        let folder = "/tmp/vicinity-private-\(UInt64.random(in: 0 ... .max))"
        try SystemFile.createDirectory(folder)
        do {
            try await body("\(folder)/below/keys")
        } catch {
            try await shell("rm -r \(folder)")
            throw error
        }
        try await shell("rm -r \(folder)")
    }

    @discardableResult
    private func shell(_ script: String) async throws -> String {
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)))
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
        return outcome.text
    }

    @Test func folderAndFilesAreTheUsersAlone() async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            try directory.replace("trust", with: Array("one".utf8).span)
            try directory.replace("trust", with: Array("two".utf8).span)
            #expect(try directory.read("trust", limit: 3) == Array("two".utf8))
            #expect(try directory.create("key", with: [1, 2].span))
            let modes = try await shell("stat -c %a \(path) \(path)/trust \(path)/key")
            #expect(modes == "700\n600\n600\n")
            // Nothing is left of what was written beside them.
            #expect(try SystemFile.entries(of: path) == ["key", "trust"])
        }
    }

    @Test func onlyOneMakesAFile() async throws {
        try await withPath { path in
            let first = try PrivateDirectory(path)
            let second = try PrivateDirectory(path)
            #expect(try first.read("key", limit: 9) == nil)
            #expect(try first.create("key", with: [1].span))
            #expect(try second.create("key", with: [2].span) == false)
            #expect(try second.read("key", limit: 9) == [1])
            #expect(try SystemFile.entries(of: path) == ["key"])
        }
    }

    @Test func secretsAreReadInPlace() async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            var memory = [UInt8](repeating: 0, count: 5)
            var span = memory.mutableSpan
            #expect(try directory.read("key", into: &span) == nil)
            try directory.replace("key", with: [7, 8, 9].span)
            #expect(try directory.read("key", into: &span) == 3)
            try directory.replace("key", with: [1, 2, 3, 4, 5, 6].span)
            #expect(try directory.read("key", into: &span) == 5)
            #expect(memory == [1, 2, 3, 4, 5])
        }
    }

    @Test func sizeIsLimited() async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            try directory.replace("trust", with: [1, 2, 3].span)
            #expect(try directory.read("trust", limit: 3)?.count == 3)
            #expect(throws: PrivateFileError.tooLarge(path: "\(path)/trust")) {
                try directory.read("trust", limit: 2)
            }
        }
    }

    @Test func whatOthersMayReadIsRefused() async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            try directory.replace("key", with: [1].span)
            for mode in ["640", "604", "620"] {
                try await shell("chmod \(mode) \(path)/key")
                let error = #expect(throws: PrivateFileError.self) {
                    try directory.read("key", limit: 9)
                }
                let permissions = try #require(UInt32(mode, radix: 8))
                #expect(error == .notPrivate(path: "\(path)/key", permissions: permissions))
            }
            try await shell("chmod 750 \(path)")
            let error = #expect(throws: PrivateFileError.self) { _ = try PrivateDirectory(path) }
            #expect(error == .notPrivate(path: path, permissions: 0o750))
            #expect(error?.description.contains("chmod go= \(path)") == true)
        }
    }

    @Test func linksAreNotFollowed() async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            try directory.replace("real", with: [1].span)
            try await shell("ln -s real \(path)/key; ln -s \(path) \(path)2; ln -s no \(path)3")
            #expect(throws: PrivateFileError.symbolicLink(path: "\(path)/key")) {
                try directory.read("key", limit: 9)
            }
            for link in ["\(path)2", "\(path)3"] {
                let error = #expect(throws: PrivateFileError.self) {
                    _ = try PrivateDirectory(link)
                }
                #expect(error == .symbolicLink(path: link))
            }
            // A link is replaced, not written through.
            try directory.replace("key", with: [2].span)
            #expect(try directory.read("real", limit: 9) == [1])
            #expect(try directory.read("key", limit: 9) == [2])
        }
    }

    @Test func otherKindsOfFilesAreRefused() async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            try await shell("mkfifo -m 600 \(path)/pipe; mkdir -m 700 \(path)/folder")
            for name in ["pipe", "folder"] {
                #expect(throws: PrivateFileError.wrongKind(path: "\(path)/\(name)")) {
                    try directory.read(name, limit: 9)
                }
            }
            try directory.replace("file", with: [1].span)
            let error = #expect(throws: PrivateFileError.self) {
                _ = try PrivateDirectory("\(path)/file")
            }
            #expect(error == .wrongKind(path: "\(path)/file"))
        }
    }

    @Test(arguments: ["", ".", "..", "a/b", "/etc/passwd", "a\0b"])
    func namesStayInTheFolder(_ name: String) async throws {
        try await withPath { path in
            let directory = try PrivateDirectory(path)
            let error = #expect(throws: PrivateFileError.self) {
                try directory.read(name, limit: 9)
            }
            #expect(
                error == .system(SystemError("open", .invalidArgument, subject: name)))
        }
    }

    @Test func oneHoldsTheLock() async throws {
        try await withPath { path in
            let first = try PrivateDirectory(path)
            let second = try PrivateDirectory(path)
            try holding(first.lock()) { holds in
                #expect(holds)
                try holding(second.lock()) { #expect(!$0) }
            }
            try holding(second.lock()) { #expect($0) }
        }
    }

    /// Calls `body` while a lock is held, and says whether it is.
    private func holding(
        _ lock: consuming PrivateDirectoryLock?, _ body: (Bool) throws -> Void
    ) throws {
        switch consume lock {
        case .some(let held):
            try body(true)
            _ = consume held
        case .none: try body(false)
        }
    }

    /// Nobody may make folders in there, the administrator included.
    @Test func whereNothingCanBeKept() {
        let error = #expect(throws: PrivateFileError.self) {
            _ = try PrivateDirectory("/sys/kernel/vicinity-keys")
        }
        guard case .notWritable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.subject == "/sys/kernel/vicinity-keys")
    }

    @Test func reasonsOfTheKernel() {
        func kind(_ code: SystemError.Code, isWriting: Bool) -> PrivateFileError {
            PrivateFileError(SystemError("open", code), path: "/a", isWriting: isWriting)
        }
        func named(_ code: SystemError.Code) -> SystemError {
            SystemError("open", code, subject: "/a")
        }
        for code in [SystemError.Code.readOnlyFileSystem, .accessDenied, .notPermitted] {
            #expect(kind(code, isWriting: true) == .notWritable(named(code)))
        }
        #expect(kind(.accessDenied, isWriting: false) == .system(named(.accessDenied)))
        #expect(kind(.noSpace, isWriting: true) == .system(named(.noSpace)))
    }
}
