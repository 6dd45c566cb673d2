import MDNS

/// What a service's or socket's unit of systemd must leave open for mDNS.
///
/// Only what is certain from the file alone is told; drop-ins and the defaults of the manager are
/// not in it.
public struct UnitConfiguration: Hashable, Sendable {
    /// The folder that holds the keys of peers; `nil` for one in the user's home.
    public var keyStore: String?

    /// What is checked beside the network.
    public init(keyStore: String? = nil) {
        self.keyStore = keyStore
    }

    /// What is wrong with a unit file.
    public func findings(in bytes: [UInt8]) -> [ConfigurationFinding] {
        do throws(UnitFileError) {
            let unit = try UnitFile(bytes)
            return ["Service", "Socket"].flatMap { section in
                Self.privateNetwork(unit, section)
                    + AddressFamilyRules.findings(unit, section)
                    + AddressDenyRules.findings(unit, section)
                    + SystemCallRules.findings(unit, section)
                    + keyStoreFindings(unit, section)
            }
        } catch {
            return [ConfigurationFinding(error)]
        }
    }

    private static func privateNetwork(
        _ unit: UnitFile, _ section: String
    ) -> [ConfigurationFinding] {
        guard let assignment = unit.last("PrivateNetwork", in: section), assignment.boolean == true
        else { return [] }
        return [
            ConfigurationFinding(
                "private-network", "PrivateNetwork= leaves only the loopback",
                fix: "remove the line", at: assignment.position)
        ]
    }

    // MARK: The key store

    /// A state folder is writable whatever else is protected.
    private func keyStoreFindings(
        _ unit: UnitFile, _ section: String
    ) -> [ConfigurationFinding] {
        let opened = [
            "StateDirectory", "ReadWritePaths", "BindPaths", "RootDirectory", "RootImage",
        ]
        guard opened.allSatisfy({ unit.list($0, in: section).isEmpty }),
            let (key, assignment, what) = protection(unit, section)
        else { return [] }
        let folder = keyStore.map { "the key store '\($0)'" } ?? "the key store in the home"
        return [
            ConfigurationFinding(
                "key-store-protected", .warning, "\(key)= \(what) \(folder)",
                fix: "add 'StateDirectory=NAME' and keep the keys there", at: assignment.position)
        ]
    }

    private func protection(
        _ unit: UnitFile, _ section: String
    ) -> (String, UnitFile.Assignment, String)? {
        if let dynamic = unit.last("DynamicUser", in: section), dynamic.boolean == true {
            return ("DynamicUser", dynamic, "has no home, and does not let it write")
        }
        if let home = unit.last("ProtectHome", in: section), home.boolean != false,
            isUnder("/home", "/root", "/run/user")
        {
            return ("ProtectHome", home, "hides or write-protects")
        }
        if let system = unit.last("ProtectSystem", in: section), system.value == "strict",
            keyStore.map({ !Self.isPath($0, under: "/tmp") && !Self.isPath($0, under: "/var/tmp") })
                ?? true
        {
            return ("ProtectSystem", system, "write-protects")
        }
        if let temporary = unit.last("PrivateTmp", in: section), temporary.boolean == true,
            keyStore != nil, isUnder("/tmp", "/var/tmp")
        {
            return ("PrivateTmp", temporary, "empties at every start")
        }
        return nil
    }

    private func isUnder(_ folders: String...) -> Bool {
        guard let keyStore else { return folders.contains("/home") }
        return folders.contains { Self.isPath(keyStore, under: $0) }
    }

    private static func isPath(_ path: String, under folder: String) -> Bool {
        path == folder || path.hasPrefix(folder + "/")
    }
}
