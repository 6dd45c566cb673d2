import DNSMessages
import DNSSD
import LinuxNetworking
import MulticastDNS
import NetworkPrimitives

/// Between the sockets and discovery: what comes in goes up, what is to go out goes down, and
/// changes of the interfaces become memberships and a snapshot. It decides nothing else.
///
/// Used by its node on the loop only.
struct NodeDriver {
    /// At most so many datagrams of a family are read before others have their turn.
    static let datagramsPerTurn = 64
    /// A jump of the sleep clock beyond this is a sleep and not two clocks read apart.
    private static let leastSleep: Duration = .seconds(1)

    var discovery: Discovery
    private(set) var interfaces: InterfaceTable
    /// The sockets by family, IPv4 first.
    private(set) var sockets: [DatagramSocket]
    let monitor: InterfaceMonitor
    private let identity: HostIdentity
    private let sharesPort: Bool
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
            monitor = try InterfaceMonitor()
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
        // Asked before the own sockets are on it.
        sharesPort = options.families.contains { UDPPortTable.isInUse(Self.port, $0) }
        sockets = try Self.openSockets(options.families)
        let families = Set(sockets.map(\.family))
        let obstacle = InterfaceTable.obstacle(
            options.interfaces, families, among: monitor.interfaces)
        if let obstacle, !options.waitsForInterface {
            throw MDNSError(.noUsableInterface, obstacle)
        }
        let engine = Configuration(
            interfaces: options.interfaces, families: families,
            mayAskForUnicast: options.mayAskForUnicast && !sharesPort,
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
    ) throws(MDNSError) -> [DatagramSocket] {
        var sockets: [DatagramSocket] = []
        var lastError: SocketError?
        for family in [AddressFamily.ipv4, .ipv6] where families.contains(family) {
            do throws(SocketError) {
                sockets.append(try DatagramSocket(family, port: port, sharesPort: true))
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
        monitor.detach()
        finalSocketStatistics += sockets.map(\.statistics)
        for socket in sockets { socket.detach() }
        sockets = []
    }

    /// What each socket has counted.
    var socketStatistics: [SocketStatistics] { finalSocketStatistics + sockets.map(\.statistics) }

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

    /// Sends what discovery wants sent.
    ///
    /// - Returns: Whether the kernel has it, or will have it as soon as it has room.
    mutating func send(_ transmission: Transmission) -> Bool {
        let destination = transmission.destination
        guard let socket = sockets.first(where: { $0.family == transmission.family }) else {
            return false
        }
        let result = socket.send(
            transmission.bytes.span, to: destination, on: transmission.interface,
            from: interfaces.source(for: destination.address, on: transmission.interface))
        switch result {
        case .sent, .queued:
            return true
        case .dropped:
            interfaces.noteFailedSend(
                "the send queue is full", transmission.family, on: transmission.interface)
        case .failed(let code):
            interfaces.noteFailedSend(
                "\(code.text) (\(code))", transmission.family, on: transmission.interface)
        }
        return false
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
        let families = Set(sockets.map(\.family))
        for change in interfaces.update(snapshot, families: families) {
            switch change {
            case .join(let family, let index): join(family, index)
            case .forget(let index):
                for socket in sockets { socket.forget(index) }
            }
        }
        discovery.update(interfaces: interfaces.used, at: now)
    }

    private mutating func join(_ family: AddressFamily, _ index: InterfaceIndex) {
        guard let socket = sockets.first(where: { $0.family == family }) else { return }
        do throws(SystemError) {
            try socket.join(.multicastDNS(family), on: index)
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
            families: Set(sockets.map(\.family)), sharesPort: sharesPort,
            interfaces: interfaces.status)
    }
}
