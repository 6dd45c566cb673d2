package import DNSSD
public import NetworkPrimitives

/// An address of a host, with the interface that it was received on.
public struct HostAddress: Hashable, Sendable, Comparable {
    /// The address.
    public var address: IPAddress
    /// The interface, without which a link-local address means nothing.
    public var interface: InterfaceIndex

    /// An address received on that interface.
    public init(_ address: IPAddress, on interface: InterfaceIndex) {
        self.address = address
        self.interface = interface
    }

    /// The address with a port, ready to be connected to.
    ///
    /// - Parameter port: The port.
    public func socketAddress(port: UInt16) -> SocketAddress {
        let needsScope = address.family == .ipv6 && address.isLinkLocal
        return SocketAddress(address, port: port, scope: needsScope ? interface : nil)
    }

    public static func < (left: HostAddress, right: HostAddress) -> Bool {
        (left.interface, left.address) < (right.interface, right.address)
    }
}

/// The addresses of a host that were found so far, and how long more are awaited.
package struct HostAddresses {
    /// How long further addresses are awaited once there is an answer for each kind.
    private static let lateAnswers: Duration = .milliseconds(50)
    /// How long the second kind of address is awaited once there is one of the first.
    private static let otherFamily: Duration = .seconds(1)

    private var found: Set<HostAddress> = []
    private var outstanding: Set<AddressFamily>
    private let limit: Duration

    /// None yet.
    ///
    /// - Parameters:
    ///   - families: The kinds of addresses that are wanted.
    ///   - limit: How long to wait for them.
    package init(awaiting families: Set<AddressFamily>, within limit: Duration) {
        outstanding = families
        self.limit = limit
    }

    /// Keeps what an event says.
    package mutating func receive(_ event: AddressEvent) {
        switch event {
        case .added(let address, _, let interface):
            found.insert(HostAddress(address, on: interface))
            outstanding.remove(address.family)
        case .removed(let address, _, let interface):
            found.remove(HostAddress(address, on: interface))
        case .absent(let family, _):
            outstanding.remove(family)
        }
    }

    /// How long to go on after the last event; nil for as long as was said.
    package var remainingTime: Duration? {
        if outstanding.isEmpty { return Self.lateAnswers }
        return found.isEmpty ? nil : min(Self.otherFamily, limit)
    }

    /// What was found: those on the link's own prefix first and link-local ones last.
    package func ordered(for interfaces: [NetworkInterface]) -> [HostAddress] {
        found.sorted { (rank($0, interfaces), $0) < (rank($1, interfaces), $1) }
    }

    private func rank(_ found: HostAddress, _ interfaces: [NetworkInterface]) -> Int {
        AddressPreference.rank(
            found.address, interfaces.first { $0.index == found.interface })
    }
}
