import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import TestSupport
import Testing

@testable import LocalNetworkAccess

/// A network of its own, and a session on a loop in it.
private actor AccessCell {
    nonisolated let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private init() throws {
        loop = try EventLoop(name: "access")
    }

    /// Runs `body` in a new network with this host on one end of a cable.
    static func with(
        _ body: (AccessCell, LocalNetworkAccessSession) async throws -> Void
    ) async throws {
        let cell = try AccessCell()
        let session = LocalNetworkAccessSession(
            environment: .system(on: cell.loop, storeDirectory: nil))
        do {
            try await cell.enter()
            try await body(cell, session)
        } catch {
            await cell.loop.stop()
            throw error
        }
        await cell.loop.stop()
    }

    private func enter() async throws {
        try NetworkNamespace.enterNew()
        // IPv6 would send by itself while addresses are checked.
        try await run(
            """
            ip link set lo up
            ip link add left type veth peer name right
            echo 1 > /proc/sys/net/ipv6/conf/left/disable_ipv6
            echo 1 > /proc/sys/net/ipv6/conf/right/disable_ipv6
            ip link set right up
            ip link set left up
            ip addr add 192.0.2.1/24 dev left
            until ip link show left | grep -q 'state UP'; do :; done
            """)
    }

    func run(_ script: String) async throws {
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)), on: loop)
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
    }

    func counters() -> [String: Int] { KernelTables.counters() }

    /// How many sockets this program has on port 5353. The kernel also counts those that a child
    /// of another test still has the moment before it becomes another program.
    func openSockets() -> Int {
        let own = ((try? SystemFile.entries(of: "/proc/self/fd")) ?? []).compactMap {
            SystemFile.target(ofLink: "/proc/self/fd/\($0)")
        }
        return AddressFamily.allCases.flatMap { UDPPortTable.sockets(on: 5353, $0) }
            .count { own.contains("socket:[\($0.inode)]") }
    }

    func hold(_ port: UInt16, sharing: Bool) throws -> sending DatagramSocket {
        try DatagramSocket(.ipv4, port: port, sharesPort: sharing)
    }
}

@Suite("Access to a real network", .makesNetworks, .timeLimit(.minutes(10)))
struct SystemAccessTests {
    @Test("the status sends nothing and leaves no socket")
    func passive() async throws {
        try await AccessCell.with { cell, session in
            let names = [
                "Udp.OutDatagrams", "Udp6OutDatagrams", "IpExt.OutMcastPkts", "Ip.OutRequests",
                "Ip6OutRequests",
            ]
            let before = await cell.counters()
            for _ in 0..<20 {
                let assessment = await session.assessment()
                #expect(assessment.status == .notDetermined)
                #expect(assessment.reasons.allSatisfy { $0.name == "ipv6-disabled" })
            }
            let after = await cell.counters()
            for name in names { #expect(after[name] == before[name], "\(name)") }
            #expect(await cell.openSockets() == 0)
        }
    }

    @Test("a request on a quiet link: sent, looped back, nobody answered")
    func quiet() async throws {
        try await AccessCell.with { cell, session in
            let report = await session.requestReport(timeout: .patient)
            #expect(report.assessment.status == .allowed)
            #expect(report.assessment.reasons.map { $0.name }.first == "nobody-answered")
            #expect(
                report.progress
                    == LocalNetworkProgress(hasJoined: true, hasSent: true, hasLoopedBack: true))
            #expect(await cell.openSockets() == 0)
            #expect(await session.status() == .allowed)
        }
    }

    @Test("another host's response is an answer")
    func answered() async throws {
        try await AccessCell.with { cell, session in
            try await cell.run(
                """
                export ready=$(mktemp -u)
                unshare -n sh -ec '
                    until ip link set right up 2>/dev/null; do :; done
                    ip addr add 192.0.2.2/24 dev right
                    exec python3 -c "
                import os, socket
                group, own = \\"224.0.0.251\\", socket.inet_aton(\\"192.0.2.2\\")
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                s.bind((\\"\\", 5353))
                s.settimeout(60)
                s.setsockopt(0, 32, own)
                s.setsockopt(0, 35, socket.inet_aton(group) + own)
                open(os.environ[\\"ready\\"], \\"w\\").close()
                while True:
                    if not s.recv(9000)[2] & 128:
                        s.sendto(bytes([0, 0, 132]) + bytes(9), (group, 5353))
                "' > /dev/null 2>&1 &
                while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do :; done
                ip link set right netns $!
                until [ -e "$ready" ]; do :; done
                rm "$ready"
                """)
            let report = await session.requestReport(timeout: .patient)
            #expect(report.progress.isAnswered)
            #expect(report.assessment.status == .allowed)
            #expect(report.assessment.reasons.isEmpty)
        }
    }

    @Test("a held port is a denial before anything is sent; the holder is named")
    func held() async throws {
        try await AccessCell.with { cell, session in
            let holder = try await cell.hold(5353, sharing: false)
            let assessment = await session.assessment()
            // Over IPv6 the port is free, but nothing has such an address.
            #expect(assessment.status == .denied)
            #expect(assessment.reasons.first?.name == "port-held")
            #expect(assessment.reasons.first?.text.contains("of user 0") == true)
            #expect(await session.request(timeout: .patient) == .denied)
            _ = holder
        }
    }

    @Test(
        "a firewall that drops is a denial, and told from its way",
        .command("/usr/sbin/nft", "/sbin/nft"), arguments: ["output", "input"])
    func firewall(_ hook: String) async throws {
        try await AccessCell.with { cell, session in
            try await cell.run(
                """
                nft add table ip t
                nft 'add chain ip t c { type filter hook \(hook) priority 0; }'
                nft add rule ip t c udp dport 5353 drop
                """)
            let report = await session.requestReport(timeout: .patient)
            #expect(report.assessment.status == .denied)
            #expect(
                report.assessment.reasons.first
                    == (hook == "output"
                        ? .sendingRefused("left", .ipv4, number: 1)
                        : .inputDropped("left", .ipv4, .packetFilter)))
            #expect(report.progress.hasSent == (hook == "input"))
            #expect(!report.progress.hasLoopedBack)
            #expect(await session.status() == .denied)
            // Another try, once it is open, finds that out.
            try await cell.run("nft delete table ip t")
            #expect(await session.request(timeout: .patient) == .allowed)
        }
    }

    @Test("a cancelled request has closed its sockets when it returns")
    func cancelled() async throws {
        try await AccessCell.with { cell, session in
            for _ in 0..<20 {
                let request = Task { await session.request(timeout: .patient) }
                while await cell.openSockets() == 0 { await Task.yield() }
                request.cancel()
                #expect(await request.value == .notDetermined)
                #expect(await cell.openSockets() == 0)
            }
        }
    }

    @Test("a request waits for an interface, and sees it come")
    func waits() async throws {
        try await AccessCell.with { cell, session in
            try await cell.run("ip link set left down")
            #expect(await session.status() == .unknown)
            var updates = session.statusUpdates().makeAsyncIterator()
            #expect(await updates.next() == .unknown)
            let request = Task { await session.request(timeout: .patient) }
            while await session.callerCount == 0 { await Task.yield() }
            try await cell.run("ip link set left up")
            #expect(await request.value == .allowed)
            var last: LocalNetworkAccessStatus?
            while last != .allowed { last = await updates.next() }
        }
    }
}
