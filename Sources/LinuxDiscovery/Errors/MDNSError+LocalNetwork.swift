import LinuxNetworking

// What an error says of the access to the local network.
extension MDNSError {
    /// Whether the system, or a filter in it, certainly keeps this program from the local network.
    public var isLocalNetworkDenied: Bool { systemFailure?.denial == .certain }

    /// Whether that may be so: the error has other causes as well, such as a peer that is gone.
    public var mayBeLocalNetworkDenial: Bool { systemFailure?.denial == .possible }
}

extension MDNSError.SystemFailure {
    /// How sure a failure is to be a denial of the local network.
    enum Denial: Hashable, Sendable {
        case none
        case possible
        case certain
    }

    /// The calls that concern the network; others fail for reasons of their own, with the same
    /// numbers.
    private static let networkOperations: Set<String> = [
        "socket", "bind", "setsockopt", "join group on interface", "connect", "sendmsg", "sendto",
        "send", "recvmsg",
    ]

    /// Calls that a packet's fate is reported to.
    private static let sendingOperations: Set<String> = ["connect", "sendmsg", "sendto", "send"]

    var denial: Denial {
        guard Self.networkOperations.contains(operation) else { return .none }
        switch SystemError.Code(rawValue: number) {
        // The packet filter, a security module, a seccomp filter, or a port that is reserved.
        case .notPermitted, .accessDenied: return .certain
        case .hostUnreachable:
            return Self.sendingOperations.contains(operation) ? .possible : .none
        case .timedOut: return operation == "connect" && isOnLink ? .possible : .none
        default: return .none
        }
    }
}
