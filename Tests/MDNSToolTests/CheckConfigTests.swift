import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

@testable import MDNSTool

/// The command as an app's CI meets it.
@Suite struct CheckConfigTests {
    private let unit = Array("[Service]\nPrivateNetwork=yes\nDynamicUser=yes\n".utf8)

    @Test("Findings are a line each, with their place, and exit code 1")
    func lines() async throws {
        let outcome = try await ProgramRun.run(["check-config", "-"], input: unit)
        #expect(outcome.status == .exited(1))
        #expect(
            outcome.text == """
                standard input:2:1: private-network: PrivateNetwork= leaves only the loopback \
                (fix: remove the line)
                standard input:3:1: key-store-protected: DynamicUser= has no home, and does not \
                let it write the key store in the home \
                (fix: add 'StateDirectory=NAME' and keep the keys there)

                """)
    }

    @Test("With --json a finding is an object and a line")
    func json() async throws {
        let outcome = try await ProgramRun.run(
            ["check-config", "--json", "-"], input: Array(unit.dropLast(16)))
        #expect(outcome.status == .exited(1))
        #expect(
            outcome.text == """
                {"file":"standard input","line":2,"column":1,"code":"private-network",\
                "severity":"error","what":"PrivateNetwork= leaves only the loopback",\
                "fix":"remove the line"}

                """)
    }

    @Test("A healthy file and a hint end with 0, the hint is shown")
    func healthy() async throws {
        let quiet = try await ProgramRun.run(
            ["check-config", "-"], input: Array("[Service]\nExecStart=/bin/a\n".utf8))
        #expect(quiet.status == .exited(0))
        #expect(quiet.text == "")
        let app = """
            <plist><dict><key>NSLocalNetworkUsageDescription</key><string>why</string>
            <key>NSBonjourServices</key><array><string>_http._tcp</string></array></dict></plist>
            """
        let hint = try await ProgramRun.run(["check-config", "-"], input: Array(app.utf8))
        #expect(hint.status == .exited(0))
        #expect(hint.text.contains("service-type-without-udp"))
        let certain = try await ProgramRun.run(
            ["check-config", "--multipeer", "http", "-"], input: Array(app.utf8))
        #expect(certain.status == .exited(1))
    }

    @Test("Types alone, no arguments, files that are not there or of no kind have their codes")
    func codes() async throws {
        let cases: [(words: [String], code: Int32)] = [
            (["_http._tcp"], 0), (["http._tcp"], 1), ([], 2), (["/nowhere/Info.plist"], 3),
            (["--entitlements", "/nowhere"], 3), (["-"], 3),
        ]
        for (words, code) in cases {
            let outcome = try await ProgramRun.run(
                ["check-config"] + words, input: Array("junk".utf8))
            #expect(outcome.status == .exited(code), "\(words)")
        }
    }

    @Test("What is a type, and what a file")
    func kinds() {
        for word in ["_http._tcp", "http._tcp", "_x", "HTTP._TCP.local"] {
            #expect(CheckConfig.isType(word), "\(word)")
        }
        for word in ["-", "Info.plist", "./_http._tcp", "a.service", "/_x"] {
            #expect(!CheckConfig.isType(word), "\(word)")
        }
    }
}
