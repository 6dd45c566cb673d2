import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What goes along with an answer (RFC 6763 §12), by multicast, by unicast and in legacy replies.
@Suite struct AdditionalRecordTests {
    enum Road: CaseIterable {
        case multicast, unicast, direct, legacy
    }

    private static let secondAddress = ResourceRecord(
        World.host, .a(IPv4Address(192, 0, 2, 77)), timeToLive: .host)
    private static let set =
        World.dualHostSet + World.serviceSet + [.init(secondAddress, .unique)]

    /// The only response to a question that came that way.
    private func response(
        _ question: Question, _ road: Road, _ source: IPAddress
    ) -> EngineHarness.Sent? {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.establish(Self.set)
        let own: IPAddress = source.family == .ipv4 ? .device : .device6
        harness.ask(
            question.name, question.type, prefersUnicast: road == .unicast, from: source,
            port: road == .legacy ? 40_000 : 5353, to: road == .direct ? own : nil)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        #expect(harness.responses.first?.isMulticast == (road == .multicast))
        return harness.responses.first
    }

    @Test(
        "S12-1 S12-4 S12-5 a PTR brings SRV, TXT and all addresses, an SRV all addresses",
        arguments: Road.allCases, [IPAddress.tester, .tester6])
    func additionals(_ road: Road, _ source: IPAddress) {
        let addresses = [World.address, Self.secondAddress, World.address6]
        for (question, answer, along) in [
            (
                Question(World.type, .ptr), World.pointer,
                [World.location, World.attributes] + addresses
            ),
            (Question(World.instance, .srv), World.location, addresses),
            (Question(World.instance, .txt), World.attributes, []),
        ] {
            guard let response = response(question, road, source) else { continue }
            #expect(response.message.answers.count == 1)
            #expect(response.answers(with: answer))
            let additionals = response.message.additionals
            #expect(additionals.count == along.count, "\(question.type)")
            for record in along {
                #expect(additionals.contains { $0.isSameRecord(as: record) }, "\(record)")
            }
        }
    }

    @Test("S12-4 the PTR of a subtype brings the same along, for every instance it names")
    func subtypes() {
        let subtype = named("_color._sub._ipp._tcp.local")
        let second = named("Second._ipp._tcp.local")
        let location = ResourceRecord(
            second, .srv(ServiceLocation(target: World.host, port: 632)), timeToLive: .host)
        var harness = EngineHarness()
        harness.establish(
            World.all + [
                .init(
                    ResourceRecord(subtype, .ptr(World.instance), timeToLive: .standard), .shared),
                .init(ResourceRecord(subtype, .ptr(second), timeToLive: .standard), .shared),
                .init(location, .unique),
            ])
        harness.ask(subtype, .ptr)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        let additionals = harness.responses.first?.message.additionals ?? []
        for record in [World.location, location, World.attributes, World.address] {
            #expect(additionals.contains { $0.isSameRecord(as: record) }, "\(record)")
        }
    }
}
