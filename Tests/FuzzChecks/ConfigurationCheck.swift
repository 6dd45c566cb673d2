import LocalNetworkAccess

/// Reads bytes as an app's property list, as its entitlements too: each finding must be inside
/// the file, and what is cut off behind the end of the list must not change what was found.
func checkPropertyList(_ bytes: [UInt8]) -> String? {
    let configuration = AppConfiguration(types: ["_http._tcp"], multipeerTypes: ["game"])
    let findings = configuration.findings(inPropertyList: bytes)
    if let fault = checkPlaces(findings, bytes) { return fault }
    if let fault = checkPlaces(configuration.findings(inEntitlements: bytes), bytes) {
        return fault
    }
    let isRead = !findings.contains { $0.code.hasPrefix("property-list-") }
    if isRead, configuration.findings(inPropertyList: bytes + [0x0A]) != findings {
        return "a line's end behind the list changes what is found"
    }
    return nil
}

/// Reads bytes as a unit: each finding must be inside the file, and a comment that is
/// added must not change what was found.
func checkUnitFile(_ bytes: [UInt8]) -> String? {
    let configuration = UnitConfiguration()
    let findings = configuration.findings(in: bytes)
    if let fault = checkPlaces(findings, bytes) { return fault }
    let isRead = !findings.contains { $0.code.hasPrefix("unit-") }
    if isRead, configuration.findings(in: bytes + Array("\n# remark\n".utf8)) != findings {
        return "a comment behind the unit changes what is found"
    }
    return nil
}

private func checkPlaces(_ findings: [ConfigurationFinding], _ bytes: [UInt8]) -> String? {
    let lines = 1 + bytes.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
    for finding in findings {
        guard let position = finding.position, (1...lines).contains(position.line),
            (1...(bytes.count + 1)).contains(position.column)
        else { return "a finding is not in the file: \(finding)" }
    }
    return nil
}
