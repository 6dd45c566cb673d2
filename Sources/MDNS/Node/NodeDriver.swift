import DNSMessages
import DNSSD
import LinuxNetworking
import MulticastDNS
import NetworkPrimitives

/// Between the sockets and discovery: what comes in goes up, what is to go out goes down, and
/// changes of the interfaces become memberships and a snapshot. It decides nothing else.
///
/// It knows no loop: who holds it waits for what `attach` names, and calls `handle`.
struct NodeDriver {
    /// At most so many datagrams of a family are read before others have their turn.
    static let datagramsPerTurn = 64
    /// A jump of the sleep clock beyond this is a sleep and not two clocks read apart.
    private static let leastSleep: Duration = .seconds(1)
    /// Less than the 250 ms between two probes (RFC 6762 §8.1).
    private static let portReviewInterval: Duration = .milliseconds(200)

    var discovery: Discovery
    private(set) var interfaces: InterfaceTable
    /// The sockets by family, IPv4 first.
    private(set) var sockets: [NodeSocket]
    let monitor: InterfaceMonitor
    private let identity: HostIdentity
    private let mayAskForUnicast: Bool
    /// Whether another program is on the port, as last seen.
    private var sharesPort = true
    private var lastPortReview: Instant?
    private var offeredSomething = false
    private var watch: Watch?
    /// As long as this is held, changes of the interfaces are waited for.
    private var monitorInterest: ((Readiness) -> Void)?
    /// Whether something began to work, or to fail, since this was last asked.
    private var reachabilityChanged = false
    /// What discovery has said of operations and nobody has been told yet.
    var events = Queue<(id: OperationID, event: Discovery.Event)>()
    /// Whether somebody watches the packets, and those that were not shown yet.
    var watchesPackets = false
    var packets = Queue<PacketEvent>()
    /// How many datagrams the kernel did not take, and why it did not take the last one.
    private(set) var unsentCount = 0
    private(set) var lastSendFailure: InterfaceFailure?
    private var timeAsleep = SystemClock.timeAsleep
    private(set) var sleepCount = 0
    /// What the sockets had counted when they were closed.
    private var finalSocketStatistics: [SocketStatistics] = []

    /// The port of multicast DNS (RFC 6762 §3).
    static let port: UInt16 = 5353

    /// Opens the sockets and looks at the interfaces. Call it on the loop's thread, which may be
    /// in a network of its own.
    init(_ options: NodeOptions) throws(MDNSError) {
        do throws(SystemError) {
            monitor = try InterfaceMonitor(refusal: options.netlinkRefusal)
        } catch {
            throw MDNSError(error, whenDoing: "asking for the network interfaces")
        }
        try InterfaceTable.check(options.interfaces, among: monitor.interfaces)
        interfaces = InterfaceTable(options.interfaces, all: monitor.interfaces)
        var generator = SystemRandomNumberGenerator()
        let systemName = SystemIdentity.hostName
        let facts = HostIdentity.Facts(
            systemName: systemName, machineID: SystemIdentity.machineIdentifier,
            interfaces: monitor.interfaces)
        do throws(NameError) {
            identity = try HostIdentity(options.hostName, facts: facts, chance: generator.next())
        } catch {
            throw MDNSError(error)
        }
        do throws(RegistrationError) {
            try HostNaming.check(identity.label)
        } catch {
            throw MDNSError(error)
        }
        mayAskForUnicast = options.mayAskForUnicast
        sockets = try Self.openSockets(options.families)
        let families = Set(sockets.map { $0.family })
        let obstacle = InterfaceTable.obstacle(
            options.interfaces, families, among: monitor.interfaces)
        if let obstacle, !options.waitsForInterface {
            throw MDNSError(.noUsableInterface, obstacle)
        }
        let engine = Configuration(
            interfaces: options.interfaces, families: families,
            mayAskForUnicast: false,
            cachesEverything: options.cachesEverything,
            limitsAmplification: options.limitsAmplification)
        discovery = Discovery(
            configuration: DiscoveryConfiguration(
                engine: engine, hostLabel: identity.label,
                defaultInstanceName: HostNaming.baseLabel(systemName: systemName),
                multicastsAnyName: options.multicastsAnyName),
            generator: SeededGenerator(seed: generator.next()))
    }

    private static func openSockets(
        _ families: Set<AddressFamily>
    ) throws(MDNSError) -> [NodeSocket] {
        var sockets: [NodeSocket] = []
        var lastError: SocketError?
        for family in [AddressFamily.ipv4, .ipv6] where families.contains(family) {
            do throws(SocketError) {
                sockets.append(try NodeSocket(family))
            } catch {
                // One family alone is enough, as in a container without IPv6.
                guard case .familyUnsupported = error else { throw MDNSError(error) }
                lastError = error
            }
        }
        if sockets.isEmpty, let lastError { throw MDNSError(lastError) }
        return sockets
    }

    /// Gives the port back.
    mutating func close() {
        monitorInterest = nil
        watch = nil
        finalSocketStatistics += sockets.flatMap { $0.statistics }
        for socket in sockets { socket.detach() }
        sockets = []
    }

    /// What each socket has counted.
    var socketStatistics: [SocketStatistics] {
        finalSocketStatistics + sockets.flatMap { $0.statistics }
    }

    /// How many datagrams the kernel had no room for.
    var lostDatagramCount: Int {
        Int(socketStatistics.reduce(SocketStatistics(), +).lostByKernel)
    }

    /// The clock of everything.
    var now: Instant { SystemClock.now }

    /// Checks that a selection names interfaces that exist.
    func check(_ selection: InterfaceSelection) throws(MDNSError) {
        try InterfaceTable.check(selection, among: interfaces.all)
    }

    /// Checks that a name may be asked for by multicast.
    func checkMulticast(_ name: DomainName) throws(MDNSError) {
        do throws(QueryError) {
            try discovery.checkMulticast(name)
        } catch {
            throw MDNSError(error)
        }
    }

    // MARK: Datagrams

    /// Passes on to discovery what has come in, and sends what that wants sent at once; what it
    /// says waits in `events`.
    ///
    /// - Returns: Whether another program may be on the port.
    mutating func receive(_ family: AddressFamily, _ role: Role, _ readiness: Readiness) -> Bool {
        guard let place = sockets.firstIndex(where: { $0.family == family }),
            let socket = role == .group ? sockets[place].group : sockets[place].unicast
        else { return false }
        var othersMayBeHere = false
        var lostCount = socket.statistics.lostByKernel
        // Bounded, so that neither deadlines nor the other family starve. What fails now is
        // reported again, or has passed: either way there is nothing better to do than go on.
        _ = try? socket.handle(readiness, limit: Self.datagramsPerTurn) { info, payload in
            let now = self.now
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
            keepSent(bytes, to: destination, on: interface, at: now)
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
            if interfaces.noteSent(family, on: index, isMulticast: isMulticast, at: now) {
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

    // MARK: The port

    /// Begins to wait for a source, by the kernel's number of its descriptor. What it gives
    /// changes what is waited for, reading at first; once that is released the waiting ends.
    typealias Watch = (Source, Int32) throws(SystemError) -> (Readiness) -> Void

    /// What a driver has to be called for.
    enum Source: Hashable, Sendable {
        case interfaces
        case socket(AddressFamily, Role)
    }

    /// Which of a family's sockets is meant.
    enum Role: Hashable, Sendable {
        case group
        case unicast
    }

    /// Has all sources waited for, also sockets that are opened later.
    mutating func attach(_ watch: @escaping Watch) throws(SystemError) {
        self.watch = watch
        if let number = monitor.number { monitorInterest = try watch(.interfaces, number) }
        for socket in sockets {
            socket.group.onInterest = try watch(
                .socket(socket.family, .group), socket.group.number)
        }
    }

    /// A source is ready.
    ///
    /// - Parameter offersSomething: Whether anything is registered.
    mutating func handle(
        _ source: Source, _ readiness: Readiness, offersSomething: @autoclosure () -> Bool
    ) {
        noticeSleep(at: now)
        switch source {
        case .interfaces: readInterfaces(at: now)
        case .socket(let family, let role):
            let othersMayBeHere = receive(family, role, readiness)
            let now = now
            if othersMayBeHere, isPortReviewDue(at: now) {
                reviewPort(offersSomething: offersSomething(), at: now)
            }
        }
    }

    /// Time has come for what discovery wants to do by itself.
    mutating func advance(to now: Instant, offersSomething: Bool) {
        noticeSleep(at: now)
        if let due = monitor.due, due <= now { readInterfaces(at: now) }
        reviewPort(offersSomething: offersSomething, at: now)
        discovery.advance(to: now)
    }

    /// Sends what waits for the kernel to have room: goodbyes still go out when all else is over.
    mutating func sendQueued(_ source: Source, _ readiness: Readiness) {
        guard case .socket(let family, let role) = source else { return }
        _ = receive(family, role, readiness.intersection(.writable))
    }

    /// Finds out who else is on the port. Beside another program a node asks for no unicast
    /// answers, and takes no unicast unless it offers something.
    ///
    /// Called wherever that counts: before something is asked, and when another program shows
    /// itself. Reading the kernel's tables takes a fifth of a millisecond, so that not more than
    /// five times a second.
    mutating func reviewPort(offersSomething: Bool, at now: Instant, isUrgent: Bool = false) {
        guard isUrgent || offersSomething != offeredSomething || isPortReviewDue(at: now) else {
            return
        }
        lastPortReview = now
        offeredSomething = offersSomething
        let own = Set(sockets.flatMap { $0.inodes })
        sharesPort = sockets.contains {
            UDPPortTable.isShared(Self.port, $0.family, besides: own)
        }
        for index in sockets.indices {
            if offersSomething || !sharesPort {
                openUnicast(index)
            } else {
                sockets[index].closeUnicast()
            }
        }
        discovery.mayAskForUnicast =
            mayAskForUnicast && !sharesPort && sockets.allSatisfy { $0.unicast != nil }
    }

    /// Whether the last review is no longer recent.
    mutating func isPortReviewDue(at now: Instant) -> Bool {
        lastPortReview.map { $0.duration(to: now) >= Self.portReviewInterval } ?? true
    }

    /// Where it can't be had, nothing is asked for by unicast; multicast works all the same.
    private mutating func openUnicast(_ index: Int) {
        guard let watch, sockets[index].unicast == nil else { return }
        let family = sockets[index].family
        do {
            try sockets[index].openUnicast()
            guard let socket = sockets[index].unicast else { return }
            socket.onInterest = try watch(.socket(family, .unicast), socket.number)
        } catch {
            sockets[index].closeUnicast()
        }
    }

    // MARK: Interfaces

    /// Takes up the interfaces that there are at the start.
    mutating func begin(at now: Instant) {
        take(monitor.interfaces, at: now)
    }

    /// Reads what the kernel says has changed. An error is left for the next change: the
    /// snapshot that is known still holds as far as anybody knows.
    mutating func readInterfaces(at now: Instant) {
        guard let snapshots = try? monitor.update() else { return }
        for snapshot in snapshots { take(snapshot, at: now) }
    }

    private mutating func take(_ snapshot: [NetworkInterface], at now: Instant) {
        let families = Set(sockets.map { $0.family })
        for change in interfaces.update(snapshot, families: families) {
            switch change {
            case .join(let family, let index): join(family, index)
            case .forget(let index):
                for socket in sockets { socket.group.forget(index) }
            }
        }
        reachabilityChanged = true
        discovery.update(interfaces: interfaces.used, at: now)
    }

    private mutating func join(_ family: AddressFamily, _ index: InterfaceIndex) {
        guard let socket = sockets.first(where: { $0.family == family }) else { return }
        do throws(SystemError) {
            try socket.group.join(.multicastDNS(family), on: index)
            interfaces.note(.joined, family, index)
        } catch {
            interfaces.note(.refused("\(error)"), family, index)
        }
    }

    // MARK: Sleep

    /// If the machine has slept, what is known of the link may be out of date.
    mutating func noticeSleep(at now: Instant) {
        let asleep = SystemClock.timeAsleep
        defer { timeAsleep = asleep }
        guard asleep - timeAsleep > Self.leastSleep else { return }
        sleepCount += 1
        discovery.wake(at: now)
    }

    // MARK: Facts

    /// How the node stands with the system.
    var status: NodeStatus {
        NodeStatus(
            hostName: discovery.hostName, hostNameOrigin: identity.origin,
            families: Set(sockets.map { $0.family }), sharesPort: sharesPort,
            receivesUnicast: !sockets.isEmpty && sockets.allSatisfy { $0.unicast != nil },
            interfaces: interfaces.status, failures: interfaces.failures,
            interfaceUpdates: NodeStatus.InterfaceUpdates(pollingReason: monitor.pollingReason),
            lostDatagramCount: lostDatagramCount)
    }
}
