import DNSMessages
import DNSSD
package import LinuxNetworking
import MulticastDNS
package import NetworkPrimitives

/// Between the sockets and discovery: what comes in goes up, what is to go out goes down, and
/// changes of the interfaces become memberships and a snapshot. It decides nothing else.
///
/// It knows no loop: who holds it waits for what `attach` names, and calls `handle`.
struct NodeDriver {
    /// At most so many datagrams of a family are read before others have their turn.
    static let datagramsPerTurn = 64
    /// A jump of the sleep clock beyond this is a sleep and not two clocks read apart.
    static let leastSleep: Duration = .seconds(1)
    /// Less than the 250 ms between two probes (RFC 6762 §8.1).
    static let portReviewInterval: Duration = .milliseconds(200)

    var discovery: Discovery
    var interfaces: InterfaceTable
    /// The sockets by family, IPv4 first.
    var sockets: [NodeSocket]
    let monitor: InterfaceMonitor
    private let identity: HostIdentity
    let mayAskForUnicast: Bool
    /// Whether another program is on the port, as last seen.
    var sharesPort = true
    var lastPortReview: Instant?
    var offeredSomething = false
    var watch: SourceWatch?
    /// As long as this is held, changes of the interfaces are waited for.
    var monitorInterest: ((Readiness) -> Void)?
    /// Whether something began to work, or to fail, since this was last asked.
    var reachabilityChanged = false
    /// What discovery has said of operations and nobody has been told yet.
    var events = Queue<(id: OperationID, event: Discovery.Event)>()
    /// Whether somebody watches the packets, and those that were not shown yet.
    var watchesPackets = false
    var packets = Queue<PacketEvent>()
    /// How many datagrams the kernel did not take, and why it did not take the last one.
    var unsentCount = 0
    var lastSendFailure: InterfaceFailure?
    var timeAsleep = SystemClock.timeAsleep
    var sleepCount = 0
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
    private var socketStatistics: [SocketStatistics] {
        finalSocketStatistics + sockets.flatMap { $0.statistics }
    }

    /// How many datagrams the kernel had no room for.
    private var lostDatagramCount: Int {
        Int(socketStatistics.reduce(SocketStatistics(), +).lostByKernel)
    }

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

    // MARK: Facts

    /// What was counted so far, also once it is closed.
    var statistics: NodeStatistics {
        NodeStatistics(
            engine: discovery.statistics,
            sockets: socketStatistics.reduce(SocketStatistics(), +), sleepCount: sleepCount)
    }

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

/// What a node has to be called for.
package enum NodeSource: Hashable, Sendable {
    case interfaces
    case socket(AddressFamily, Role)

    /// Which of a family's sockets is meant.
    package enum Role: Hashable, Sendable {
        case group
        case unicast
    }
}

/// Begins to wait for a source, by the kernel's number of its descriptor. What it gives changes
/// what is waited for, reading at first; once that is released the waiting ends.
package typealias SourceWatch = (NodeSource, Int32) throws(SystemError) -> (Readiness) -> Void
