import MDNS

/// `mdns demo`: two nodes find each other over real multicast on the loopback.
enum Demo {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        var options = try NetworkCommand.options(arguments)
        options.interfaces = .named(["lo"])
        let transcript = DemoTranscript()
        options.hostName = .label("demo-one")
        let one = try await MDNSNode(options)
        options.hostName = .label("demo-two")
        let two = try await MDNSNode(options)
        let watchers = [
            try await watch(one, called: "one", transcript),
            try await watch(two, called: "two", transcript),
        ]
        do {
            let isFound = try await play(one, two, transcript)
            let obstacles = await transcript.obstacles([one.status(), two.status()])
            await one.close()
            await two.close()
            for watcher in watchers { await watcher.value }
            return try await conclude(isFound, obstacles, transcript)
        } catch {
            await one.close()
            await two.close()
            throw error
        }
    }

    private static func watch(
        _ node: MDNSNode, called name: String, _ transcript: DemoTranscript
    ) async throws -> Task<Void, Never> {
        let packets = try await node.watchPackets()
        return Program.runTask {
            for await packet in packets { await transcript.show(packet, of: name) }
        }
    }

    private static func play(
        _ one: MDNSNode, _ two: MDNSNode, _ transcript: DemoTranscript
    ) async throws -> Bool {
        let web = try Offer(
            name: "Vicinity Demo: Web", type: ServiceType("_http._tcp"), port: 8080,
            txt: TXTRecord([.init("path", .text("/"))]))
        let printer = try Offer(
            name: "Vicinity Demo: Drucker & Söhne", type: ServiceType("_ipp._tcp"), port: 631,
            txt: TXTRecord([.init("color", .none), .init("rp", .text("ipp/print"))]))
        async let first = meet(web, from: one, by: two, ("one", "two"), transcript)
        async let second = meet(printer, from: two, by: one, ("two", "one"), transcript)
        let results = try await [first, second]
        return results.allSatisfy { $0 }
    }

    /// One node offers, the other browses, resolves and looks up.
    private static func meet(
        _ offer: Offer, from publisher: MDNSNode, by seeker: MDNSNode,
        _ names: (publisher: String, seeker: String), _ transcript: DemoTranscript
    ) async throws -> Bool {
        let events = try await seeker.browse(offer.type, within: .seconds(4))
        let registration = try await publisher.register(
            ServiceDescription(
                name: offer.name, type: offer.type, port: offer.port, txt: offer.txt))
        await transcript.say("\(names.publisher) publishes “\(offer.name)” \(offer.type)")
        guard let instance = await firstAdded(events, named: offer.name) else { return false }
        await transcript.say("\(names.seeker) found “\(instance.name.instance)”")
        guard let service = try await seeker.resolve(instance.name, within: .seconds(2)) else {
            return false
        }
        await transcript.say(
            "\(names.seeker) resolved it: \(service.host) port \(service.port), "
                + "TXT \(ServiceFormat.text(service.txt))")
        let addresses = try await seeker.addresses(of: service.host, within: .seconds(1))
        guard !addresses.isEmpty, service.port == offer.port, service.txt == offer.txt else {
            return false
        }
        await transcript.say(
            "\(names.seeker) looked up \(service.host): "
                + addresses.map { ServiceFormat.text($0.address, interface: "lo") }
                .joined(separator: ", "))
        await registration.withdraw()
        return true
    }

    private static func firstAdded(
        _ events: BrowseEvents, named name: String
    ) async -> ServiceInstance? {
        for await event in events {
            if case .added(let instance) = event, instance.name.instance.hasPrefix(name) {
                return instance
            }
        }
        return nil
    }

    private static func conclude(
        _ isFound: Bool, _ obstacles: [String], _ transcript: DemoTranscript
    ) async throws -> ExitCode {
        for obstacle in obstacles { Printer.printError(obstacle) }
        if !obstacles.isEmpty { return .network }
        guard isFound else {
            Printer.printError("the two nodes did not find each other in time; try once more")
            return .network
        }
        try await transcript.finish()
        return .success
    }

    private struct Offer: Sendable {
        var name: String
        var type: ServiceType
        var port: UInt16
        var txt: TXTRecord
    }
}
