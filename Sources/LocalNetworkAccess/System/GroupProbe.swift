import LinuxEventLoop
import LinuxNetworking
import MDNS
import NetworkPrimitives

/// Queries the group through sockets of its own.
struct GroupProbe: LocalNetworkProbe {
    /// The loop whose thread has the sockets, which can be in a network of its own.
    let loop: EventLoop

    func run(
        on facts: LocalNetworkFacts, report: @escaping @Sendable (LocalNetworkStep) -> Void
    ) async {
        let sockets = ProbeSockets(loop, report)
        await sockets.begin(facts)
        await Cancellation.wait()
        await sockets.end()
    }
}

/// The sockets of a probe, on a loop.
private actor ProbeSockets {
    private nonisolated let loop: EventLoop
    private let report: @Sendable (LocalNetworkStep) -> Void
    private var sockets: [AddressFamily: DatagramSocket] = [:]
    private var interfaces: [NetworkInterface] = []
    private var timer: DeadlineTimer?
    private var turn = 0
    private var countersBefore: [String: Int] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // Held by this actor as long as it lives.
        unsafe loop.asUnownedSerialExecutor()
    }

    private static let port: UInt16 = 5353
    /// A query for the types of service that there are (RFC 6763 §9), which most hosts answer.
    private static let query: [UInt8] = {
        let labels = ["_services", "_dns-sd", "_udp", "local"]
        // A header with one question.
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in labels {
            bytes.append(UInt8(label.utf8.count))
            bytes.append(contentsOf: label.utf8)
        }
        // The root, PTR, IN.
        return bytes + [0, 0, 12, 0, 1]
    }()
    /// The times from one turn to the next. Queries are a second apart and then twice as long
    /// each time (RFC 6762 §5.2); what the kernel counts is looked at in between.
    private static let intervals: [(wait: Duration, sends: Bool)] = [
        (.milliseconds(300), false), (.milliseconds(700), true), (.milliseconds(300), false),
        (.milliseconds(1700), true), (.milliseconds(300), false), (.milliseconds(3700), true),
        (.milliseconds(300), false), (.milliseconds(7700), true),
    ]

    init(_ loop: EventLoop, _ report: @escaping @Sendable (LocalNetworkStep) -> Void) {
        self.loop = loop
        self.report = report
    }

    /// Joins the groups, and sends after a delay of chance (RFC 6762 §5.2).
    func begin(_ facts: LocalNetworkFacts) {
        interfaces = facts.interfaces.map { $0.interface }.filter {
            facts.selection.isEligible($0, families: facts.families)
        }
        countersBefore = KernelTables.counters()
        for family in AddressFamily.allCases where facts.families.contains(family) {
            open(family)
        }
        timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.takeTurn() }
        }
        timer?.setDeadline(SystemClock.now.advanced(by: .milliseconds(Int.random(in: 20...120))))
    }

    /// Closes all sockets.
    func end() {
        timer?.cancel()
        timer = nil
        // No longer watched then.
        for socket in sockets.values { socket.onInterest = nil }
        sockets = [:]
    }

    private func open(_ family: AddressFamily) {
        let group = IPAddress.multicastDNS(family)
        guard
            let socket = try? DatagramSocket(
                family, port: Self.port, sharesPort: true, address: group),
            let watch = try? loop.watch(
                number: socket.number, for: socket.interest,
                onReady: { [weak self] readiness in
                    self?.assumeIsolated { $0.receive(family, readiness) }
                })
        else { return }
        socket.onInterest = { try? watch.setInterest($0) }
        for interface in interfaces where hasAddress(interface, family) {
            do throws(SystemError) {
                try socket.join(group, on: interface.index)
                report(.joined(interface.index, family))
            } catch {
                report(.joinRefused(interface.index, family, number: error.code.rawValue))
            }
        }
        sockets[family] = socket
    }

    private func hasAddress(_ interface: NetworkInterface, _ family: AddressFamily) -> Bool {
        interface.addresses.contains { $0.address.family == family && !$0.isTentative }
    }

    // MARK: Turns

    private func takeTurn() {
        if turn == 0 || Self.intervals[turn - 1].sends {
            for interface in interfaces { send(on: interface) }
        } else {
            report(.counted(growth()))
        }
        guard turn < Self.intervals.count else { return }
        timer?.setDeadline(SystemClock.now.advanced(by: Self.intervals[turn].wait))
        turn += 1
    }

    private func send(on interface: NetworkInterface) {
        for family in AddressFamily.allCases where hasAddress(interface, family) {
            guard let socket = sockets[family] else { continue }
            let query = Self.query
            let result = socket.send(
                query.span, to: SocketAddress(.multicastDNS(family), port: Self.port),
                on: interface.index, from: source(interface, family))
            switch result {
            case .sent: report(.sent(interface.index, family))
            case .queued: break
            case .dropped: refused(interface.index, family, .noBufferSpace)
            case .failed(let code): refused(interface.index, family, code)
            }
        }
    }

    private func refused(
        _ index: InterfaceIndex, _ family: AddressFamily, _ code: SystemError.Code
    ) {
        let isDenied = code == .notPermitted || code == .accessDenied
        report(
            .sendRefused(
                index, family, number: code.rawValue,
                isLoopbackRefused: isDenied && Self.isLoopbackRefused))
    }

    /// Whether the program may not even send to itself: then it is not the firewall, which
    /// spares the loopback as a rule.
    private static var isLoopbackRefused: Bool {
        guard let socket = try? DatagramSocket(.ipv4) else { return true }
        let bytes: [UInt8] = [0]
        let result = socket.send(
            bytes.span, to: SocketAddress(.v4(.loopback), port: socket.port), on: nil)
        return result == .failed(.notPermitted) || result == .failed(.accessDenied)
    }

    /// A link-local address over IPv6, which every neighbour can answer to.
    private func source(_ interface: NetworkInterface, _ family: AddressFamily) -> IPAddress? {
        let own = interface.addresses.filter { $0.address.family == family && !$0.isTentative }
        let linkLocal = own.first { $0.address.isLinkLocal }
        return (family == .ipv6 ? linkLocal ?? own.first : own.first)?.address
    }

    // MARK: What comes

    private func receive(_ family: AddressFamily, _ readiness: Readiness) {
        _ = try? sockets[family]?.handle(readiness) { info, payload in
            guard let interface = interfaces.first(where: { $0.index == info.interface }) else {
                return
            }
            let source = info.source.address
            // An interface without an IPv4 address sends from none.
            guard interfaces.contains(where: { $0.owns(source) }) || source.isUnspecified else {
                // The first bit of the flags tells a response from a query.
                let isResponse = payload.count >= 12 && payload[2] & 0x80 != 0
                return report(.received(interface.index, family, isResponse: isResponse))
            }
            let isQuery =
                payload.count == Self.query.count
                && payload.indices.allSatisfy { payload[$0] == Self.query[$0] }
            report(
                .loopedBack(interface.index, family, hopLimit: isQuery ? info.hopLimit : nil))
        }
    }

    private func growth() -> CounterFacts {
        let now = KernelTables.counters()
        func grown(_ names: String...) -> Int? {
            let differences = names.compactMap { name in
                now[name].map { $0 - (countersBefore[name] ?? 0) }
            }
            return differences.isEmpty ? nil : differences.reduce(0, +)
        }
        var counters = CounterFacts()
        counters.multicastReceived = grown("IpExt.InMcastPkts")
        counters.multicastReceivedIPv6 = grown("Ip6InMcastPkts")
        counters.reversePathDropped = grown("TcpExt.IPReversePathFilter")
        counters.portUnreachable = grown("Udp.NoPorts", "Udp6NoPorts")
        return counters
    }
}
