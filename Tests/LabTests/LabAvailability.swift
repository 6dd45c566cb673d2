import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

/// Whether the lab can be used here (`Tests/Lab/README.md` says what it needs).
enum LabAvailability {
    /// Why it can't; nil where it can. Found without running anything.
    static let missing: String? = {
        if let right = missingRight { return right }
        let commands = [
            "bash", "ip", "nsenter", "unshare", "python3", "avahi-daemon", "avahi-browse",
            "avahi-publish", "avahi-resolve", "dbus-daemon", "tcpdump", "nft", "dig",
        ].filter { !isInstalled($0) }
        if !commands.isEmpty { return "not installed: \(commands.joined(separator: ", "))" }
        return SystemFile.exists(mdns) ? nil : "\(mdns) is not built"
    }()

    /// With `VICINITY_LAB=required` the tests run, and fail where the lab can't be used.
    static let isRequired = ProcessEnvironment["VICINITY_LAB"] == "required"

    /// The program under test, which lies beside the one that runs the tests.
    static let mdns: String = {
        if let named = ProcessEnvironment["VICINITY_MDNS"] { return named }
        var folder = CommandLine.arguments[0].split(
            separator: "/", omittingEmptySubsequences: false)
        while folder.popLast() != nil {
            let path = (folder + ["mdns"]).joined(separator: "/")
            if folder.count > 1, SystemFile.exists(path), !SystemFile.isDirectory(path) {
                return path
            }
        }
        return "\(ProjectFiles.root)/.build/debug/mdns"
    }()

    /// Making network namespaces takes two capabilities, which root in a container may lack.
    private static var missingRight: String? {
        guard let bytes = try? SystemFile.read("/proc/self/status") else {
            return "/proc is not mounted"
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let effective = lines.first { $0.hasPrefix("CapEff:") }?.split(separator: "\t").last
        guard let mask = effective.flatMap({ UInt64($0, radix: 16) }) else {
            return "/proc tells no capabilities"
        }
        let administersNetworks = mask & 1 << 12 != 0
        let administersSystem = mask & 1 << 21 != 0
        return administersNetworks && administersSystem
            ? nil : "not root with the right to make network namespaces"
    }

    private static func isInstalled(_ command: String) -> Bool {
        let path = (ProcessEnvironment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        return path.split(separator: ":").contains { SystemFile.exists("\($0)/\(command)") }
    }

    /// The same, and whether Python has what the peers written in it need; asked once.
    static let lack = Task<String?, Never> {
        if let missing { return missing }
        return await PythonModules.areInstalled(["zeroconf", "jeepney"])
            ? nil : "python3 lacks zeroconf or jeepney"
    }
}
