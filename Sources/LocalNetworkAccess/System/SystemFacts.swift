import LinuxEventLoop
import LinuxNetworking
import MDNS
import NetworkPrimitives

/// The facts as the system has them now.
struct SystemFacts: LocalNetworkFactsSource {
    /// The loop whose thread looks, which can be in a network of its own.
    let loop: EventLoop
    var selection = InterfaceSelection.all
    var families: Set<AddressFamily> = [.ipv4, .ipv6]
    /// Has it behave as if the system refused netlink for this reason.
    var netlinkRefusal: SystemError?

    private static let port: UInt16 = 5353
    private static let daemonSocket = "/run/avahi-daemon/socket"

    func facts() async -> LocalNetworkFacts {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: look()) }
        }
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) async {
        guard let watch = try? await InterfaceWatch(loop, netlinkRefusal, onChange) else {
            return await Cancellation.wait()
        }
        await Cancellation.wait()
        await watch.end()
    }

    /// Looks at all of it. Takes some milliseconds, most of them in the kernel's tables.
    private func look() -> LocalNetworkFacts {
        var facts = LocalNetworkFacts()
        facts.selection = selection
        facts.families = families
        do throws(SystemError) {
            let snapshot = try InterfaceDetails.snapshot(refusal: netlinkRefusal)
            facts.interfaces = snapshot.interfaces.map { InterfaceFacts($0) }
            facts.interfaceReportsError = snapshot.refusal?.code.rawValue
        } catch {
            facts.refusals = families.sorted { $0 == .ipv4 && $1 == .ipv6 }.map {
                Refusal(.socket, $0, number: error.code.rawValue)
            }
        }
        facts.process.user = ProcessLimits.user
        facts.process.hasSystemCallFilter = ProcessLimits.hasSystemCallFilter
        facts.process.openFileLimit = ProcessLimits.openFileLimit
        facts.process.openFileCount = ProcessLimits.openFileCount
        if facts.refusals.isEmpty { tryPort(&facts) }
        facts.membershipLimit = ProcessLimits.membershipLimit
        facts.routes = KernelTables.routes().map {
            RouteFacts($0.destination, interface: $0.interface, gateway: $0.gateway)
        }
        facts.neighbourCount = KernelTables.neighbourCount()
        if SystemFile.exists(Self.daemonSocket) { facts.hostNameDaemon = "avahi-daemon" }
        facts.network = NetworkIdentity(
            bootID: ProcessLimits.bootIdentifier, namespace: ProcessLimits.networkNamespace,
            interfaces: facts.interfaces.map { $0.interface }.filter { selection.contains($0) })
        return facts
    }

    /// Binds for a moment, on the group's address, where no unicast is taken from others.
    private func tryPort(_ facts: inout LocalNetworkFacts) {
        for family in AddressFamily.allCases where families.contains(family) {
            do throws(SocketError) {
                _ = try DatagramSocket(
                    family, port: Self.port, sharesPort: true, address: .multicastDNS(family))
            } catch {
                let refusal = Refusal(family, error)
                facts.refusals.append(refusal)
                guard SystemError.Code(rawValue: refusal.number) == .addressInUse else { continue }
                facts.portHolders += UDPPortTable.sockets(on: Self.port, family).map {
                    PortHolder(
                        family, user: $0.user, program: ProcessLimits.program(ofSocket: $0.inode))
                }
            }
        }
    }
}

extension InterfaceFacts {
    init(_ details: InterfaceDetails) {
        self.init(details.interface, kind: details.kind)
        hasPeerElsewhere = details.hasPeerElsewhere
        duplicateAddresses = details.duplicateAddresses
        isIPv6Disabled = ProcessLimits.isIPv6Disabled(on: details.interface.name)
    }
}

extension Refusal {
    init(_ family: AddressFamily, _ error: SocketError) {
        switch error {
        case .portHeldExclusively:
            self.init(.bind, family, number: SystemError.Code.addressInUse.rawValue)
        case .familyUnsupported:
            self.init(.socket, family, number: SystemError.Code.familyUnsupported.rawValue)
        case .notPermitted(let cause), .system(let cause):
            self.init(
                cause.operation == "bind" ? .bind : .socket, family, number: cause.code.rawValue)
        }
    }
}

/// Waiting for the end of a task.
enum Cancellation {
    /// Returns when the task is cancelled.
    static func wait() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
}

/// A monitor of the interfaces on a loop.
actor InterfaceWatch {
    private nonisolated let loop: EventLoop
    private var watch: MonitorWatch?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // Held by this actor as long as it lives.
        unsafe loop.asUnownedSerialExecutor()
    }

    init(
        _ loop: EventLoop, _ refusal: SystemError?, _ onChange: @escaping @Sendable () -> Void
    ) async throws(SystemError) {
        self.loop = loop
        try begin(refusal, onChange)
    }

    private func begin(
        _ refusal: SystemError?, _ onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let monitor = try InterfaceMonitor(refusal: refusal)
        watch = try MonitorWatch(monitor, on: loop) { [weak self] in
            self?.assumeIsolated { $0.look(onChange) }
        }
        onChange()
    }

    private func look(_ onChange: @Sendable () -> Void) {
        guard let snapshots = try? watch?.update(), !snapshots.isEmpty else { return }
        onChange()
    }

    /// Closes what it has open.
    func end() {
        watch?.cancel()
        watch = nil
    }
}
