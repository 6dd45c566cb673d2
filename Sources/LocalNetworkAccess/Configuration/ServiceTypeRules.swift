import MDNS

/// The rules for a type of service in a list of types.
enum ServiceTypeRules {
    /// What is wrong with a type's text; `nil` for one that is as it should be.
    static func finding(_ text: String, at position: SourcePosition?) -> ConfigurationFinding? {
        func malformed(_ what: String, fix: String) -> ConfigurationFinding {
            ConfigurationFinding("service-type-malformed", what, fix: fix, at: position)
        }
        let bare = text.drop { $0.isWhitespace }
        guard bare.count == text.count, text.last?.isWhitespace != true else {
            return malformed("there is space around the type '\(text)'", fix: "remove it")
        }
        for ending in [".local.", ".local"] where text.lowercased().hasSuffix(ending) {
            let short = text.dropLast(ending.count)
            return malformed("the type '\(text)' has a domain", fix: "write '\(short)'")
        }
        guard !text.hasSuffix(".") else {
            return malformed(
                "the type '\(text)' ends with a dot", fix: "write '\(text.dropLast())'")
        }
        do throws(ServiceTypeError) {
            _ = try ServiceType(text)
        } catch {
            return malformed(error.description, fix: fix(for: error, text))
        }
        let lower = text.lowercased()
        guard lower == text else {
            return ConfigurationFinding(
                "service-type-uppercase", .warning, "the type '\(text)' has capital letters",
                fix: "write '\(lower)' here and in the program", at: position)
        }
        return nil
    }

    private static func fix(for error: ServiceTypeError, _ text: String) -> String {
        switch error {
        case .missingUnderscore:
            let candidate = text.hasSuffix("._tcp") || text.hasSuffix("._udp")
            return candidate ? "write '_\(text)'" : "write '_\(text)._tcp'"
        case .missingTransport: return "write '\(text)._tcp' or '\(text)._udp'"
        case .unknownTransport: return "end it with '._tcp' or '._udp'"
        case .tooLong: return "choose a name of at most 15 characters, here and in the program"
        default: return "choose another name, here and in the program"
        }
    }

    /// Types of the list that are there twice, and those over TCP that lack their UDP.
    ///
    /// - Parameter multipeer: lower-case names of MultipeerConnectivity's types, which need both.
    static func findings(
        _ types: [(text: String, position: SourcePosition?)], multipeer: Set<String>
    ) -> [ConfigurationFinding] {
        var findings = types.compactMap { finding($0.text, at: $0.position) }
        var seen: [String: String] = [:]
        let all = Set(types.map { $0.text.lowercased() })
        for (text, position) in types {
            let key = text.lowercased()
            if let earlier = seen[key] {
                let how = earlier == text ? "twice" : "twice, as '\(earlier)' too"
                findings.append(
                    ConfigurationFinding(
                        "service-type-duplicate", .warning, "the type '\(text)' is there \(how)",
                        fix: "remove one", at: position))
                continue
            }
            seen[key] = text
            guard key.hasPrefix("_"), key.hasSuffix("._tcp") else { continue }
            let other = key.dropLast(3) + "udp"
            guard !all.contains(String(other)) else { continue }
            let isCertain = multipeer.contains(String(key.dropFirst().dropLast(5)))
            findings.append(
                ConfigurationFinding(
                    "service-type-without-udp", isCertain ? .error : .hint,
                    isCertain
                        ? "MultipeerConnectivity needs '\(other)' beside '\(text)'"
                        : "if MultipeerConnectivity uses '\(text)', it needs '\(other)' too",
                    fix: "add '\(other)'" + (isCertain ? "" : " if so"), at: position))
        }
        return findings
    }
}
