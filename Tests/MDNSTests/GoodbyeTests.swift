import DNSMessages
import LinuxNetworking
import MDNS
import TestSupport
import Testing

/// Each way in which a registration ends says goodbye, and no other does.
@Suite(
    "Goodbyes of a node",
    .makesNetworks,
    .timeLimit(.minutes(5)))
struct GoodbyeTests {
    private func service(_ name: String) throws -> ServiceDescription {
        ServiceDescription(name: name, type: try ServiceType("_vicinity-test._tcp"), port: 4711)
    }

    /// Offers a service, has another node find it, runs `end`, and expects the goodbye.
    private func expectGoodbye(
        _ end: (MDNSNode, RegistrationHandle) async throws -> Void
    ) async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            let type = try ServiceType("_vicinity-test._tcp")
            var events = try await two.browse(type, within: .seconds(20)).makeAsyncIterator()
            // Held here only, so that it can be dropped.
            var registration: RegistrationHandle? = try await one.register(service("Brief"))
            try await registration?.established()
            let instance = try #require(await events.next()?.instance)
            if let held = registration {
                registration = nil
                try await end(one, held)
            }
            #expect(await events.next() == .removed(instance))
        }
    }

    /// Runs `body` in a task that was cancelled before.
    private func cancelled<Result: Sendable>(
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result {
        await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await body()
        }.value
    }

    @Test("A handle that nobody holds any more")
    func dropped() async throws {
        try await expectGoodbye { node, _ in
            #expect(await node.runningOperations == 1)
        }
    }

    @Test("withdraw() and close(), in a task and in a cancelled one", arguments: [false, true])
    func withdrawn(_ isCancelled: Bool) async throws {
        try await expectGoodbye { node, registration in
            let delivery =
                if isCancelled { await cancelled { await registration.withdraw() } } else {
                    await registration.withdraw()
                }
            #expect(delivery == .sent)
            #expect(await node.runningOperations == 0)
        }
        try await expectGoodbye { node, registration in
            let delivery =
                if isCancelled { await cancelled { await node.close() } } else {
                    await node.close()
                }
            #expect(delivery == .sent)
            _ = registration
        }
    }

    @Test("A wait that was cancelled keeps the registration, which ends with its handle")
    func cancelledWait() async throws {
        try await expectGoodbye { node, registration in
            let error = await cancelled { () async -> MDNSError? in
                do throws(MDNSError) {
                    try await registration.established()
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error == nil || error?.code == .cancelled)
            #expect(await node.runningOperations == 1)
        }
    }

    @Test("The time of a registration's events ends the events and not the registration")
    func limitedEvents() async throws {
        try await expectGoodbye { node, registration in
            let other = await registration.watchStatus()
            registration.events.end(after: .zero)
            for await _ in registration.events {}
            #expect(await node.runningOperations == 1)
            var statuses = other.makeAsyncIterator()
            guard case .established = await statuses.next() else {
                Issue.record("another reader's events ended")
                return
            }
        }
    }

    @Test("A call that was cancelled leaves no operation, and sends nothing")
    func cancelledCalls() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let packets = try await node.watchPackets()
            let description = try service("Never")
            let name = try ServiceInstanceName("None", type: ServiceType("_vicinity-test._tcp"))
            let codes = await cancelled { () async -> [MDNSError.Code] in
                var codes: [MDNSError.Code] = []
                do throws(MDNSError) {
                    _ = try await node.register(description)
                } catch {
                    codes.append(error.code)
                }
                do throws(MDNSError) {
                    _ = try await node.resolve(name)
                } catch {
                    codes.append(error.code)
                }
                return codes
            }
            #expect(codes == [.cancelled, .cancelled])
            #expect(await node.runningOperations == 0)
            packets.end(after: .zero)
            for await packet in packets where packet.direction == .sent {
                let message = try Message.decode(packet.payload.span).message
                #expect(!message.header.isResponse && message.authorities.isEmpty)
            }
        }
    }
}
