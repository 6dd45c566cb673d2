import LinuxNetworking
import MDNS
import ProcessSupport
import TestSupport
import Testing

@testable import MDNSTool

/// Names that are no text, or not one label: shown as what they are, and read back.
@Suite("Instances with odd names")
struct InstanceNameTests {
    private let bytes: [UInt8] = [0x42, 0xFC, 0x72, 0x6F]

    private func json(_ name: ServiceInstanceName) throws -> JSONValue {
        var writer = JSONWriter()
        writer.beginObject()
        ServiceFormat.write(name, interface: "lan0", to: &writer)
        writer.endObject()
        return try #require(JSONValue(writer.bytes))
    }

    private func name(_ label: Label) throws -> ServiceInstanceName {
        try ServiceInstanceName(label: label, type: ServiceType("_http._tcp"))
    }

    @Test("a name that is not UTF-8 is written as its bytes, and can be resolved")
    func otherBytes() throws {
        let name = try name(Label(bytes))
        let object = try json(name)
        #expect(object["instance"]?["hex"]?.text == "42fc726f")
        let whole = try #require(object["name"]?.text)
        #expect(whole == "B\\252ro._http._tcp.local")
        #expect(ServiceFormat.text(name) == "B\\252ro")
        for text in [whole, "B\\252ro._http._tcp", "B\\252ro._http._tcp."] {
            #expect(try Resolve.instanceName([text]).label.bytes == bytes)
        }
    }

    @Test("Text is written as text", arguments: ["Büro", "a.b", "a\\b", "\u{FFFD}"])
    func text(_ text: String) throws {
        let name = try name(Label(text))
        let object = try json(name)
        #expect(object["instance"]?.text == text && ServiceFormat.text(name) == text)
        #expect(try Resolve.instanceName([object["name"]?.text ?? ""]) == name)
        #expect(try Resolve.instanceName([text, "_http._tcp"]) == name)
    }

    @Test("S4-1 a name with several labels is not shown as one instance")
    func severalLabels() throws {
        let text = "Two.Labels._x._tcp.local"
        let name = try #require(ServiceInstanceName(DomainName(text)))
        let object = try json(name)
        #expect(object["instance"]?.elements.map(\.text) == ["Two", "Labels"])
        #expect(object["name"]?.text == text && object["type"]?.text == "_x._tcp")
        #expect(ServiceFormat.text(name) == text)
        #expect(try Resolve.instanceName([text]) == name)
        #expect(try Resolve.instanceName(["Two.Labels", "_x._tcp"]) != name)
    }

    @Test("What names no instance is refused", arguments: ["Web", "_http._tcp", "a..b._x._tcp"])
    func refused(_ text: String) throws {
        #expect(throws: MDNSError.self) { try Resolve.instanceName([text]) }
    }
}

/// Field 06. On the loopback only, should a question leave after all.
@Suite("Names of unicast DNS on the command line")
struct UnicastNameTests {
    @Test(
        "M13-1 M13-2 they are refused, and the option that allows them is named",
        arguments: [
            ["lookup", "www.example.com"], ["query", "www.example.com", "A"],
            ["query", "1.0.77.10.in-addr.arpa", "PTR"], ["resolve", "X._http._tcp.example.com"],
            ["reconfirm", "www.example.com"], ["reconfirm", "X._http._tcp.example.com"],
        ])
    func refused(words: [String]) async throws {
        let outcome = try await ProgramRun.run(words + ["-i", "lo"])
        #expect(outcome.status == .exited(2))
        #expect(
            outcome.errorText.contains("unicast DNS") && outcome.errorText.contains("--any-domain"))
        for name in ["lookup", "query", "resolve", "reconfirm", "browse"] {
            let command = Program.commands.first { $0.specification.name == name }
            let parsed = try CommandLineParser.parse(
                ["a", "A", "--any-domain"].filter { $0 != "A" || name == "query" },
                for: try #require(command).specification)
            #expect(try NetworkCommand.options(parsed).multicastsAnyName)
        }
    }

    @Test(
        "M13-2 names of the link need no option",
        arguments: ["a.local", "1.2.254.169.in-addr.arpa"])
    func allowed(_ text: String) throws {
        let parsed = try CommandLineParser.parse([text, "A"], for: .query)
        try NetworkCommand.check(DomainName(text), parsed)
        #expect(try !NetworkCommand.options(parsed).multicastsAnyName)
    }
}
