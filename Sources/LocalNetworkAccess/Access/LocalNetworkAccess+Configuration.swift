import LinuxNetworking

extension LocalNetworkAccess {
    /// What in an app's configuration keeps it from the local network on Apple's systems, where
    /// nothing of it fails visibly.
    ///
    /// - Parameters:
    ///   - bonjourServices: The types that the app browses or registers, `_http._tcp`.
    ///   - propertyList: The path of an `Info.plist`. Without one, that beside the program is
    ///     read; where there is none, the types alone are checked.
    /// - Returns: Findings of which each has a `description`; hints are left out.
    public static func configurationIssues(
        bonjourServices: [String] = [], propertyList: String? = nil
    ) -> [ConfigurationFinding] {
        configurationIssues(
            bonjourServices: bonjourServices, propertyList: propertyList,
            program: CurrentProcess.executablePath)
    }

    static func configurationIssues(
        bonjourServices: [String], propertyList: String?, program: String?
    ) -> [ConfigurationFinding] {
        let configuration = AppConfiguration(types: bonjourServices)
        let beside = program.flatMap { program in
            program.lastIndex(of: "/").map { "\(program[..<$0])/Info.plist" }
        }
        guard let path = propertyList ?? beside.flatMap({ SystemFile.exists($0) ? $0 : nil })
        else { return configuration.typeFindings() }
        do throws(SystemError) {
            let bytes = try SystemFile.read(path, limit: AppConfiguration.maximumBytes)
            return configuration.findings(inPropertyList: bytes).filter { $0.severity != .hint }
        } catch {
            let unreadable = ConfigurationFinding(
                "property-list-unreadable", .error, "the property list can't be read: \(error)",
                fix: "name an Info.plist that this user may read")
            return [unreadable] + configuration.typeFindings()
        }
    }
}
