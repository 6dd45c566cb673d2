import LinuxNetworking
import Testing

@testable import LocalNetworkAccess

@Suite("Configuration issues")
struct ConfigurationIssuesTests {
    private static let healthy = """
        <plist><dict><key>NSLocalNetworkUsageDescription</key><string>To cast.</string>
        <key>NSBonjourServices</key><array><string>_googlecast._tcp</string></array></dict></plist>
        """

    /// Runs `body` with a folder that holds this file, if any, and is removed afterwards.
    private func withFolder(
        _ plist: String?, _ body: (String) throws -> Void
    ) throws {
        let folder = "/tmp/vicinity-issues-\(UInt64.random(in: 0 ... .max))"
        try SystemFile.createDirectory(folder)
        defer {
            try? SystemFile.remove("\(folder)/Info.plist")
            try? SystemFile.remove(folder)
        }
        if let plist { try SystemFile.write(plist, to: "\(folder)/Info.plist") }
        try body(folder)
    }

    private func codes(
        _ types: [String], propertyList: String? = nil, program: String? = nil
    ) -> [String] {
        LocalNetworkAccess.configurationIssues(
            bonjourServices: types, propertyList: propertyList, program: program
        ).map { $0.code }
    }

    @Test("a named list is read, without hints")
    func named() throws {
        try withFolder(Self.healthy) { folder in
            let path = "\(folder)/Info.plist"
            #expect(codes(["_googlecast._tcp"], propertyList: path) == [])
            #expect(codes(["_http._tcp"], propertyList: path) == ["service-type-undeclared"])
        }
    }

    @Test("a list beside the program is read where none is named")
    func beside() throws {
        try withFolder("<plist><dict/></plist>") { folder in
            let expected = ["usage-description-missing", "bonjour-services-missing"]
            #expect(Set(codes([], program: "\(folder)/app")).isSuperset(of: expected))
        }
    }

    @Test("without a list the types alone are checked")
    func typesAlone() throws {
        try withFolder(nil) { folder in
            #expect(codes(["_googlecast._tcp"], program: "\(folder)/app") == [])
            #expect(codes(["googlecast"], program: "\(folder)/app") == ["service-type-malformed"])
            #expect(codes(["googlecast"], program: nil) == ["service-type-malformed"])
        }
    }

    @Test("a list that is named and can't be read is a finding beside those of the types")
    func unreadable() throws {
        try withFolder(nil) { folder in
            #expect(
                codes(["googlecast"], propertyList: "\(folder)/Info.plist")
                    == ["property-list-unreadable", "service-type-malformed"])
        }
    }

    @Test("each issue describes itself; the program's own path is known")
    func descriptions() throws {
        let issues = LocalNetworkAccess.configurationIssues(bonjourServices: ["_a_b._tcp"])
        #expect(!issues.isEmpty)
        for issue in issues { #expect(issue.description.contains("fix:")) }
        let path = try #require(CurrentProcess.executablePath)
        #expect(SystemFile.exists(path))
    }
}
