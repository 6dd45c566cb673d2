import DNSMessages
package import DNSSD
package import MulticastDNS
package import NetworkPrimitives

/// Links, hosts and one clock. Everything random comes from one seed, nothing is iterated in an
/// order that the seed does not fix: the same calls give the same run, in any process.
package struct VirtualNetwork: Sendable {
    package let seed: UInt64
    package private(set) var now = Instant.zero
    package private(set) var hosts: [VirtualHost] = []
    package internal(set) var trace: SimulationTrace
    /// What must hold at every step, and where it did not.
    package internal(set) var invariants = Invariants()
    /// What hosts offer and look for, and what was reported to them.
    package internal(set) var groundTruth = GroundTruth()
    /// What the hosts' stacks have sent since this was set; nil where nobody wants it.
    package var transmissions: [HostTransmission]?
    /// Datagrams handed to a host so far.
    package private(set) var deliveries = 0
    private(set) var links: [Link] = []
    private(set) var reflectors: [Reflector] = []
    private var generator: SeededGenerator
    private var schedule = TimerQueue<Event>()
    private var flights = FlightTable()
    private let observed: RunObserver.Run?

    package init(seed: UInt64, trace: SimulationTrace = SimulationTrace()) {
        self.seed = seed
        self.trace = trace
        generator = SeededGenerator(seed: seed)
        observed = RunObserver.begin(seed: seed)
    }

    // MARK: Building

    package mutating func addLink(_ conditions: LinkConditions = .wired) -> LinkID {
        let id = LinkID(rawValue: links.count)
        links.append(Link(id: id, conditions: conditions))
        return id
    }

    /// Adds a host that is switched off.
    package mutating func addHost(
        _ stack: VirtualHost.Stack, on attached: [LinkID],
        families: Set<AddressFamily> = [.ipv4, .ipv6]
    ) -> HostID {
        let id = HostID(rawValue: hosts.count)
        hosts.append(VirtualHost(id: id, stack: stack, links: attached, families: families))
        for link in attached {
            links[link.rawValue].hosts.append(id)
            hosts[id.rawValue].linkChanges[link] = .zero
        }
        invariants.addHost()
        return id
    }

    /// Adds something that copies multicast from each of the links to the others.
    package mutating func addReflector(between joined: [LinkID], passes: Int = 4) {
        let host = addHost(.script, on: joined)
        hosts[host.rawValue].state = .running
        reflectors.append(Reflector(host: host, links: joined, passes: passes))
        for link in joined { links[link.rawValue].hasForeignSenders = true }
    }

    package mutating func setConditions(_ conditions: LinkConditions, of link: LinkID) {
        links[link.rawValue].conditions = conditions
    }

    func conditions(of link: LinkID) -> LinkConditions { links[link.rawValue].conditions }

    // MARK: Faults of hosts

    package mutating func start(_ host: HostID) {
        trace.note("\(host) starts", at: now)
        let own = generator.split()
        hosts[host.rawValue].start(generator: own, at: now)
        invariants.forget(host, at: now)
        groundTruth.forget(host, at: now)
        noteTopologyChange(host)
        noteLinkChange(host)
        drain(host)
    }

    package mutating func crash(_ host: HostID) {
        trace.note("\(host) crashes", at: now)
        hosts[host.rawValue].crash()
        invariants.note(.crash)
        invariants.forget(host, at: now)
        groundTruth.forget(host, at: now)
        noteTopologyChange(host)
    }

    package mutating func suspend(_ host: HostID) {
        guard hosts[host.rawValue].state == .running else { return }
        trace.note("\(host) falls asleep", at: now)
        hosts[host.rawValue].state = .asleep
        invariants.caches.fallAsleep(host, at: now)
        noteTopologyChange(host)
    }

    /// Withdraws all that the host offers, with goodbyes, and ends all that it looks for.
    package mutating func shutDown(_ host: HostID) {
        trace.note("\(host) shuts down", at: now)
        let ended = groundTruth.offers.filter { $0.host == host }
        groundTruth.forget(host, at: now)
        invariants.caches.forget(host, at: now)
        withDiscovery(of: host) { $0.shutdown(at: $1) }
        for offer in ended { noteEnd(of: offer) }
    }

    /// Lets a host know that its network may be another one.
    package mutating func restart(_ host: HostID) {
        guard hosts[host.rawValue].state == .running else { return }
        trace.note("\(host) begins anew", at: now)
        noteWake(host)
        withDiscovery(of: host) { $0.wake(at: $1) }
        withEngine(of: host) { $0.wake(at: $1) }
    }

    private mutating func noteWake(_ host: HostID) {
        invariants.note(.wake)
        invariants.claims.reset(host, at: now)
        invariants.caches.wake(host, at: now)
        noteLinkChange(host)
        planQueries(of: host)
    }

    package mutating func wake(_ host: HostID) {
        guard hosts[host.rawValue].state == .asleep else { return }
        trace.note("\(host) wakes", at: now)
        hosts[host.rawValue].state = .running
        noteTopologyChange(host)
        // One call, then its outputs: what was due meanwhile, the waking, the cables.
        hosts[host.rawValue].advance(to: now)
        drain(host)
        noteWake(host)
        hosts[host.rawValue].wake(at: now)
        drain(host)
        hosts[host.rawValue].interfacesChanged(at: now)
        drain(host)
    }

    /// Pulls or plugs a host's cable.
    package mutating func setCable(of host: HostID, on link: LinkID, isIn: Bool) {
        trace.note("\(host) \(link) cable \(isIn ? "in" : "out")", at: now)
        for index in hosts[host.rawValue].attachments.indices
        where hosts[host.rawValue].attachments[index].link == link {
            hosts[host.rawValue].attachments[index].isUp = isIn
        }
        invariants.note(isIn ? .linkUp : .linkDown)
        invariants.claims.cutOff(host, from: link, at: now)
        invariants.answers.forget(host, on: link)
        invariants.caches.disturb(host, at: now)
        hosts[host.rawValue].interfacesChanged(at: now)
        noteTopologyChange(host)
        noteLinkChange(host, on: link)
        if isIn { planQueries(of: host, on: link) }
        drain(host)
    }

    /// Gives a host these interfaces; the number of each says which link it is on.
    package mutating func setInterfaces(_ interfaces: [NetworkInterface], of host: HostID) {
        trace.note("\(host) gets other interfaces", at: now)
        invariants.note(.addressChange)
        let gained = hosts[host.rawValue].replaceInterfaces(interfaces)
        for link in gained {
            invariants.claims.reset(host, on: link, at: now)
            noteLinkChange(host, on: link)
        }
        invariants.caches.disturb(host, at: now)
        for attachment in hosts[host.rawValue].attachments
        where !links[attachment.link.rawValue].hosts.contains(host) {
            links[attachment.link.rawValue].hosts.append(host)
        }
        hosts[host.rawValue].interfacesChanged(at: now)
        noteTopologyChange(host)
        drain(host)
    }

    /// Makes one wire of the links: what is sent on one of them is received on all.
    package mutating func bridge(_ bridged: [LinkID]) {
        for link in bridged {
            links[link.rawValue].bridged = bridged.filter { $0 != link }
        }
    }

    /// Puts a host of a link into a group: only hosts of one group are connected.
    package mutating func setPartition(of host: HostID, on link: LinkID, group: Int) {
        trace.note("\(host) \(link) group \(group)", at: now)
        hosts[host.rawValue].partition[link] = group
        links[link.rawValue].disturbed = now
        noteTopologyChange(host)
    }

    /// Whether unicast to a host reaches its stack; if not, another process of that machine has
    /// bound the port as well and gets it (RFC 6762 §15.1).
    package mutating func setReceivesUnicast(_ receives: Bool, _ host: HostID) {
        hosts[host.rawValue].receivesUnicast = receives
    }

    /// From here on all is announced anew, on one link or on all.
    private mutating func noteLinkChange(_ host: HostID, on link: LinkID? = nil) {
        for attachment in hosts[host.rawValue].attachments
        where link == nil || link == attachment.link {
            hosts[host.rawValue].linkChanges[attachment.link] = now
        }
    }

    private mutating func noteTopologyChange(_ host: HostID) {
        hosts[host.rawValue].lastTopologyChange = now
        invariants.touched(host, at: now)
        groundTruth.noteTopologyChange(host, at: now)
        planChecks()
        for browse in groundTruth.browses where browse.host == host {
            plan(.browse(host, browse.operation), after: Self.longestLife)
        }
    }

    package func group(of host: HostID, on link: LinkID) -> Int {
        hosts[host.rawValue].partition[link] ?? 0
    }

    /// Lets `body` call the host's engine and sends what comes of it.
    @discardableResult
    package mutating func withEngine<Value, Failure: Error>(
        of host: HostID, _ body: (inout Engine, Instant) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard hosts[host.rawValue].state == .running, var engine = hosts[host.rawValue].engine
        else { return nil }
        invariants.touched(host, at: now)
        // One owner at a time, or every change would copy the engine.
        hosts[host.rawValue].engine = nil
        defer {
            hosts[host.rawValue].engine = engine
            drain(host)
        }
        return try body(&engine, now)
    }

    /// Lets `body` call the host's discovery, has what came back recorded in the ground truth,
    /// and sends and reports what comes of it.
    @discardableResult
    package mutating func withDiscovery<Value, Failure: Error>(
        of host: HostID, _ body: (inout Discovery, Instant) throws(Failure) -> Value,
        recording: (inout GroundTruth, inout Invariants, Value) -> Void = { _, _, _ in }
    ) throws(Failure) -> Value? {
        guard hosts[host.rawValue].state == .running,
            var discovery = hosts[host.rawValue].discovery
        else { return nil }
        invariants.touched(host, at: now)
        hosts[host.rawValue].discovery = nil
        defer {
            hosts[host.rawValue].discovery = discovery
            planChecks()
            drain(host)
        }
        let value = try body(&discovery, now)
        recording(&groundTruth, &invariants, value)
        return value
    }

    /// Sends a datagram as the host would, or as somebody who pretends to be another.
    package mutating func send(_ datagram: Datagram, by host: HostID, on link: LinkID) {
        let decoded = DecodingResult(datagram.payload.span)
        // A plain query leaves no trace in anybody's cache, and claims nothing.
        if !decoded.isPlainQuery { links[link.rawValue].hasForeignSenders = true }
        put(datagram, decoded, by: host, on: link)
    }

    /// Hands a datagram of somebody outside the network to every host that it is for, at once.
    package mutating func inject(_ datagram: Datagram, on link: LinkID) {
        links[link.rawValue].hasForeignSenders = true
        let decoded = DecodingResult(datagram.payload.span)
        for host in links[link.rawValue].hosts
        where hosts[host.rawValue].accepts(datagram.destination.address, on: link) {
            deliver(datagram, decoded, on: link, to: host)
        }
    }

    /// Has a script send a datagram later.
    package mutating func send(
        _ datagram: Datagram, by host: HostID, on link: LinkID, after delay: Duration
    ) {
        let flight = flights.begin(
            datagram, DecodingResult(datagram.payload.span), on: link, by: nil, [])
        schedule.insert(
            .sending(flight: flight, by: host), at: now.advanced(by: max(delay, .zero)))
    }

    package mutating func drainInbox(of host: HostID) -> [VirtualHost.Arrival] {
        defer { hosts[host.rawValue].inbox.removeAll() }
        return hosts[host.rawValue].inbox
    }

    /// Keeps what the host tells from here on for `drainEvents(of:)`, or keeps it no longer.
    package mutating func setRecordsEvents(_ records: Bool, of host: HostID) {
        hosts[host.rawValue].recordedEvents = records ? [] : nil
    }

    /// The events of the host since the last call.
    package mutating func drainEvents(of host: HostID) -> [HostEvent] {
        guard let events = hosts[host.rawValue].recordedEvents, !events.isEmpty else { return [] }
        hosts[host.rawValue].recordedEvents = []
        return events.map { $0.event }
    }

    // MARK: Time

    /// Runs everything that happens up to `end`; the clock then shows `end`.
    package mutating func run(until end: Instant) {
        while let (time, event) = schedule.popDue(by: end) {
            now = max(now, time)
            judgeTime()
            handle(event)
        }
        now = max(now, end)
        judgeTime()
    }

    package mutating func run(for duration: Duration) {
        run(until: now.advanced(by: duration))
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .delivery(let flight, let host):
            let datagram = flights.datagram(flight)
            let decoded = flights.decoded(flight)
            let link = flights.link(flight)
            let observed = flights.observed(flight)
            flights.end(flight)
            deliver(datagram, decoded, on: link, to: host, observed)
        case .sending(let flight, let host):
            let datagram = flights.datagram(flight)
            let link = flights.link(flight)
            flights.end(flight)
            send(datagram, by: host, on: link)
        case .check(let check): perform(check)
        case .timer(let host):
            guard hosts[host.rawValue].armed == now, hosts[host.rawValue].state == .running
            else { return }
            hosts[host.rawValue].armed = nil
            hosts[host.rawValue].advance(to: now)
            // What follows from what was due may be due at once; then it is done in a second call.
            if hosts[host.rawValue].lastWakeUp == now {
                invariants.advanced(host, deadline: hosts[host.rawValue].deadline, at: now)
            }
            hosts[host.rawValue].lastWakeUp = now
            checkLoad(host)
            drain(host)
        }
    }

    private mutating func deliver(
        _ datagram: Datagram, _ decoded: DecodingResult, on link: LinkID, to host: HostID,
        _ observed: (message: ObservedMessage, concern: Concern)? = nil
    ) {
        guard hosts[host.rawValue].state == .running, hosts[host.rawValue].isAttached(to: link)
        else { return }
        deliveries += 1
        if let reflector = reflectors.first(where: { $0.host == host }) {
            reflect(datagram, from: link, by: reflector)
            return
        }
        if let observed { judge(observed.message, observed.concern, receivedBy: host) }
        hosts[host.rawValue].receive(datagram, decoded, on: link, at: now)
        checkLoad(host)
        drain(host)
        if observed != nil { invariants.report(invariants.caches.settle(host, at: now), at: now) }
    }

    /// Holds what the host's links have against the limits.
    private mutating func checkLoad(_ host: HostID) {
        guard let limits = hosts[host.rawValue].limits else { return }
        var number = 0
        while let load = hosts[host.rawValue].load(ofLink: number) {
            invariants.loaded(load, within: limits, of: host, at: now)
            number += 1
        }
    }

    /// Sends and tells what a host's stack has to say, and arms its timer.
    private mutating func drain(_ host: HostID) {
        let number = host.rawValue
        while let output = hosts[number].nextOutput() {
            switch output {
            case .transmit(let transmission):
                let link = AddressPlan.link(of: transmission.interface)
                let source = hosts[number].address(on: link, transmission.family)
                let datagram = Datagram(
                    transmission.bytes, from: SocketAddress(source, port: 5353),
                    to: transmission.destination)
                transmissions?.append(
                    HostTransmission(time: now, host: host, link: link, datagram: datagram))
                let decoded = DecodingResult(datagram.payload.span)
                if let message = invariants.sent(
                    datagram, decoded, by: host, on: link, at: now)
                {
                    examine(message, datagram, by: host, on: link)
                }
                put(datagram, decoded, by: host, on: link)
            case .event(let event): process(event, by: host)
            }
        }
        if let wakeUp = hosts[number].arm(at: now) { schedule.insert(.timer(host), at: wakeUp) }
    }

    /// Processes what a host's stack reported.
    package mutating func process(_ event: HostEvent, by host: HostID) {
        trace.note("\(host) \(event)", at: now)
        hosts[host.rawValue].recordedEvents?.append((now, event))
        invariants.process(event, by: host, at: now)
        noteEvent(event, by: host)
        for breach in groundTruth.process(event, by: host, at: now) {
            invariants.report(breach, by: host, at: now)
        }
        planChecks()
    }

    mutating func plan(_ check: Check, after delay: Duration) {
        schedule.insert(.check(check), at: now.advanced(by: delay))
    }

    // MARK: Links

    /// Puts a datagram on a link: it reaches whoever it is for, as the conditions have it.
    private mutating func put(
        _ datagram: Datagram, _ decoded: DecodingResult, by sender: HostID, on link: LinkID
    ) {
        guard hosts[sender.rawValue].isAttached(to: link) else { return }
        trace.note(datagram, by: sender, on: link, at: now)
        observed?.note(datagram, at: now)
        if case .script = hosts[sender.rawValue].stack {
            invariants.processForeign(datagram, by: sender, on: link, at: now)
        }
        carry(datagram, decoded, by: sender, on: link, concern(of: datagram, decoded, sender, link))
        for other in links[link.rawValue].bridged {
            carry(datagram, decoded, by: nil, on: other, [])
        }
    }

    /// Has a datagram arrive at the hosts of a link; one from a bridged link has no sender here.
    private mutating func carry(
        _ datagram: Datagram, _ decoded: DecodingResult, by sender: HostID?, on link: LinkID,
        _ concern: Concern
    ) {
        let conditions = links[link.rawValue].conditions
        let group = sender.map { hosts[$0.rawValue].partition[link] ?? 0 } ?? 0
        let address = datagram.destination.address
        let flight = flights.begin(datagram, decoded, on: link, by: sender, concern)
        defer { flights.end(flight) }
        for host in links[link.rawValue].hosts {
            if host == sender {
                if address.isMulticast, conditions.echoesOwn {
                    scheduleArrival(of: flight, at: host, after: .microseconds(20))
                }
                continue
            }
            guard hosts[host.rawValue].partition[link] ?? 0 == group,
                hosts[host.rawValue].accepts(address, on: link)
            else { continue }
            scheduleDelivery(of: flight, to: host, under: conditions)
        }
    }

    private mutating func scheduleDelivery(
        of flight: Int, to host: HostID, under conditions: LinkConditions
    ) {
        if happens(conditions.loss) {
            links[flights.link(flight).rawValue].disturbed = now
            return
        }
        var delay = generator.duration(in: conditions.delay)
        if happens(conditions.reordering) {
            delay += generator.duration(in: conditions.reorderingDelay)
        }
        scheduleArrival(of: flight, at: host, after: delay)
        if happens(conditions.duplication) {
            delay += generator.duration(in: conditions.delay)
            scheduleArrival(of: flight, at: host, after: delay)
        }
    }

    private mutating func scheduleArrival(
        of flight: Int, at host: HostID, after delay: Duration
    ) {
        flights.add(to: flight)
        schedule.insert(.delivery(flight: flight, to: host), at: now.advanced(by: delay))
    }

    private mutating func happens(_ share: Double) -> Bool {
        share > 0 && Double.random(in: 0..<1, using: &generator) < share
    }

    /// A copy with the reflector's own address on each other link: what reflectors in the field
    /// do, with all the trouble that comes of it.
    private mutating func reflect(_ datagram: Datagram, from ingress: LinkID, by it: Reflector) {
        guard datagram.destination.address.isMulticast, datagram.reflections < it.passes,
            datagram.source.address
                != hosts[it.host.rawValue].address(on: ingress, datagram.family)
        else { return }
        for link in it.links where link != ingress {
            var copy = datagram
            copy.reflections += 1
            copy.source.address = hosts[it.host.rawValue].address(on: link, datagram.family)
            put(copy, DecodingResult(copy.payload.span), by: it.host, on: link)
        }
    }
}
