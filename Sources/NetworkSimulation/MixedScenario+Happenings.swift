import DNSMessages
import DNSSD
import NetworkPrimitives

// What befalls a host seldom, so that every rule has something to rule: names that two want at
// once, addresses that change, queries that no stack of ours would send.

extension MixedRun {
    static let subtypes = ["_color", "_duplex"].compactMap { try? ServiceSubtype($0) }
    /// The port of a querier of conventional DNS.
    private static let conventionalPort: UInt16 = 40_000

    mutating func happenSeldom(to host: HostID) {
        switch generator.integer(in: 0..<32) {
        case 0..<7: changeText()
        case 7..<12: follow(host)
        case 12..<14: unfollow()
        case 14..<18: contend(with: host)
        case 18..<21: split(from: host)
        case 21..<25: renumber(host)
        default: ask()
        }
    }

    // MARK: Services

    /// New attributes, twice within a second at times, while somebody follows them.
    private mutating func changeText() {
        guard let service = generator.element(of: services) else { return }
        let name = network.groundTruth.offer(service.id, of: service.host)?.name
        if let name, chance(0.6), let (other, _) = neighbour(of: service.host),
            let id = network.query(Question(name, .txt), by: other)
        {
            queries.append((other, id, network.hosts[other.rawValue].starts))
            network.run(for: .milliseconds(1_500))
        }
        change(service.id, of: service.host)
        guard chance(0.5) else { return }
        let pause = generator.duration(in: .milliseconds(200)...(.milliseconds(1_500)))
        network.run(for: pause)
        change(service.id, of: service.host)
    }

    private mutating func change(_ id: OperationID, of host: HostID) {
        let text = try? TXTRecord(parsing: [
            "n=\(UInt16.random(in: 0...999, using: &generator))"
        ])
        guard let text, network.hosts[host.rawValue].state == .running else { return }
        network.update(id, txt: text, by: host)
    }

    /// A running host that shares a link with another one, and the link.
    private mutating func neighbour(of host: HostID) -> (HostID, LinkID)? {
        var found: [(HostID, LinkID)] = []
        for attachment in network.hosts[host.rawValue].attachments where attachment.isUp {
            for other in hosts where other != host && network.isPresent(other, on: attachment.link)
            {
                found.append((other, attachment.link))
            }
        }
        return generator.element(of: found)
    }

    /// Several hosts want one name at the same moment, or the last of them a moment later; one of
    /// them may change its mind about the rest while it probes.
    private mutating func contend(with host: HostID) {
        guard let (other, _) = neighbour(of: host),
            let type = generator.element(of: Self.types)
        else { return }
        let name = pick(Self.instances)
        register(name, type, by: host)
        network.run(for: generator.duration(in: .zero...(.milliseconds(200))))
        register(name, type, by: other)
        if chance(0.5), let last = services.last, last.host == other {
            network.run(for: .milliseconds(300))
            change(last.id, of: other)
        }
        guard chance(0.6) else { return }
        network.run(for: generator.duration(in: .zero...(.seconds(4))))
        if let (third, _) = neighbour(of: host) { register(name, type, by: third) }
    }

    /// Two hosts come to have one name while they are apart, and meet again without knowing: the
    /// next record that either sends shows it.
    private mutating func split(from host: HostID) {
        guard let (other, link) = neighbour(of: host),
            let type = generator.element(of: Self.types)
        else { return }
        let name = pick(Self.instances)
        let group = network.group(of: host, on: link)
        let before = network.group(of: other, on: link)
        network.setPartition(of: other, on: link, group: group + 2)
        register(name, type, by: host)
        register(name, type, by: other)
        network.run(for: .seconds(4))
        network.setPartition(of: other, on: link, group: before)
        if let last = services.last, last.host == other { change(last.id, of: other) }
    }

    // MARK: Queries

    /// A host follows a record that somebody offers, or one that its owner has to deny.
    mutating func follow(_ host: HostID) {
        let offers = network.groundTruth.offers.compactMap { offer in
            offer.name.map { (name: $0, isHost: offer.operation == nil) }
        }
        guard let offer = generator.element(of: offers) else { return }
        let types: [RecordType] = offer.isHost ? [.a, .aaaa, .hinfo] : [.srv, .txt, .srv, .a]
        let question = Question(offer.name, pick(types))
        guard let id = network.query(question, by: host) else { return }
        queries.append((host, id, network.hosts[host.rawValue].starts))
    }

    private mutating func unfollow() {
        guard let index = generator.element(of: queries.indices) else { return }
        let query = queries[index]
        guard network.hosts[query.host.rawValue].state == .running else { return }
        queries.remove(at: index)
        network.stopQuery(query.id, by: query.host)
    }

    // MARK: Addresses

    /// Other addresses, of one family or both, some two of one family.
    private mutating func renumber(_ host: HostID) {
        guard let own = families[host] else { return }
        let chosen: Set<AddressFamily> =
            own.count < 2 ? own : pick([[.ipv4], [.ipv6], [.ipv4, .ipv6], [.ipv4, .ipv6]])
        generation = generation % 60 + 1
        let addsGlobal = chance(0.5)
        let state = network.hosts[host.rawValue]
        let interfaces = state.attachments.map { attachment in
            var interface = AddressPlan.interface(
                host, on: attachment.link, families: chosen, isUp: attachment.isUp,
                generation: generation)
            if addsGlobal, chosen.contains(.ipv6) {
                interface.addresses.append(.init(AddressPlan.global(host, on: attachment.link)))
            }
            return interface
        }
        guard state.attachments.allSatisfy({ $0.isUp }) else { return }
        network.setInterfaces(interfaces, of: host)
    }

    // MARK: Strange queries

    /// Somebody asks as no stack of ours does: from another port, with known answers past half of
    /// their lifetime, or with known answers that follow later.
    private mutating func ask() {
        guard let place = generator.element(of: links.indices),
            let type = generator.element(of: Self.types),
            let name = try? type.domainName(in: .local)
        else { return }
        let known = network.groundTruth.offers.filter {
            $0.isEstablished && $0.types.contains(name)
                && network.isPresent($0.host, on: links[place])
        }.compactMap { $0.name }
        let question = Question(name, .ptr)
        let family: AddressFamily = chance(0.5) ? .ipv4 : .ipv6
        switch generator.integer(in: 0..<3) {
        case 0:
            let records = known.map { instance in Question(instance, .srv) }
            let asked = chance(0.5) ? question : records.first ?? question
            say(Message(questions: [asked]), at: place, family, from: Self.conventionalPort)
        case 1:
            let stale = known.map { ResourceRecord(name, .ptr($0), timeToLive: .seconds(2_000)) }
            say(Message(questions: [question], answers: stale), at: place, family)
        default:
            // Where known answers may get lost, whoever did not get them answers.
            guard network.conditions(of: links[place]).loss == 0 else { return }
            var header = MessageHeader.query
            header.isTruncated = true
            say(Message(header: header, questions: [question]), at: place, family)
            let fresh = known.map { ResourceRecord(name, .ptr($0), timeToLive: .standard) }
            say(
                Message(answers: fresh), at: place, family,
                after: generator.duration(in: .milliseconds(50)...(.milliseconds(250))))
        }
    }

    private mutating func say(
        _ message: Message, at place: Int, _ family: AddressFamily, from port: UInt16 = 5353,
        after delay: Duration = .zero
    ) {
        guard let bytes = try? message.encoded(limit: 1_400) else { return }
        let asker = askers[place]
        let source = network.hosts[asker.rawValue].address(on: links[place], family)
        network.send(
            Datagram(
                bytes, from: SocketAddress(source, port: port),
                to: SocketAddress(.multicastDNS(family), port: 5353)),
            by: asker, on: links[place], after: delay)
    }
}
