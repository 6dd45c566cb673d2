import DNSMessages
import DNSSD
import LinuxNetworking
import MDNS
import NetworkPrimitives
import PeerProtocol

/// What a session has to do with multicast DNS.
struct SessionDiscovery {
    var node: MDNSNode?
    /// The name of this peer's service instance: drawn for each run, so that it tells nobody who
    /// the peer is.
    let instance: String
    var registration: RegistrationHandle?
    var registrationTask: Task<Void, Never>?
    var browseTask: Task<Void, Never>?
    /// What was found, by the label of the instance.
    var sightings: [String: Sighting] = [:]
    /// What the node says of this host.
    var interfaces: [NetworkInterface] = []
    var hostName = ""

    init() {
        var generator = SystemRandomNumberGenerator()
        instance = PeerID(using: &generator).description
    }
}

extension PeerSession {
    /// Lets others find this peer, and waits until it is announced. The session listens from then
    /// on, on any free port if it did not before.
    ///
    /// - Parameter info: What the application says of the peer, to everybody: UTF-8, 255 bytes a
    ///   key with its value, some hundred in all. The keys `v`, `id` and `n` are the protocol's.
    ///   Called again it is replaced.
    /// - Throws: `PeerSessionError`: `invalidArgument`, `portInUse`, `discoveryFailed`.
    public func advertise(_ info: [String: String] = [:]) async throws(PeerSessionError) {
        try checkOpen()
        let txt = try PeerAttributes.record(
            id: discovery.instance, name: options.showsName ? options.name : nil, info: info)
        let port = try listen()
        let node = try await discoveryNode()
        do throws(MDNSError) {
            if let registration = discovery.registration {
                return try await registration.update(txt: txt)
            }
            let registration = try await node.register(
                ServiceDescription(
                    name: discovery.instance, type: options.service, port: port, txt: txt,
                    interfaces: options.interfaces))
            discovery.registration = registration
            let name = try await registration.established()
            report(.advertised("\(name)"))
        } catch {
            discovery.registration = nil
            throw PeerSessionError(.discoveryFailed, error.description)
        }
        watchRegistration()
    }

    /// Lets nobody find this peer any more. Connections stay, and the session goes on listening.
    public func stopAdvertising() async {
        discovery.registrationTask?.cancel()
        discovery.registrationTask = nil
        let registration = discovery.registration
        discovery.registration = nil
        await registration?.withdraw()
    }

    /// Looks for peers, until the session is closed or `stopBrowsing` is called. Those that are
    /// found are in `foundPeers`, in `foundUpdates` and in the events.
    ///
    /// - Throws: `PeerSessionError.discoveryFailed`.
    public func browse() async throws(PeerSessionError) {
        try checkOpen()
        guard discovery.browseTask == nil else { return }
        let node = try await discoveryNode()
        let events: BrowseEvents
        do throws(MDNSError) {
            events = try await node.browse(
                options.service, resolving: true, on: options.interfaces)
        } catch { throw PeerSessionError(.discoveryFailed, error.description) }
        discovery.browseTask = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                let interfaces = await node.interfaces
                let hostName = await node.hostName.description
                await self.follow(event, interfaces, hostName)
            }
        }
    }

    /// Looks for no more peers; all that were found are lost.
    public func stopBrowsing() {
        discovery.browseTask?.cancel()
        discovery.browseTask = nil
        for sighting in discovery.sightings.values {
            if let peer = sighting.reported { report(.lost(peer)) }
        }
        discovery.sightings = [:]
        publishFound()
    }

    /// The peers that are there now, without this one.
    public var foundPeers: [FoundPeer] {
        discovery.sightings.values.compactMap(\.reported).sorted { $0.id < $1.id }
    }

    /// The peers that are there, now and each time that this changes; a slow reader gets the
    /// latest.
    public func foundUpdates() -> EventSequence<[FoundPeer]> {
        let number = nextNumber()
        let mailbox = EventMailbox(LatestValue(value: foundPeers))
        if isClosed { mailbox.finish() } else { foundMailboxes[number] = mailbox }
        return sequence(mailbox, number) { $0.foundMailboxes[number] = nil }
    }

    // MARK: Inside

    private func discoveryNode() async throws(PeerSessionError) -> MDNSNode {
        if let node = discovery.node { return node }
        let node: MDNSNode
        do throws(MDNSError) {
            node = try await MDNSNode(NodeOptions(interfaces: options.interfaces), loop: loop)
        } catch { throw PeerSessionError(.discoveryFailed, error.description) }
        // Another call may have made one meanwhile.
        if let other = discovery.node {
            await node.close()
            return other
        }
        guard !isClosed else {
            await node.close()
            throw .sessionClosed
        }
        discovery.node = node
        return node
    }

    func closeDiscovery() async {
        discovery.registrationTask?.cancel()
        discovery.browseTask?.cancel()
        await discovery.node?.close()
        discovery = SessionDiscovery()
    }

    private func watchRegistration() {
        guard let registration = discovery.registration else { return }
        discovery.registrationTask?.cancel()
        discovery.registrationTask = Task { [weak self] in
            for await status in await registration.watchStatus() {
                await self?.follow(status)
            }
        }
    }

    private func follow(_ status: RegistrationStatus) {
        switch status {
        case .blocked(_, let failure): report(.discoveryTrouble(failure.description))
        case .limited(_, let failures):
            for failure in failures { report(.discoveryTrouble(failure.description)) }
        case .conflicted(let name):
            report(.discoveryTrouble("another host has the name '\(name)'"))
        case .probing, .established, .renamed, .hostRenamed, .failing: break
        }
    }

    private func follow(
        _ event: BrowseEvent, _ interfaces: [NetworkInterface], _ hostName: String
    ) {
        discovery.interfaces = interfaces
        discovery.hostName = hostName
        guard discovery.browseTask != nil, let instance = event.instance else { return }
        let id = instance.name.instance
        guard id != discovery.instance else { return }
        var sighting = discovery.sightings[id] ?? Sighting()
        if case .removed = event {
            sighting.services[instance.interface] = nil
        } else {
            sighting.services[instance.interface] = instance.service
        }
        let before = sighting.reported
        let after = sighting.peer(id: id, interfaces: interfaces, ownHost: hostName)
        sighting.reported = after
        discovery.sightings[id] = sighting.services.isEmpty ? nil : sighting
        switch (before, after) {
        case (nil, let after?): report(.found(after))
        case (let before?, nil): report(.lost(before))
        case (let before?, let after?) where before != after: report(.updated(after))
        default: return
        }
        publishFound()
    }

    private func publishFound() {
        guard !foundMailboxes.isEmpty else { return }
        let peers = foundPeers
        for mailbox in foundMailboxes.values { mailbox.put { $0.value = peers } }
    }

    // MARK: Addresses

    /// Where a peer is now: what was found at first may be out of date.
    func addresses(of peer: FoundPeer) -> [SocketAddress] {
        discovery.sightings[peer.id]?.reported?.addresses ?? peer.addresses
    }

    /// The addresses that a person means.
    func addresses(of host: String, port: UInt16) async throws(PeerSessionError) -> [SocketAddress]
    {
        if host == "localhost" {
            return [
                SocketAddress(.v4(.loopback), port: port),
                SocketAddress(.v6(.loopback), port: port),
            ]
        }
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        if let address = parts.first.flatMap({ IPAddress($0) }) {
            let scope = parts.count == 2 ? try interface(String(parts[1])) : nil
            guard scope != nil || address.family == .ipv4 || !address.isLinkLocal else {
                throw .invalid("Say on which interface \(host) is, as in '\(host)%eth0'.")
            }
            return [SocketAddress(address, port: port, scope: scope)]
        }
        guard let name = try? DomainName(host), host.lowercased().hasSuffix(".local") else {
            throw .invalid(
                "'\(host)' is neither an address nor a name that ends with '.local'; give the "
                    + "address.")
        }
        let node = try await discoveryNode()
        do throws(MDNSError) {
            return try await node.addresses(of: name).map { $0.socketAddress(port: port) }
        } catch { throw PeerSessionError(.discoveryFailed, error.description) }
    }

    private func interface(_ text: String) throws(PeerSessionError) -> InterfaceIndex {
        if let number = UInt32(text), number > 0 { return InterfaceIndex(rawValue: number) }
        let interfaces: [NetworkInterface]
        do throws(SystemError) {
            interfaces = try InterfaceMonitor.snapshot()
        } catch { throw PeerSessionError(error, whenDoing: "Listing the interfaces") }
        guard let index = interfaces.first(where: { $0.name == text })?.index else {
            throw .invalid("There is no interface '\(text)'.")
        }
        return index
    }
}
