import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What a forged source can have sent to its victim (D-28).
@Suite struct AmplificationTests {
    /// An engine on 192.0.0.0/8 with a large TXT record.
    private static func responder() -> (EngineHarness, DomainName) {
        var harness = EngineHarness()
        var interface = NetworkInterface.lan
        interface.addresses = [.init(NetworkPrefix(.device, length: 8))]
        harness.update(interfaces: [interface])
        harness.advance(by: .seconds(5))
        let name = named("big.local")
        let strings = TextStrings((0..<4).map { [UInt8](repeating: UInt8($0), count: 250) })
        let record = ResourceRecord(name, .txt(strings ?? .empty), timeToLive: .host)
        harness.establish([.init(record, .unique)])
        return (harness, name)
    }

    /// Asks for a unicast answer of any size.
    private static func query(_ name: DomainName) -> Message {
        Message(
            questions: [Question(name, .txt, prefersUnicast: true)],
            additionals: [
                ResourceRecord(
                    .root, .opt(ExtensionOptions(udpPayloadSize: 4096)), timeToLive: .goodbye)
            ])
    }

    private static func source(_ number: Int) -> IPAddress {
        .v4(IPv4Address(rawValue: 192 << 24 | UInt32(number + 1)))
    }

    @Test(
        "D-28 a source has 16 kB, then ten bytes for each of its own",
        arguments: [UInt16(40_000), 5353])
    func oneSource(port: UInt16) {
        var (harness, name) = Self.responder()
        let query = Self.query(name)
        let size = (try? query.encoded().count) ?? 0
        for _ in 0..<1_000 {
            harness.receive(query, port: port)
            harness.advance(by: .milliseconds(1))
        }
        let sent = harness.unicastResponses.reduce(0) { $0 + $1.bytes.count }
        #expect(sent <= 16_384 + 10 * 1_000 * size)
        #expect(sent > 16_384)
        #expect(harness.engine.statistics.unicastCapped > 0)
    }

    @Test("M6-21 what is over the budget is multicast once a second, a legacy answer not at all")
    func beyondTheBudget() {
        for port in [UInt16(5353), 40_000] {
            var (harness, name) = Self.responder()
            for _ in 0..<1_000 {
                harness.receive(Self.query(name), port: port)
                harness.advance(by: .milliseconds(3))
            }
            let times = harness.multicastResponses.map(\.time)
            #expect(times.isEmpty == (port != 5353))
            #expect(gaps(times).allSatisfy { $0 >= .seconds(1) })
        }
    }

    @Test("D-28 many sources together have 256 kB, then 64 kB a second beside the ten for one")
    func manySources() {
        var (harness, name) = Self.responder()
        let query = Self.query(name)
        let size = (try? query.encoded().count) ?? 0
        for number in 0..<1_000 {
            harness.receive(query, from: Self.source(number), port: 40_000)
            harness.advance(by: .milliseconds(1))
        }
        let sent = harness.unicastResponses.reduce(0) { $0 + $1.bytes.count }
        #expect(sent <= 262_144 + 65_536 + 10 * 1_000 * size)
        #expect(harness.engine.statistics.unicastCapped > 0)
    }

    @Test("D-28 the budgets of 1,024 sources are kept, and forgotten after a minute of silence")
    func boundedSources() {
        var harness = EngineHarness()
        var interface = NetworkInterface.lan
        interface.addresses = [.init(NetworkPrefix(.device, length: 8))]
        harness.update(interfaces: [interface])
        harness.advance(by: .seconds(5))
        harness.establish(World.all)
        for number in 0..<1_100 {
            harness.ask(World.host, .a, from: Self.source(number), port: 40_000)
        }
        #expect(harness.engine.statistics.unicastCapped == 1_100 - 1_024)
        harness.advance(by: .seconds(60))
        harness.clear()
        harness.ask(World.host, .a, from: Self.source(5_000), port: 40_000)
        #expect(harness.unicastResponses.count == 1)
    }

    @Test("an ordinary host is never over its budget", arguments: [UInt16(40_000), 5353])
    func ordinaryHost(port: UInt16) {
        var harness = EngineHarness()
        harness.establish(World.all)
        for _ in 0..<2_000 {
            harness.ask(World.host, .a, prefersUnicast: true, port: port)
            harness.advance(by: .milliseconds(1))
        }
        #expect(harness.unicastResponses.count == 2_000)
        #expect(harness.engine.statistics.unicastCapped == 0)
    }
}
