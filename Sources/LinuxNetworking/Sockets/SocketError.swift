package import NetworkPrimitives

/// Why a datagram socket can't be had.
package enum SocketError: Error, Hashable, Sendable {
    /// Another program holds the port and does not share it.
    case portHeldExclusively(UInt16)
    /// The system forbids it to this user or program.
    case notPermitted(SystemError)
    /// The kernel does not speak that family, or it is switched off.
    case familyUnsupported(AddressFamily)
    /// Anything else.
    case system(SystemError)
}

extension SocketError: CustomStringConvertible {
    /// One line on what happened.
    package var description: String {
        switch self {
        case .portHeldExclusively(let port):
            "UDP port \(port) is held by another program that does not share it"
        case .notPermitted(let error):
            "not permitted: \(error)"
        case .familyUnsupported(let family):
            "\(family.name) is not available on this system"
        case .system(let error):
            error.description
        }
    }
}
