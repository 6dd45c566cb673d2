/// An address and a port, with the interface that a link-local address belongs to.
public struct SocketAddress: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The port.
    public var port: UInt16
    /// The interface that gives a link-local IPv6 address its meaning.
    public var scope: InterfaceIndex?

    /// A socket address.
    public init(_ address: IPAddress, port: UInt16, scope: InterfaceIndex? = nil) {
        self.address = address
        self.port = port
        self.scope = scope
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `192.0.2.1:5353`, `[fe80::1%2]:5353`.
    public var description: String {
        switch address {
        case .v4: return "\(address):\(port)"
        case .v6: return "[\(address)\(scope.map { "%\($0)" } ?? "")]:\(port)"
        }
    }
}
