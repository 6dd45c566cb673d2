import DNSMessages
import DNSSD
import LinuxNetworking
import MulticastDNS
import NetworkPrimitives

// What comes in goes up, what is to go out goes down.
extension NodeDriver {
    /// Passes on to discovery what has come in, and sends what that wants sent at once; what it
    /// says waits in `events`.
    ///
    /// - Returns: Whether another program may be on the port.
    mutating func receive(
        _ family: AddressFamily, _ role: NodeSource.Role, _ readiness: Readiness
    ) -> Bool {
        guard let place = sockets.firstIndex(where: { $0.family == family }),
            let socket = role == .group ? sockets[place].group : sockets[place].unicast
        else { return false }
        var othersMayBeHere = false
        var lostCount = socket.statistics.lostByKernel
        // Bounded, so that neither deadlines nor the other family starve. What fails now is
        // reported again, or has passed: either way there is nothing better to do than go on.
        _ = try? socket.handle(readiness, limit: Self.datagramsPerTurn) { info, payload in
            let now = SystemClock.now
            if role == .group { noteReceived(info) }
            if watchesPackets {
                let lostBefore = lostCount
                lostCount = socket.statistics.lostByKernel
                keepReceived(info, payload, missed: Int(lostCount &- lostBefore), at: now)
            }
            // Our own echo, or another program; or what was meant for another program.
            if role == .unicast || interfaces.owns(info.source.address) { othersMayBeHere = true }
            discovery.receive(payload, with: info, at: now)
            sendOutputs()
        }
        return othersMayBeHere
    }

    /// Sends what discovery wants sent and keeps what it says.
    mutating func sendOutputs() {
        while let output = discovery.nextOutput() {
            switch output {
            case .transmit(let transmission):
                send(
                    transmission.bytes, to: transmission.destination, on: transmission.interface)
            case .event(let id, let event): events.append((id, event))
            // Exposed through the node's `status` and `hostName`.
            case .hostName: break
            }
        }
    }

    /// When discovery has something to do, or the interfaces are to be looked up; read in place,
    /// since a copy of all that discovery holds would cost more than a datagram.
    mutating func nextDeadline() -> Instant? {
        guard let due = monitor.due else { return discovery.deadline }
        return discovery.deadline.map { min($0, due) } ?? due
    }

    /// Sends a datagram, and keeps it for those who watch if the kernel has it, or will have it as
    /// soon as it has room.
    mutating func send(
        _ bytes: [UInt8], to destination: SocketAddress, on interface: InterfaceIndex
    ) {
        let family = destination.address.family
        guard let place = sockets.firstIndex(where: { $0.family == family }) else { return }
        let result = sockets[place].group.send(
            bytes.span, to: destination, on: interface,
            from: interfaces.source(for: destination.address, on: interface))
        note(result, family, on: interface, isMulticast: destination.address.isMulticast)
        if watchesPackets, result == .sent || result == .queued {
            keepSent(bytes, to: destination, on: interface, at: SystemClock.now)
        }
    }

    /// Notes what became of datagrams that had to wait for the kernel to have room.
    mutating func noteLateResults() {
        for socket in sockets where socket.group.hasLateResults {
            for late in socket.group.takeLateResults() {
                note(late.result, socket.family, on: late.interface, isMulticast: false)
            }
        }
    }

    /// Notes that a datagram to the group arrived.
    mutating func noteReceived(_ info: DatagramInfo) {
        if interfaces.noteReceived(info.family, on: info.interface) { reachabilityChanged = true }
    }

    /// How many datagrams wait for the kernel to have room.
    var queuedCount: Int { sockets.reduce(0) { $0 + $1.group.queuedCount } }

    private mutating func note(
        _ result: SendResult, _ family: AddressFamily, on index: InterfaceIndex, isMulticast: Bool
    ) {
        let error: TrafficHistory.SendError
        switch result {
        case .sent:
            if interfaces.noteSent(family, on: index, isMulticast: isMulticast, at: SystemClock.now)
            {
                reachabilityChanged = true
            }
            return
        case .queued: return
        case .dropped: error = .queueFull
        case .failed(let code): error = .refused(code)
        }
        if interfaces.noteFailure(error, family, on: index) { reachabilityChanged = true }
        unsentCount += 1
        if let interface = interfaces.all.first(where: { $0.index == index }) {
            lastSendFailure = InterfaceFailure(error, over: [family], on: interface)
        }
    }

    /// What finds out whether what fails works again: a question that only this host answers, for
    /// each interface and family where something fails.
    var trials: [(bytes: [UInt8], destination: SocketAddress, interface: InterfaceIndex)] {
        interfaces.faults.compactMap { index, family in
            let question = Question(discovery.hostName, family == .ipv4 ? .a : .aaaa)
            guard let bytes = try? Message(questions: [question]).encoded() else { return nil }
            return (bytes, SocketAddress(.multicastDNS(family), port: Self.port), index)
        }
    }

    /// Whether something began to work, or to fail, since this was last called.
    mutating func takeReachabilityChange() -> Bool {
        defer { reachabilityChanged = false }
        return reachabilityChanged
    }
}

// What those see who watch the packets.
extension NodeDriver {
    /// Keeps a datagram that came in, to be shown.
    ///
    /// - Parameter missed: How many the socket has lost since the one before.
    private mutating func keepReceived(
        _ info: DatagramInfo, _ payload: Span<UInt8>, missed: Int, at now: Instant
    ) {
        packets.append(
            PacketEvent(
                direction: .received, time: now, source: info.source,
                destination: SocketAddress(
                    info.destination, port: Self.port, scope: info.interface),
                interface: info.interface,
                payload: [UInt8](capacity: payload.count) { output in
                    for index in payload.indices { output.append(payload[index]) }
                }, missedBefore: missed))
    }

    private mutating func keepSent(
        _ bytes: [UInt8], to destination: SocketAddress, on interface: InterfaceIndex,
        at now: Instant
    ) {
        let source = interfaces.source(for: destination.address, on: interface)
        let unspecified: IPAddress =
            destination.address.family == .ipv4 ? .v4(.unspecified) : .v6(.unspecified)
        packets.append(
            PacketEvent(
                direction: .sent, time: now,
                source: SocketAddress(source ?? unspecified, port: Self.port),
                destination: destination, interface: interface, payload: bytes))
    }
}
