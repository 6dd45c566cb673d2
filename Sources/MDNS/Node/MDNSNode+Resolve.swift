public import DNSMessages
public import DNSSD
public import LinuxDiscovery
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
        return try run(EventSink.states { $0.resolveEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startResolve(name, on: interfaces)
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
        return try run(EventSink.states { $0.addressEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startAddressLookup(of: host, families: families, on: interfaces)
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
        var found = HostAddresses(awaiting: families, within: limit)
        for await event in events {
            found.receive(event)
            if let rest = found.remainingTime { events.end(after: rest) }
        }
        try checkUninterrupted("looking up \(host)")
        return found.ordered(for: node.interfaces)
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
        return try run(EventSink.states { $0.nameEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startReverseLookup(address, on: interfaces)
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
}
