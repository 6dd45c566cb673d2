import LinuxNetworking

/// Where a device keeps its key and whom it trusts.
public enum PeerStoreLocation: Hashable, Sendable {
    /// The folder `vicinity` in `$XDG_STATE_HOME`, else in `~/.local/state`.
    case standard
    /// That folder, which must belong to the user alone; it is made if there is none.
    case directory(String)
    /// Nowhere: a new key, which is a stranger's to all, and everything is forgotten at the end.
    case ephemeral

    /// The folder's path; nil where nothing is kept, or the environment names no place.
    ///
    /// A relative path in `XDG_STATE_HOME` is not looked at, as the XDG Base Directory
    /// Specification says.
    package func path(environment: (String) -> String? = { ProcessEnvironment[$0] }) -> String? {
        switch self {
        case .directory(let path): return path
        case .ephemeral: return nil
        case .standard:
            if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
                return "\(state)/vicinity"
            }
            guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
            return "\(home)/.local/state/vicinity"
        }
    }
}
