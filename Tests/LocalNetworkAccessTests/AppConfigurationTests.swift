import LocalNetworkAccess
import Testing

@Suite("An app's configuration")
struct AppConfigurationTests {
    private let usage =
        "<key>NSLocalNetworkUsageDescription</key><string>To find printers.</string>"

    private func services(_ types: String...) -> String {
        "<key>NSBonjourServices</key><array>"
            + types.map { "<string>\($0)</string>" }.joined() + "</array>"
    }

    private func findings(
        _ lines: String..., types: [String] = [], multipeer: [String] = []
    ) -> [ConfigurationFinding] {
        let text = "<plist><dict>\n\(lines.joined(separator: "\n"))\n</dict></plist>"
        return AppConfiguration(types: types, multipeerTypes: multipeer)
            .findings(inPropertyList: Array(text.utf8))
    }

    @Test("a healthy list has no findings, with all its types used")
    func healthy() {
        #expect(
            findings(
                usage, services("_my-game._tcp", "_my-game._udp", "_ntp._udp"),
                types: ["_my-game._tcp", "_NTP._udp"], multipeer: ["my-game"]
            ).isEmpty)
    }

    @Test("the usage description must be there, be text and say something")
    func usageDescription() {
        let types = services("_ntp._udp")
        #expect(findings(types).map(\.code) == ["usage-description-missing"])
        let key = "<key>NSLocalNetworkUsageDescription</key>"
        let empty = findings(key + "<string> </string>", types)
        #expect(empty.map(\.code) == ["usage-description-empty"])
        #expect(empty.first?.position == SourcePosition(line: 2, column: 42))
        #expect(findings(key + "<true/>", types).map(\.code) == ["usage-description-type"])
    }

    @Test(
        "a key that is nearly right is named with its place",
        arguments: [
            "NSBonjourService", "NSBonjourservices", "NSBonjorServices", "NSBonjourServicesTypes",
        ])
    func misspelt(key: String) {
        let found = findings(usage, "<key>\(key)</key><array/>")
        let isNear = key != "NSBonjourServicesTypes"
        #expect(found.map(\.code) == [isNear ? "key-misspelt" : "bonjour-services-missing"])
        #expect(found.first?.position?.line == (isNear ? 3 : 1))
        #expect(found.first?.fix.contains("NSBonjourServices") == true || !isNear)
    }

    @Test("the types must be an array of strings that is not empty")
    func shapes() {
        let key = "<key>NSBonjourServices</key>"
        #expect(findings(usage).map(\.code) == ["bonjour-services-missing"])
        #expect(findings(usage, key + "<array/>").map(\.code) == ["bonjour-services-empty"])
        #expect(
            findings(usage, key + "<string>_ntp._udp</string>").map(\.code)
                == ["bonjour-services-type"])
        #expect(
            findings(usage, key + "<array><integer>1</integer></array>").map(\.code)
                == ["service-type-no-string"])
        #expect(
            findings(usage, services("_ntp._udp"), services("_ntp._udp")).map(\.code)
                == ["key-duplicate"])
    }

    @Test(
        "a malformed type is told, with what to write",
        arguments: [
            ("ntp._udp", "_ntp._udp"), ("_ntp", "_ntp._tcp"), ("_ntp._udp.", "_ntp._udp"),
            ("_ntp._udp.local", "_ntp._udp"), ("_ntp._udp.local.", "_ntp._udp"),
            (" _ntp._udp", "remove"), ("_ntp._sctp", "._udp"), ("_._udp", "another"),
            ("_sixteen-letters1._udp", "15"), ("_a_b._udp", "another"), ("_-a._udp", "another"),
            ("_1._udp", "another"), ("", "write"),
        ])
    func malformed(type: String, fix: String) {
        let found = findings(usage, services(type))
        #expect(found.map(\.code) == ["service-type-malformed"])
        #expect(found.first?.fix.contains(fix) == true, "\(found)")
        #expect(found.first?.severity == .error)
    }

    @Test("fifteen characters are allowed, capitals and repetitions are told")
    func details() {
        #expect(findings(usage, services("_fifteen-letters._udp")).isEmpty)
        #expect(
            findings(usage, services("_Ntp._udp")).map(\.code) == ["service-type-uppercase"])
        #expect(
            findings(usage, services("_ntp._udp", "_ntp._udp")).map(\.code)
                == ["service-type-duplicate"])
        #expect(
            Set(findings(usage, services("_ntp._udp", "_NTP._udp")).map(\.code))
                == ["service-type-duplicate", "service-type-uppercase"])
    }

    @Test("a type over TCP alone is a hint, and an error for MultipeerConnectivity")
    func transports() {
        let hint = findings(usage, services("_game._tcp"))
        #expect(hint.map(\.code) == ["service-type-without-udp"])
        #expect(hint.map(\.severity) == [.hint])
        let error = findings(usage, services("_game._tcp"), multipeer: ["game"])
        #expect(error.map(\.code) == ["service-type-without-udp"])
        #expect(error.map(\.severity) == [.error])
    }

    @Test("a type that is used but not listed is told")
    func undeclared() {
        let found = findings(usage, services("_ntp._udp"), types: ["_http._tcp"])
        #expect(found.map(\.code) == ["service-type-undeclared"])
        #expect(found.first?.position == SourcePosition(line: 3, column: 1))
        #expect(
            findings(usage, services("_ntp._udp"), multipeer: ["game"]).count == 2)
    }

    @Test("entitlements must grant multicast")
    func entitlements() {
        func codes(_ body: String) -> [String] {
            AppConfiguration().findings(
                inEntitlements: Array("<plist><dict>\(body)</dict></plist>".utf8)
            ).map(\.code)
        }
        let key = "<key>com.apple.developer.networking.multicast</key>"
        #expect(codes(key + "<true/>").isEmpty)
        #expect(codes(key + "<false/>") == ["multicast-entitlement-off"])
        #expect(codes(key + "<string>true</string>") == ["multicast-entitlement-off"])
        #expect(codes("") == ["multicast-entitlement-missing"])
    }

    @Test("what can't be read is one finding with its place")
    func unreadable() {
        func codes(_ text: String) -> [String] {
            AppConfiguration().findings(inPropertyList: Array(text.utf8)).map(\.code)
        }
        #expect(codes("bplist00") == ["property-list-binary"])
        #expect(codes("<plist><array/></plist>") == ["property-list-no-dictionary"])
        #expect(codes("<plist>") == ["property-list-syntax"])
    }

    @Test("types are checked without a file too")
    func typesAlone() {
        #expect(AppConfiguration(types: ["_http._tcp", "_ntp._udp"]).typeFindings().isEmpty)
        let found = AppConfiguration(types: ["http._tcp"]).typeFindings()
        #expect(found.map(\.code) == ["service-type-malformed"])
        #expect(found.first?.position == nil)
    }

    @Test("a file is recognised by content, then by name")
    func kinds() {
        func kind(_ text: String, _ name: String) -> ConfigurationKind? {
            ConfigurationKind(of: Array(text.utf8), name: name)
        }
        #expect(kind("\n<?xml", "standard input") == .propertyList)
        #expect(kind("bplist00", "x") == .propertyList)
        #expect(kind("junk", "Info.plist") == .propertyList)
        #expect(kind("[Service]\n", "standard input") == .unit)
        #expect(kind("# first\n[Service]\n", "x") == .unit)
        #expect(kind("", "a.socket") == .unit)
        #expect(kind("# first\n", "x") == nil)
        #expect(kind("junk", "x") == nil)
    }
}
