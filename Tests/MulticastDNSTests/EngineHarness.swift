import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// One real engine, and a tester on the link that sends messages and keeps what is sent.
struct EngineHarness {
    /// A datagram that the engine sent.
    struct Sent {
        let time: Instant
        let bytes: [UInt8]
        let message: Message
        let destination: SocketAddress
        let interface: InterfaceIndex

        var isMulticast: Bool { destination.address.isMulticast }
        var isQuery: Bool { !message.header.isResponse }
        /// A query that proposes records (RFC 6762 §6).
        var isProbe: Bool { isQuery && !message.authorities.isEmpty }
        var isResponse: Bool { message.header.isResponse }
        var records: [ResourceRecord] {
            message.answers + message.authorities + message.additionals
        }

        func asks(_ question: Question) -> Bool {
            isQuery
                && message.questions.contains {
                    $0.name == question.name && $0.type == question.type
                }
        }

        /// Whether the record is in any section, with a lifetime or as a goodbye.
        func carries(_ record: ResourceRecord) -> Bool {
            records.contains { $0.isSameRecord(as: record) }
        }

        func answers(with record: ResourceRecord) -> Bool {
            message.answers.contains { $0.isSameRecord(as: record) && $0.timeToLive > .goodbye }
        }

        func saysGoodbye(to record: ResourceRecord) -> Bool {
            message.answers.contains { $0.isSameRecord(as: record) && $0.timeToLive == .goodbye }
        }
    }

    struct Event {
        let time: Instant
        let output: Output
    }

    var engine: Engine
    private let configuration: Configuration
    private(set) var now = Instant(nanoseconds: 5_000_000_000_000)
    private(set) var sent: [Sent] = []
    private(set) var events: [Event] = []
    /// Whether the engine receives what it multicasts, as a real socket does.
    var echoes = false

    init(
        seed: UInt64 = 1, configuration: Configuration = Configuration(families: [.ipv4]),
        interfaces: [NetworkInterface] = [.lan]
    ) {
        self.configuration = configuration
        engine = Engine(configuration: configuration, generator: SeededGenerator(seed: seed))
        engine.update(interfaces: interfaces, at: now)
        drain()
        // A link that has been up for a while: what begins now is no wake-up batch.
        advance(by: .seconds(10))
        clear()
    }

    /// The power fails, and a new engine begins on these interfaces.
    mutating func replaceEngine(interfaces: [NetworkInterface]) {
        engine = Engine(configuration: configuration, generator: SeededGenerator(seed: 2))
        update(interfaces: interfaces)
    }

    /// Forgets what was sent and reported so far.
    mutating func clear() {
        sent.removeAll()
        events.removeAll()
    }

    // MARK: Time

    mutating func advance(by duration: Duration) {
        let end = now.advanced(by: duration)
        var rounds = 0
        while let deadline = engine.deadline, deadline <= end {
            #expect(deadline >= now || rounds == 0, "the deadline lies in the past")
            now = max(now, deadline)
            engine.advance(to: now)
            drain()
            rounds += 1
            guard rounds < 200_000 else {
                Issue.record("the engine's deadline does not move on")
                return
            }
        }
        now = end
        engine.advance(to: now)
        drain()
    }

    /// Lets time pass until the first probe has left, a second at most.
    mutating func advanceToProbe() {
        for _ in 0..<1_000 where probes.isEmpty { advance(by: .milliseconds(1)) }
        #expect(!probes.isEmpty, "nothing was probed for")
    }

    mutating func drain() {
        while let output = engine.nextOutput() {
            guard case .transmit(let transmission) = output else {
                events.append(Event(time: now, output: output))
                continue
            }
            record(transmission)
        }
    }

    private mutating func record(_ transmission: Transmission) {
        guard let decoded = try? Message.decode(transmission.bytes) else {
            Issue.record("the engine sent bytes that can't be read back")
            return
        }
        #expect(decoded.skipped.isEmpty && decoded.trailingByteCount == 0)
        sent.append(
            Sent(
                time: now, bytes: transmission.bytes, message: decoded.message,
                destination: transmission.destination, interface: transmission.interface))
        guard echoes, transmission.destination.address.isMulticast else { return }
        let source: IPAddress = transmission.family == .ipv4 ? .device : .device6
        receive(transmission.bytes, from: source, interface: transmission.interface)
    }

    // MARK: What the tester says

    mutating func receive(
        _ bytes: [UInt8], from source: IPAddress = .tester, port: UInt16 = 5353,
        to destination: IPAddress? = nil, interface: InterfaceIndex = .first, hopLimit: UInt8 = 255
    ) {
        let info = DatagramInfo(
            source: SocketAddress(source, port: port),
            destination: destination ?? .multicastDNS(source.family), interface: interface,
            hopLimit: hopLimit)
        engine.receive(bytes.span, with: info, at: now)
        drain()
    }

    mutating func receive(
        _ message: Message, from source: IPAddress = .tester, port: UInt16 = 5353,
        to destination: IPAddress? = nil, interface: InterfaceIndex = .first
    ) {
        guard let bytes = try? message.encoded(limit: 8_900) else {
            Issue.record("a message of the test can't be written")
            return
        }
        receive(bytes, from: source, port: port, to: destination, interface: interface)
    }

    /// Sends a query.
    mutating func ask(
        _ questions: [Question], known: [ResourceRecord] = [], isTruncated: Bool = false,
        flags: UInt16 = 0, id: UInt16 = 0, from source: IPAddress = .tester, port: UInt16 = 5353,
        to destination: IPAddress? = nil, interface: InterfaceIndex = .first
    ) {
        var header = MessageHeader(id: id, flags: flags)
        if isTruncated { header.isTruncated = true }
        receive(
            Message(header: header, questions: questions, answers: known), from: source,
            port: port, to: destination, interface: interface)
    }

    mutating func ask(
        _ name: DomainName, _ type: RecordType, prefersUnicast: Bool = false,
        known: [ResourceRecord] = [], from source: IPAddress = .tester, port: UInt16 = 5353,
        to destination: IPAddress? = nil, interface: InterfaceIndex = .first
    ) {
        ask(
            [Question(name, type, prefersUnicast: prefersUnicast)], known: known, from: source,
            port: port, to: destination, interface: interface)
    }

    /// Sends a probe that proposes these records.
    mutating func probe(
        _ name: DomainName, proposing records: [ResourceRecord], prefersUnicast: Bool = false,
        from source: IPAddress = .tester, interface: InterfaceIndex = .first
    ) {
        receive(
            Message(
                questions: [Question(name, .any, prefersUnicast: prefersUnicast)],
                authorities: records), from: source, interface: interface)
    }

    /// Sends a response.
    mutating func respond(
        _ answers: [ResourceRecord], authorities: [ResourceRecord] = [],
        additionals: [ResourceRecord] = [], questions: [Question] = [], flags: UInt16 = 0x8400,
        id: UInt16 = 0, from source: IPAddress = .tester, port: UInt16 = 5353,
        to destination: IPAddress? = nil, interface: InterfaceIndex = .first
    ) {
        receive(
            Message(
                header: MessageHeader(id: id, flags: flags), questions: questions,
                answers: answers, authorities: authorities, additionals: additionals),
            from: source, port: port, to: destination, interface: interface)
    }

    // MARK: What the engine's user does

    @discardableResult
    mutating func startQuery(
        _ name: DomainName, _ type: RecordType, on selection: InterfaceSelection = .all
    ) -> QueryID {
        let id = engine.startQuery(Question(name, type), on: selection, at: now)
        drain()
        return id
    }

    mutating func stopQuery(_ id: QueryID) {
        engine.stopQuery(id, at: now)
        drain()
    }

    @discardableResult
    mutating func publish(
        _ members: [RecordSet.Member], on selection: InterfaceSelection = .all
    ) -> PublicationID {
        let id = engine.publish(RecordSet(members, on: selection), at: now)
        drain()
        return id
    }

    /// Publishes, waits until all is announced and the link has been quiet for so long that no
    /// rate limit is left, and forgets what was sent.
    @discardableResult
    mutating func establish(
        _ members: [RecordSet.Member], on selection: InterfaceSelection = .all
    ) -> PublicationID {
        let id = publish(members, on: selection)
        advance(by: .seconds(5))
        #expect(statuses(of: id).last == .established)
        clear()
        return id
    }

    mutating func withdraw(_ id: PublicationID) {
        engine.withdraw(id, at: now)
        drain()
    }

    mutating func update(_ id: PublicationID, to members: [RecordSet.Member]) {
        engine.update(id, to: RecordSet(members), at: now)
        drain()
    }

    mutating func update(interfaces: [NetworkInterface]) {
        engine.update(interfaces: interfaces, at: now)
        drain()
    }

    mutating func wake() {
        engine.wake(at: now)
        drain()
    }

    mutating func reconfirm(_ record: ResourceRecord) {
        engine.reconfirm(record, on: .all, at: now)
        drain()
    }

    // MARK: What came of it

    var queries: [Sent] { sent.filter { $0.isQuery && !$0.isProbe } }
    var probes: [Sent] { sent.filter(\.isProbe) }
    var responses: [Sent] { sent.filter(\.isResponse) }
    var multicastResponses: [Sent] { responses.filter(\.isMulticast) }
    var unicastResponses: [Sent] { responses.filter { !$0.isMulticast } }

    func statuses(of id: PublicationID) -> [PublicationStatus] {
        events.compactMap {
            if case .publication(id, let status) = $0.output { status } else { nil }
        }
    }

    func changes(of id: QueryID) -> [(time: Instant, change: AnswerChange)] {
        events.compactMap {
            if case .answer(id, let change) = $0.output { ($0.time, change) } else { nil }
        }
    }

    func added(to id: QueryID) -> [ResourceRecord] {
        changes(of: id).compactMap {
            if case .added(let record, _) = $0.change { record } else { nil }
        }
    }

    func removed(from id: QueryID) -> [(time: Instant, record: ResourceRecord)] {
        changes(of: id).compactMap {
            if case .removed(let record, _) = $0.change { ($0.time, record) } else { nil }
        }
    }

    /// The records reported to the query that are still there.
    func present(in id: QueryID) -> [ResourceRecord] {
        var records: [ResourceRecord] = []
        for (_, change) in changes(of: id) {
            switch change {
            case .added(let record, _): records.append(record)
            case .removed(let record, _): records.removeAll { $0.isSameRecord(as: record) }
            case .absent, .incomplete: break
            }
        }
        return records
    }

    func absences(of id: QueryID) -> [RecordType] {
        changes(of: id).compactMap {
            if case .absent(let type, _) = $0.change { type } else { nil }
        }
    }
}
