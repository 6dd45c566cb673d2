public import DNSMessages
public import DNSSD
public import NetworkPrimitives

extension MDNSNode {
    /// Watches where a service is and what it says of itself, for as long as somebody listens.
    ///
    /// - Parameters:
    ///   - name: The service.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node.
    public func watchService(
        _ name: ServiceInstanceName, on interfaces: InterfaceSelection = .all,
        within limit: Duration? = nil
    ) throws(MDNSError) -> ResolveEvents {
        try driver.check(interfaces)
        try driver.checkMulticast(name.domainName)
        return try run(EventSink.states { $0.resolveEvent }, within: limit) {
            (discovery: inout Discovery, now: Instant) throws(NameError) in
            discovery.startResolve(name, on: interfaces, at: now)
        }
    }

    /// Finds out once where a service is and what it says of itself.
    ///
    /// - Parameters:
    ///   - name: The service.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to wait for it.
    /// - Returns: The first complete answer; `nil` if there was none in time.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node, also one that is
    ///   closed meanwhile; `cancelled` if the task is cancelled.
    public func resolve(
        _ name: ServiceInstanceName, on interfaces: InterfaceSelection = .all,
        within limit: Duration = .seconds(5)
    ) async throws(MDNSError) -> ResolvedService? {
        for await event in try watchService(name, on: interfaces, within: limit) {
            if case .resolved(let service) = event { return service }
        }
        try checkUninterrupted("resolving \(name)")
        return nil
    }

    /// Watches the addresses of a host, for as long as somebody listens.
    ///
    /// - Parameters:
    ///   - host: The host's name.
    ///   - families: The kinds of addresses that are wanted.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node.
    public func watchAddresses(
        of host: DomainName, families: Set<AddressFamily> = [.ipv4, .ipv6],
        on interfaces: InterfaceSelection = .all, within limit: Duration? = nil
    ) throws(MDNSError) -> AddressEvents {
        try driver.check(interfaces)
        try driver.checkMulticast(host)
        return try run(EventSink.states { $0.addressEvent }, within: limit) {
            (discovery: inout Discovery, now: Instant) throws(NameError) in
            discovery.startAddressLookup(host: host, families: families, on: interfaces, at: now)
        }
    }

    /// Looks up the addresses of a host once.
    ///
    /// - Parameters:
    ///   - host: The host's name.
    ///   - families: The kinds of addresses that are wanted.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to wait for it.
    /// - Returns: The addresses, those on the link's own prefix first and link-local ones last;
    ///   none if nobody answered in time. It does not wait to the end when each kind has been
    ///   answered for, and not much longer when one has.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node, also one that is
    ///   closed meanwhile; `cancelled` if the task is cancelled.
    public func addresses(
        of host: DomainName, families: Set<AddressFamily> = [.ipv4, .ipv6],
        on interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(3)
    ) async throws(MDNSError) -> [HostAddress] {
        let events = try watchAddresses(
            of: host, families: families, on: interfaces, within: limit)
        var found: Set<HostAddress> = []
        var outstanding = families
        for await event in events {
            switch event {
            case .added(let address, _, let interface):
                found.insert(HostAddress(address, on: interface))
                outstanding.remove(address.family)
            case .removed(let address, _, let interface):
                found.remove(HostAddress(address, on: interface))
            case .absent(let family, _):
                outstanding.remove(family)
            }
            if outstanding.isEmpty {
                events.end(after: Self.lateAnswers)
            } else if !found.isEmpty {
                events.end(after: min(Self.otherFamily, limit))
            }
        }
        try checkUninterrupted("looking up \(host)")
        let known = self.interfaces
        func rank(_ found: HostAddress) -> Int {
            AddressPreference.rank(found.address, known.first { $0.index == found.interface })
        }
        return found.sorted { (rank($0), $0) < (rank($1), $1) }
    }

    /// Watches the names of an address, for as long as somebody listens: of any address, also one
    /// that is not link-local and whose reverse name unicast DNS might know, since hosts answer for
    /// all they have.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node.
    public func watchNames(
        of address: IPAddress, on interfaces: InterfaceSelection = .all,
        within limit: Duration? = nil
    ) throws(MDNSError) -> NameEvents {
        try driver.check(interfaces)
        return try run(EventSink.states { $0.nameEvent }, within: limit) {
            (discovery: inout Discovery, now: Instant) throws(NameError) in
            discovery.startReverseLookup(address, on: interfaces, at: now)
        }
    }

    /// Looks up the name of an address once.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to wait for it.
    /// - Returns: The first name that came; `nil` if nobody answered in time.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node, also one that is
    ///   closed meanwhile; `cancelled` if the task is cancelled.
    public func name(
        of address: IPAddress, on interfaces: InterfaceSelection = .all,
        within limit: Duration = .seconds(3)
    ) async throws(MDNSError) -> DomainName? {
        for await event in try watchNames(of: address, on: interfaces, within: limit) {
            if case .added(let name, _) = event { return name }
        }
        try checkUninterrupted("looking up \(address)")
        return nil
    }

    /// Checks that a look-up ended because its time was over: neither a cancelled task nor a
    /// closed node says that nobody answered.
    private func checkUninterrupted(_ action: String) throws(MDNSError) {
        if Task.isCancelled { throw .cancelled(action) }
        try checkOpen()
    }

    /// How long further addresses are awaited once there is an answer for each kind.
    private static let lateAnswers: Duration = .milliseconds(50)
    /// How long the second kind of address is awaited once there is one of the first.
    private static let otherFamily: Duration = .seconds(1)
}

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
