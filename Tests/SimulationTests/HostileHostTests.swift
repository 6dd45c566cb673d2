import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// A host that means harm: it may make noise, but nobody loses sight of anything for it.
@Suite(.runEvidence) struct HostileHostTests {
    /// A provider, a browser that sees it, and a script that may say anything.
    struct Siege {
        var network = VirtualNetwork(seed: 13, trace: SimulationTrace(keptLines: 0, keptFrames: 0))
        let link: LinkID
        let provider: HostID
        let browser: HostID
        let enemy: HostID
        let instance = Offer.named("Printer._ipp._tcp.local")

        init() throws {
            link = network.addLink()
            let stacks = try ["provider", "browser"].map {
                VirtualHost.Stack.discovery(
                    DiscoveryConfiguration(
                        engine: Configuration(families: [.ipv4]), hostLabel: try Label($0),
                        defaultInstanceName: "Device"))
            }
            provider = network.addHost(stacks[0], on: [link], families: [.ipv4])
            browser = network.addHost(stacks[1], on: [link], families: [.ipv4])
            enemy = network.addHost(.script, on: [link], families: [.ipv4])
            for host in [provider, browser, enemy] { network.start(host) }
            let type = try ServiceType("_ipp._tcp")
            network.register(
                ServiceDescription(name: "Printer", type: type, port: 631), by: provider)
            network.browse(type, detail: .services, by: browser)
            network.run(for: .seconds(10))
        }

        mutating func say(_ message: Message, from last: UInt32 = 0) throws {
            let own = AddressPlan.ipv4(enemy, on: link).address
            let source = last == 0 ? own : .v4(IPv4Address(rawValue: 10 << 24 | 0x1000 + last))
            let bytes = try message.encoded(limit: 8_972)
            network.send(
                Datagram(
                    bytes, from: SocketAddress(source, port: 5353),
                    to: SocketAddress(.multicastDNS(.ipv4), port: 5353)),
                by: enemy, on: link)
        }

        var isPrinterSeen: Bool {
            network.groundTruth.browses[0].found.contains { $0.name == instance }
        }
    }

    private func flood(_ index: Int) -> Message {
        let name = Offer.named("Flood \(index)._ipp._tcp.local")
        return Message(
            header: .response,
            answers: [ResourceRecord(Offer.type, .ptr(name), timeToLive: .standard)])
    }

    @Test("D-28 floods of the browsed type, from one source and from many", arguments: [1, 200])
    func floods(_ sources: Int) throws {
        var siege = try Siege()
        for index in 0..<7_000 {
            let source = sources == 1 ? 0 : UInt32(1 + index % sources)
            try siege.say(flood(index), from: source)
            if index % 100 == 0 { siege.network.run(for: .milliseconds(10)) }
        }
        siege.network.run(for: .seconds(1))
        #expect(siege.isPrinterSeen)
        let cached = siege.network.hosts[siege.browser.rawValue].cachedRecordCount ?? 0
        #expect(cached > 0)
        #expect(cached <= Limits().cachedRecordsPerName + Limits().unusedRecordsPerSource)
        #expect(siege.network.groundTruth.renames == 0)
    }

    @Test("D-28 random names, tiny lifetimes and endless TC cost nobody anything")
    func noise() throws {
        var siege = try Siege()
        var generator = SeededGenerator(seed: 5)
        for index in 0..<3_000 {
            let label = String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36)
            let name = Offer.named("\(label).local")
            try siege.say(
                Message(
                    header: .response,
                    answers: [
                        ResourceRecord(
                            name, .a(IPv4Address(10, 0, 9, 9)), timeToLive: .seconds(1))
                    ]))
            var header = MessageHeader.query
            header.isTruncated = true
            try siege.say(
                Message(header: header, questions: [Question(Offer.type, .ptr)]),
                from: UInt32(index % 300 + 1))
            if index % 10 == 0 { siege.network.run(for: .milliseconds(20)) }
        }
        siege.network.run(for: .seconds(5))
        #expect(siege.isPrinterSeen)
        #expect(siege.network.invariants.violationCount == 0)
        #expect(siege.network.hosts[siege.browser.rawValue].cachedRecordCount ?? 0 < 50)
    }

    @Test("forged goodbyes are undone by the owner within their second")
    func forgedGoodbyes() throws {
        var siege = try Siege()
        let pointer = ResourceRecord(Offer.type, .ptr(siege.instance), timeToLive: .goodbye)
        for _ in 0..<20 {
            try siege.say(Message(header: .response, answers: [pointer]))
            siege.network.run(for: .milliseconds(2_500))
            #expect(siege.isPrinterSeen)
        }
        #expect(siege.network.invariants.violationCount == 0)
    }

    @Test("M9-2 M8-16 conflicting records all the time: renames, but no faster than the rate limit")
    func endlessConflicts() throws {
        var siege = try Siege()
        for _ in 0..<600 {
            for offer in siege.network.groundTruth.offers where offer.host == siege.provider {
                guard let name = offer.name, offer.operation != nil else { continue }
                let location = ServiceLocation(target: Offer.named("evil.local"), port: 1)
                try siege.say(
                    Message(
                        header: .response,
                        answers: [
                            ResourceRecord(
                                name, .srv(location), timeToLive: .host, cacheFlush: true)
                        ]))
            }
            siege.network.run(for: .milliseconds(100))
        }
        // A minute of it. A name is given up at its second conflict, and 15 conflicts in ten
        // seconds start the rate limit: no more than 45 names.
        #expect(siege.network.groundTruth.renames > 0)
        #expect(siege.network.groundTruth.renames <= 45)
    }

    @Test("D-22 M17-6 maximal packets are read and thrown away")
    func maximalPackets() throws {
        var siege = try Siege()
        let records = (0..<380).map { index in
            ResourceRecord(
                Offer.type, .ptr(Offer.named("Big \(index)._ipp._tcp.local")), timeToLive: .standard
            )
        }
        for _ in 0..<200 {
            try siege.say(Message(header: .response, answers: records))
            siege.network.run(for: .milliseconds(20))
        }
        #expect(siege.isPrinterSeen)
        #expect(
            siege.network.hosts[siege.browser.rawValue].cachedRecordCount ?? 0
                <= Limits().cachedRecordsPerName)
    }
}
