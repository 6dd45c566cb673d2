import DNSMessages
import LinuxNetworking
import MulticastDNS
import NetworkPrimitives

/// What a received packet costs an engine, and what a cached record takes, over how much the
/// engine holds already.
enum EngineBenchmarks {
    static let sizes = [100, 1_000, 10_000]

    /// Prints a table: a row a size.
    static func run() throws {
        print("records  unasked-for response  refresh of one  legacy query   bytes a cached record")
        for size in sizes {
            var holder = try Holder(toCache: size)
            let before = residentBytes()
            holder.fill()
            let grown = residentBytes() - before
            let unwanted = try holder.unwantedResponses()
            let refresh = holder.refreshes()
            var responder = try Responder(registrations: size)
            let queries = responder.legacyQueries()
            print(
                padded("\(size)", 7), padded(text(unwanted), 21), padded(text(refresh), 15),
                padded(text(queries), 13), padded("\(grown / size)", 23))
        }
    }

    /// The kinds of packets that are measured.
    enum Packet: String { case unwanted, refresh, legacy }

    /// The average time of one kind of packet, handed to an engine that holds so many records.
    static func cost(of packet: Packet, holding size: Int, count: Int) throws -> String {
        if packet == .legacy {
            var responder = try Responder(registrations: size)
            return text(responder.legacyQueries(count: count))
        }
        var holder = try Holder(toCache: size)
        holder.fill()
        return text(
            packet == .refresh
                ? holder.refreshes(count: count)
                : try holder.unwantedResponses(count: count))
    }

    private static func text(_ cost: Duration) -> String {
        let nanoseconds = cost.wholeNanoseconds
        return "\(nanoseconds / 1000).\((nanoseconds % 1000) / 100) µs"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func residentBytes() -> Int {
        guard let bytes = try? SystemFile.read("/proc/self/statm", limit: 4096) else { return 0 }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }

    static let interface = NetworkInterface(
        name: "bench0", index: InterfaceIndex(rawValue: 1), flags: [.up, .running, .multicast],
        addresses: [
            .init(NetworkPrefix(.v4(IPv4Address(10, 0, 0, 1)), length: 8))
        ])

    static func engine() -> Engine {
        var configuration = Configuration(families: [.ipv4], limitsAmplification: false)
        configuration.limits.cachedRecordsPerName = 20_000
        var engine = Engine(configuration: configuration, generator: SeededGenerator(seed: 1))
        engine.update(interfaces: [interface], at: .zero)
        return engine
    }

    static func info(from host: Int, port: UInt16 = 5353) -> DatagramInfo {
        let address = IPv4Address(rawValue: 0x0A01_0000 + UInt32(host))
        return DatagramInfo(
            source: SocketAddress(.v4(address), port: port), destination: .v4(.multicastDNS),
            interface: interface.index, hopLimit: 255)
    }

    /// The average time of one of `messages`, handed to the engine one after the other.
    static func cost(
        _ engine: inout Engine, _ messages: [[UInt8]], port: UInt16 = 5353, at now: inout Instant
    ) -> Duration {
        let start = ContinuousClock.now
        for (index, bytes) in messages.enumerated() {
            engine.receive(bytes.span, with: info(from: index % 50, port: port), at: now)
            while engine.nextOutput() != nil {}
            now = now.advanced(by: .microseconds(50))
        }
        return (ContinuousClock.now - start) / messages.count
    }
}

/// An engine that browses a type of which many instances are cached.
private struct Holder {
    var engine = EngineBenchmarks.engine()
    var now = Instant.zero
    let type: DomainName
    let messages: [[UInt8]]

    init(toCache count: Int) throws {
        let type = try DomainName("_bench._tcp.local")
        self.type = type
        _ = engine.startQuery(Question(type, .ptr), on: .all, at: now)
        while engine.nextOutput() != nil {}
        messages = try (0..<count).map { index in
            let instance = try type.prepending(Label("Instance number \(index)"))
            return try Message(
                header: .response,
                answers: [ResourceRecord(type, .ptr(instance), timeToLive: .standard)]
            ).encoded()
        }
    }

    mutating func fill() {
        _ = EngineBenchmarks.cost(&engine, messages, at: &now)
    }

    mutating func refreshes(count: Int = 20_000) -> Duration {
        EngineBenchmarks.cost(
            &engine, (0..<count).map { messages[$0 % messages.count] }, at: &now)
    }

    mutating func unwantedResponses(count: Int = 20_000) throws -> Duration {
        let messages = try (0..<1_000).map { index in
            let type = try DomainName("_other\(index)._tcp.local")
            let instance = try type.prepending(Label("Instance"))
            let host = try DomainName("host\(index).local")
            return try Message(
                header: .response,
                answers: [
                    ResourceRecord(type, .ptr(instance), timeToLive: .standard),
                    ResourceRecord(
                        instance, .srv(ServiceLocation(target: host, port: 1)), timeToLive: .host,
                        cacheFlush: true),
                    ResourceRecord(instance, .txt(.empty), timeToLive: .standard, cacheFlush: true),
                    ResourceRecord(
                        host, .a(IPv4Address(10, 0, 0, 9)), timeToLive: .host, cacheFlush: true),
                ]
            ).encoded()
        }
        return EngineBenchmarks.cost(
            &engine, (0..<count).map { messages[$0 % messages.count] }, at: &now)
    }
}

/// An engine that has many services established.
private struct Responder {
    var engine = EngineBenchmarks.engine()
    var now = Instant.zero
    let queries: [[UInt8]]

    init(registrations: Int) throws {
        let type = try DomainName("_bench._tcp.local")
        let host = try DomainName("bench.local")
        let address = ResourceRecord(host, .a(IPv4Address(10, 0, 0, 1)), timeToLive: .host)
        _ = engine.publish(RecordSet([.init(address, .unique)]), at: now)
        var queries: [[UInt8]] = []
        for index in 0..<registrations {
            let instance = try type.prepending(Label("Instance number \(index)"))
            let location = ServiceLocation(target: host, port: 1)
            let set = RecordSet([
                .init(ResourceRecord(type, .ptr(instance), timeToLive: .standard), .shared),
                .init(ResourceRecord(instance, .srv(location), timeToLive: .host), .unique),
                .init(ResourceRecord(instance, .txt(.empty), timeToLive: .standard), .unique),
            ])
            _ = engine.publish(set, at: now)
            if queries.count < 2_000 {
                let query = Message(
                    header: MessageHeader(id: UInt16(index % 60_000)),
                    questions: [Question(instance, .srv)])
                queries.append(try query.encoded())
            }
        }
        self.queries = queries
        while engine.nextOutput() != nil {}
        while let deadline = engine.deadline {
            now = deadline
            engine.advance(to: now)
            while engine.nextOutput() != nil {}
        }
    }

    mutating func legacyQueries(count: Int = 20_000) -> Duration {
        EngineBenchmarks.cost(
            &engine, (0..<count).map { queries[$0 % queries.count] }, port: 40_000, at: &now)
    }
}
