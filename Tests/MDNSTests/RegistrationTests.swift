import DNSMessages
import LinuxNetworking
import MDNS
import TestSupport
import Testing

/// What becomes of a registration, a wait for it, and its goodbye.
@Suite(
    "Registrations of a node",
    .makesNetworks,
    .timeLimit(.minutes(5)))
struct RegistrationTests {
    private func service(_ name: String, renames: Bool = true) throws -> ServiceDescription {
        ServiceDescription(
            name: name, type: try ServiceType("_vicinity-test._tcp"), port: 4711,
            renamesOnConflict: renames)
    }

    private func code(_ body: () async throws(MDNSError) -> some Sendable) async -> MDNSError.Code?
    {
        do throws(MDNSError) {
            _ = try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A registration that nobody can reach is withdrawn; its events keep it")
    func dropped() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            _ = try await node.register(service("Dropped"))
            // The end of the handle is in the loop's queue before this call.
            #expect(await node.runningOperations == 0)
            let events = try await node.register(service("Kept")).events
            #expect(await node.runningOperations == 1)
            for await status in events { if case .established = status { break } }
            #expect(await node.runningOperations == 1)
            events.cancel()
        }
    }

    @Test("Waiting after a conflict says that the name is taken, each time")
    func lateWait() async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            let first = try await one.register(service("Twin"))
            try await first.established()
            let second = try await two.register(service("Twin", renames: false))
            for await status in second.events { if case .conflicted = status { break } }
            #expect(await code(second.established) == .nameTaken)
            #expect(await code(second.established) == .nameTaken)
            await second.withdraw()
            #expect(await code(second.established) == .withdrawn)
            #expect(await code(first.established) == nil)
            await one.close()
            #expect(await code(first.established) == .nodeClosed)
        }
    }

    @Test("A cancelled call says so, and leaves registrations as they are")
    func cancelled() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let registration = try await node.register(service("Stays"))
            let waiting = Task { await code(registration.established) }
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            #expect(await code(registration.established) == nil)

            let description = try service("Never")
            let registering = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await code { () async throws(MDNSError) in
                    try await node.register(description)
                }
            }
            #expect(await registering.value == .cancelled)
            #expect(await node.runningOperations == 1)
            await registration.withdraw()
        }
    }

    @Test("A look-up that is cancelled, or whose node is closed, is none that nobody answered")
    func interruptedLookups() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let name = try ServiceInstanceName("None", type: ServiceType("_vicinity-test._tcp"))
            let host = try DomainName("nobody.local")
            #expect(try await node.resolve(name, within: .milliseconds(50)) == nil)
            let resolving = Task {
                await code { () async throws(MDNSError) in try await node.resolve(name) }
            }
            let looking = Task {
                await code { () async throws(MDNSError) in try await node.addresses(of: host) }
            }
            while await node.runningOperations < 2 { await Task.yield() }
            resolving.cancel()
            #expect(await resolving.value == .cancelled)
            await node.close()
            #expect(await looking.value == .nodeClosed)
        }
    }

    @Test(
        "What can't be sent is not established, and is as soon as it can",
        .command("/usr/sbin/nft", "/sbin/nft"))
    func blocked() async throws {
        try await PrivateNetwork.with { network in
            try await network.run(
                """
                nft add table inet block
                nft 'add chain inet block out { type filter hook output priority 0; }'
                nft add rule inet block out udp dport 5353 drop
                """)
            let node = try await network.node("node-one")
            let registration = try await node.register(service("Blocked"))
            var events = registration.events.makeAsyncIterator()
            let name = try DomainName("Blocked._vicinity-test._tcp.local")
            #expect(await events.next() == .probing(name))
            guard case .blocked(name, let failure) = await events.next() else {
                Issue.record("not blocked")
                return
            }
            #expect(failure.errorNumber == 1)
            #expect(await code(registration.established) == .sendingFailed)
            let sends = await node.status().interfaces.first?.sends[.ipv4]
            #expect(sends?.isBlocked == true && sends?.sentCount == 0)

            try await network.run("nft flush ruleset")
            let packets = try await node.watchPackets()
            #expect(await events.next() == .established(name))
            packets.end(after: .zero)
            var probes = 0
            for await packet in packets where packet.direction == .sent {
                let message = try Message.decode(packet.payload.span).message
                if !message.authorities.isEmpty { probes += 1 }
            }
            // Those of before never left, so the name was not probed for (RFC 6762 §8.1).
            #expect(probes >= 3)

            try await network.run(
                """
                nft add table inet block
                nft 'add chain inet block out { type filter hook output priority 0; }'
                nft add rule inet block out udp dport 5353 drop
                """)
            guard case .failed(let error) = await registration.withdraw() else {
                Issue.record("the goodbye did not leave")
                return
            }
            #expect(error.code == .sendingFailed)
            #expect(error.systemFailure?.number == 1)
        }
    }
}
