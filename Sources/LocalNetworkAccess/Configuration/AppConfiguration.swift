/// What an app's `Info.plist` and its entitlements must say before Apple's systems let it onto
/// the local network. Nothing of it fails aloud there.
public struct AppConfiguration: Hashable, Sendable {
    /// The types that the app browses or registers, `_http._tcp`.
    public var types: [String]
    /// The service types of MultipeerConnectivity, bare: `my-game`.
    public var multipeerTypes: [String]

    /// The most bytes of a file that are looked at; longer ones are refused.
    public static let maximumBytes = PropertyList.maximumBytes

    static let usageKey = "NSLocalNetworkUsageDescription"
    static let servicesKey = "NSBonjourServices"
    static let multicastKey = "com.apple.developer.networking.multicast"

    /// What an app uses.
    public init(types: [String] = [], multipeerTypes: [String] = []) {
        self.types = types
        self.multipeerTypes = multipeerTypes
    }

    /// What is wrong with the types themselves, without a file.
    public func typeFindings() -> [ConfigurationFinding] {
        ServiceTypeRules.findings(types.map { ($0, nil) }, multipeer: [])
            .filter { $0.severity != .hint }
    }

    /// What is wrong with an `Info.plist`.
    public func findings(inPropertyList bytes: [UInt8]) -> [ConfigurationFinding] {
        withDictionary(bytes) { entries, position in
            var findings = Self.duplicates(entries)
            findings += usageFindings(entries, position)
            findings += serviceFindings(entries, position)
            return findings
        }
    }

    /// What is wrong with a file of entitlements, for an app that sends multicast on its own.
    public func findings(inEntitlements bytes: [UInt8]) -> [ConfigurationFinding] {
        withDictionary(bytes) { entries, position in
            var findings = Self.duplicates(entries)
            let key = Self.multicastKey
            let entry = entries.last { $0.key == key }
            if entry?.value.content != .boolean(true) {
                let what = entry.map { "'\(key)' is \($0.value.typeName)" }
                findings.append(
                    ConfigurationFinding(
                        entry == nil
                            ? "multicast-entitlement-missing" : "multicast-entitlement-off",
                        what ?? "'\(key)' is missing",
                        fix: "ask Apple for the entitlement, and set the key to <true/>",
                        at: entry?.value.position ?? position))
            }
            return findings
        }
    }

    private func withDictionary(
        _ bytes: [UInt8],
        _ body: ([PropertyListEntry], SourcePosition) -> [ConfigurationFinding]
    ) -> [ConfigurationFinding] {
        do throws(PropertyListError) {
            let root = try PropertyList.read(bytes)
            guard case .dictionary(let entries) = root.content else {
                return [
                    ConfigurationFinding(
                        "property-list-no-dictionary", "the list is a \(root.typeName), not a dict",
                        fix: "put the keys into a <dict>", at: root.position)
                ]
            }
            return body(entries, root.position)
        } catch {
            return [ConfigurationFinding(error)]
        }
    }

    private static func duplicates(_ entries: [PropertyListEntry]) -> [ConfigurationFinding] {
        var seen: Set<String> = []
        return entries.filter { !seen.insert($0.key).inserted }.map { entry in
            ConfigurationFinding(
                "key-duplicate", "the key '\(entry.key)' is there more than once",
                fix: "remove all but one", at: entry.position)
        }
    }

    // MARK: The text of the question

    private func usageFindings(
        _ entries: [PropertyListEntry], _ position: SourcePosition
    ) -> [ConfigurationFinding] {
        let key = Self.usageKey
        guard let entry = entries.last(where: { $0.key == key }) else {
            return [
                Self.misspelt(key, in: entries)
                    ?? ConfigurationFinding(
                        "usage-description-missing", "'\(key)' is missing",
                        fix: "add it, with a sentence that says why the app looks for devices",
                        at: position)
            ]
        }
        guard case .string(let text) = entry.value.content else {
            return [
                ConfigurationFinding(
                    "usage-description-type", "'\(key)' is \(entry.value.typeName), not a string",
                    fix: "write a <string>", at: entry.value.position)
            ]
        }
        guard text.allSatisfy({ $0.isWhitespace }) else { return [] }
        return [
            ConfigurationFinding(
                "usage-description-empty", "'\(key)' is empty",
                fix: "say in a sentence why the app looks for devices", at: entry.value.position)
        ]
    }

    // MARK: The types

    private func serviceFindings(
        _ entries: [PropertyListEntry], _ position: SourcePosition
    ) -> [ConfigurationFinding] {
        let key = Self.servicesKey
        guard let entry = entries.last(where: { $0.key == key }) else {
            return [missingServices(entries, position)]
        }
        guard case .array(let values) = entry.value.content else {
            return [
                ConfigurationFinding(
                    "bonjour-services-type", "'\(key)' is \(entry.value.typeName), not an array",
                    fix: "write an <array> with a <string> for each type", at: entry.value.position)
            ]
        }
        var findings: [ConfigurationFinding] = []
        var types: [(text: String, position: SourcePosition?)] = []
        for value in values {
            if case .string(let text) = value.content {
                types.append((text, value.position))
            } else {
                findings.append(
                    ConfigurationFinding(
                        "service-type-no-string", "a type is \(value.typeName), not a string",
                        fix: "write a <string>", at: value.position))
            }
        }
        if values.isEmpty {
            findings.append(
                ConfigurationFinding(
                    "bonjour-services-empty", "'\(key)' lists no types",
                    fix: "add the types that the app uses", at: entry.value.position))
        }
        let multipeer = Set(multipeerTypes.map { $0.lowercased() })
        findings += ServiceTypeRules.findings(types, multipeer: multipeer)
        findings += undeclared(types.map { $0.text }, at: entry.position)
        return findings
    }

    private func missingServices(
        _ entries: [PropertyListEntry], _ position: SourcePosition
    ) -> ConfigurationFinding {
        let used = usedTypes
        return Self.misspelt(Self.servicesKey, in: entries)
            ?? ConfigurationFinding(
                "bonjour-services-missing", "'\(Self.servicesKey)' is missing",
                fix: used.isEmpty
                    ? "add it, an array of the types that the app uses"
                    : "add it, an array with \(used.joined(separator: ", "))",
                at: position)
    }

    private func undeclared(
        _ declared: [String], at position: SourcePosition
    ) -> [ConfigurationFinding] {
        let declared = Set(declared.map { $0.lowercased() })
        return usedTypes.filter { !declared.contains($0.lowercased()) }.compactMap { type in
            // Told already, beside the one over TCP.
            let isTold =
                multipeerTypes.contains { "_\($0)._udp" == type }
                && declared.contains(type.lowercased().dropLast(3) + "tcp")
            return isTold
                ? nil
                : ConfigurationFinding(
                    "service-type-undeclared",
                    "the app uses '\(type)', which '\(Self.servicesKey)' does not list",
                    fix: "add '\(type)'", at: position)
        }
    }

    private var usedTypes: [String] {
        types + multipeerTypes.flatMap { ["_\($0)._tcp", "_\($0)._udp"] }
    }

    // MARK: Spelling

    /// A key that is nearly the one that is missing.
    private static func misspelt(
        _ key: String, in entries: [PropertyListEntry]
    ) -> ConfigurationFinding? {
        let known: Set = [usageKey, servicesKey]
        for entry in entries where !known.contains(entry.key) {
            guard EditDistance.isAtMost(4, entry.key, key) else { continue }
            return ConfigurationFinding(
                "key-misspelt", "'\(entry.key)' looks like '\(key)', which is missing",
                fix: "write '\(key)'", at: entry.position)
        }
        return nil
    }
}
