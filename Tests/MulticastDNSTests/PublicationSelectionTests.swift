import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What is published on interfaces by name follows their names.
@Suite struct PublicationSelectionTests {
    private func renamed(_ interface: NetworkInterface, _ name: String) -> NetworkInterface {
        var interface = interface
        interface.name = name
        return interface
    }

    private func harness(_ interfaces: [NetworkInterface]) -> EngineHarness {
        EngineHarness(configuration: Configuration(), interfaces: interfaces)
    }

    @Test(
        "M10-4 a publication whose interface is called otherwise now says goodbye there",
        arguments: [NetworkInterface.lan, .dual])
    func leaves(_ interface: NetworkInterface) {
        var harness = harness([interface, .secondLAN])
        let id = harness.establish(World.hostSet, on: .named(["eth0", "eth1"]))
        harness.update(interfaces: [renamed(interface, "lan0"), .secondLAN])
        harness.advance(by: .seconds(2))
        let goodbyes = harness.responses.filter { $0.saysGoodbye(to: World.address) }
        let families = Set(interface.addresses.map { $0.address.family })
        #expect(Set(goodbyes.map { $0.destination.address.family }) == families)
        #expect(goodbyes.allSatisfy { $0.interface == .first })
        // It is still answered for on the other interface, and on no other.
        harness.clear()
        harness.ask(World.host, .a)
        harness.ask(World.host, .a, from: .testerSecond, interface: .second)
        harness.advance(by: .seconds(1))
        let answers = harness.responses.filter { $0.answers(with: World.address) }
        #expect(!answers.isEmpty && answers.allSatisfy { $0.interface == .second })
        #expect(harness.statuses(of: id).allSatisfy { $0 == .established })
    }

    @Test(
        "M8-1 a publication is probed for and announced on an interface that takes its name",
        arguments: [NetworkInterface.lan, .dual])
    func comes(_ interface: NetworkInterface) {
        var harness = harness([interface, .secondLAN])
        let id = harness.publish(World.hostSet, on: .named(["lan0"]))
        harness.advance(by: .seconds(5))
        #expect(harness.sent.isEmpty)
        #expect(!harness.statuses(of: id).contains(.established))
        harness.update(interfaces: [renamed(interface, "lan0"), .secondLAN])
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count >= 3 * interface.addresses.count)
        #expect(harness.responses.contains { $0.answers(with: World.address) })
        #expect(harness.sent.allSatisfy { $0.interface == .first })
        #expect(harness.statuses(of: id).last == .established)
    }

    @Test("A publication on an interface that is renamed within its pattern stays as it is")
    func stays() {
        var harness = harness([.dual, .secondLAN])
        let id = harness.establish(World.hostSet, on: .named(["eth*"]))
        let answered = harness.statuses(of: id).count
        harness.update(interfaces: [renamed(.dual, "eth7"), .secondLAN])
        harness.advance(by: .seconds(5))
        #expect(harness.sent.isEmpty)
        #expect(harness.statuses(of: id).count == answered)
    }

    @Test("A publication that was withdrawn does not come back with the name of its interface")
    func withdrawn() {
        var harness = harness([.lan])
        let id = harness.establish(World.hostSet, on: .named(["eth0"]))
        harness.update(interfaces: [renamed(.lan, "lan0")])
        harness.withdraw(id)
        harness.advance(by: .seconds(2))
        harness.clear()
        harness.update(interfaces: [.lan])
        harness.advance(by: .seconds(5))
        #expect(harness.sent.isEmpty)
    }
}
