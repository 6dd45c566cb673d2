package import DNSMessages
package import NetworkPrimitives

/// RFC 6762 as a state machine: querier and responder on every interface.
///
/// The contract: call one mutating method; drain `nextOutput()` until it is nil; arm one timer
/// for `deadline`; repeat. `now` never decreases. Nothing in here reads a clock, a file, a
/// socket, a global or the system's random numbers: the same calls with the same seed give the
/// same outputs. A malformed packet is a counter and nothing else.
package struct Engine: Sendable {
    private var context: Context
    /// In order of the interfaces' numbers.
    private(set) var links: [Link] = []
    /// In order of their ids.
    private(set) var queries: [(id: QueryID, question: Question, interfaces: InterfaceSelection)] =
        []
    private var publications = PublicationTable()
    private var lastID = 0
    private var outputs = Queue<Output>()
    /// When a query was last ended; for those who watch.
    package private(set) var lastStop = Instant.zero

    package init(configuration: Configuration, generator: SeededGenerator) {
        context = Context(configuration: configuration, generator: generator)
    }

    /// The next thing that is to be done or known; nil when there is nothing more.
    package mutating func nextOutput() -> Output? { outputs.popFirst() }

    private mutating func emit(_ output: Output) {
        if case .transmit = output { context.statistics.sent += 1 }
        outputs.append(output)
    }

    /// When `advance(to:)` has something to do again; nil if nothing is scheduled.
    package var deadline: Instant? {
        var earliest = publications.deadline ?? .never
        // By index: a link of its own would be a copy.
        for index in links.indices { earliest = min(earliest, links[index].deadline) }
        return earliest < .never ? earliest : nil
    }

    package var statistics: Statistics { context.statistics }

    /// Whether questions and probes may ask for unicast answers from now on (RFC 6762 §5.4).
    package var mayAskForUnicast: Bool {
        get { context.configuration.mayAskForUnicast }
        set { context.configuration.mayAskForUnicast = newValue }
    }

    /// The interfaces that multicast DNS runs on now, in order of their numbers.
    package var activeInterfaces: [NetworkInterface] { links.map { $0.interface } }

    /// The records cached on all interfaces.
    package var cachedRecordCount: Int { links.reduce(0) { $0 + $1.cache.count } }

    /// The timers kept on all interfaces.
    package var timerCount: Int { links.reduce(0) { $0 + $1.timerCount } }

    /// Does everything that is due by `now`.
    package mutating func advance(to now: Instant) {
        context.now = now
        applyDueUpdates()
        for index in links.indices { links[index].advance(&context) }
        carryOut()
    }

    /// A datagram came in. Where many engines receive the same, it is `decoded` once for all.
    package mutating func receive(
        _ payload: Span<UInt8>, decoded: DecodingResult? = nil, with info: DatagramInfo,
        at now: Instant
    ) {
        context.now = now
        context.statistics.received += 1
        // No datagram has such a source (D-22).
        guard let index = links.firstIndex(where: { $0.index == info.interface }),
            isPossible(info)
        else {
            context.statistics.badSource += 1
            return
        }
        // With headers none is over 9000 bytes (RFC 6762 §17, M17-6, D-22).
        guard
            payload.count
                <= context.limits.datagramSize - ActiveInterface.headerSize(info.family)
        else {
            context.statistics.oversized += 1
            return
        }
        guard let message = message(of: decoded ?? DecodingResult(payload)) else { return }
        let isEcho = !message.header.isResponse && links[index].isEcho(payload, info, now)
        links[index].process(
            message, info, byteCount: payload.count, isEcho: isEcho, &context)
        carryOut()
    }

    private func isPossible(_ info: DatagramInfo) -> Bool {
        let source = info.source.address
        if case .v4(let address) = source, address.isBroadcast { return false }
        return !source.isMulticast && !source.isUnspecified && info.source.port != 0
    }

    private mutating func message(of decoded: DecodingResult) -> Message? {
        switch decoded {
        case .success(let decoded):
            if !decoded.skipped.isEmpty {
                context.statistics.damaged += 1
                context.statistics.skippedRecords += decoded.skipped.count
            }
            if decoded.trailingByteCount > 0 { context.statistics.trailingBytes += 1 }
            return decoded.message
        case .failure(.operationCode), .failure(.responseCode):
            context.statistics.unsupportedOpcodes += 1
        case .failure:
            context.statistics.malformedMessages += 1
        }
        return nil
    }

    /// Carries out what the links ask for: the end of every call.
    private mutating func carryOut() {
        var isDone = false
        while !isDone {
            isDone = true
            for index in links.indices {
                while let effect = links[index].nextEffect() {
                    isDone = false
                    carryOut(effect, ofLink: index)
                }
            }
        }
    }

    private mutating func carryOut(_ effect: Link.Effect, ofLink index: Int) {
        switch effect {
        case .transmit(let transmission): emit(.transmit(transmission))
        case .answer(let query, let change): emit(.answer(query, change))
        case .progress(let id): reportStatus(id)
        case .conflict(let id, let name, let removal):
            guard publications[id] != nil else { return }
            // A conflict on any interface gives the name up on all (M14-2).
            endPublication(id, removal)
            emit(.publication(id, .conflicted(name)))
        case .foreignRecord(let record):
            if links.contains(where: { $0.responder.hasSent(record, at: context.now) }) {
                let active = links[index].active
                links[index].responder.restoreSet(flushedBy: record, on: active, &context)
            } else {
                links[index].processConflict(with: record, &context)
            }
        case .rivalProbe(let name, let theirs):
            guard !theirs.allSatisfy(isOwn) else { return }
            links[index].breakTie(over: name, against: theirs, &context)
        }
    }

    /// Whether the record is ours on any interface, or was a moment ago, if only proposed: never a
    /// rival, whichever interface it is received on (M9-1, M10-19).
    private func isOwn(_ record: ResourceRecord) -> Bool {
        links.contains { $0.responder.holds(record, at: context.now) }
    }
}

// MARK: - Queries

extension Engine {
    /// Begins a continuous query; what is cached already is the first output
    /// (RFC 6762 §5.2).
    package mutating func startQuery(
        _ question: Question, on selection: InterfaceSelection, at now: Instant
    ) -> QueryID {
        context.now = now
        lastID += 1
        let id = QueryID(rawValue: lastID)
        queries.append((id, question, selection))
        for index in links.indices where selection.contains(links[index].interface) {
            links[index].subscribe(id, to: question, &context)
        }
        carryOut()
        return id
    }

    /// Ends a query. Nothing is said to it any more.
    package mutating func stopQuery(_ id: QueryID, at now: Instant) {
        context.now = now
        guard let place = queryPlace(id) else { return }
        lastStop = now
        let query = queries.remove(at: place)
        // On every link: an interface may have another name than when the query was started.
        for index in links.indices {
            links[index].unsubscribe(id, from: query.question, &context)
        }
        carryOut()
        outputs.removeAll { if case .answer(id, _) = $0 { true } else { false } }
    }

    func queryPlace(_ id: QueryID) -> Int? {
        let place = queries.partitionIndex { $0.id < id }
        return place < queries.count && queries[place].id == id ? place : nil
    }

    /// Makes sure of a cached record that seems to be stale: it is asked for twice or more and
    /// goes in ten seconds if nobody answers (RFC 6762 §10.4).
    package mutating func reconfirm(
        _ record: ResourceRecord, on selection: InterfaceSelection, at now: Instant
    ) {
        context.now = now
        for index in links.indices where selection.contains(links[index].interface) {
            links[index].reconfirm(record, &context)
        }
        carryOut()
    }
}

// MARK: - Publications

extension Engine {
    /// Publishes records: probes for the unique ones, announces all, answers with them.
    package mutating func publish(_ set: RecordSet, at now: Instant) -> PublicationID {
        context.now = now
        lastID += 1
        let id = PublicationID(rawValue: lastID)
        publications.add(id, set)
        apply(set, to: id)
        reportStatus(id)
        carryOut()
        return id
    }

    /// Replaces a publication's records. Changed data is announced without probing, four times in
    /// a row and then once in ten seconds, so that there are ten in a minute at most: what comes
    /// sooner waits, ten seconds at most, and the last one counts (RFC 6762 §8.4).
    package mutating func update(_ id: PublicationID, to set: RecordSet, at now: Instant) {
        context.now = now
        guard publications.requestUpdate(id, to: set, at: now) else { return }
        apply(set, to: id)
        carryOut()
    }

    /// Replaces the records of a publication whose names are not ours yet: what is proposed in
    /// probes is other than it was, so they begin again. It is no update, and waits for nothing.
    package mutating func repropose(_ id: PublicationID, as set: RecordSet, at now: Instant) {
        context.now = now
        guard publications.replaceSet(of: id) else { return }
        apply(set, to: id)
        carryOut()
    }

    private mutating func applyDueUpdates() {
        for (id, set) in publications.takeDueUpdates(by: context.now) { apply(set, to: id) }
    }

    private mutating func apply(_ set: RecordSet, to id: PublicationID) {
        publications[id]?.set = set
        for index in links.indices {
            let isMeant = set.interfaces.contains(links[index].interface)
            if links[index].claims.contains(id) {
                if isMeant {
                    links[index].change(id, to: set, &context)
                } else {
                    links[index].remove([id], .withdrawal, &context)
                }
            } else if isMeant {
                links[index].add(id, set, &context)
            }
        }
    }

    /// Takes a publication back, with goodbyes for what no other publication holds
    /// (RFC 6762 §10.1).
    package mutating func withdraw(_ id: PublicationID, at now: Instant) {
        context.now = now
        endPublication(id, .withdrawal)
        carryOut()
    }

    /// Takes everything back: the end of the program.
    package mutating func withdrawAll(at now: Instant) {
        context.now = now
        let ids = publications.ids
        for index in links.indices { links[index].remove(ids, .withdrawal, &context) }
        publications = PublicationTable()
        carryOut()
    }

    private mutating func endPublication(_ id: PublicationID, _ removal: Removal) {
        guard publications.remove(id) else { return }
        for index in links.indices { links[index].remove([id], removal, &context) }
    }

    /// Tells the publisher where the publication stands, if that has changed.
    private mutating func reportStatus(_ id: PublicationID) {
        guard let publication = publications[id] else { return }
        let states = links.compactMap { $0.claims.isEstablished(id) }
        let isEstablished = !states.isEmpty && !states.contains(false)
        let status: PublicationStatus = isEstablished ? .established : .probing
        guard publication.reported != status else { return }
        publications[id]?.reported = status
        emit(.publication(id, status))
    }
}

// MARK: - Interfaces

extension Engine {
    /// The interfaces as they are now, all of them: what changed is found out here.
    package mutating func update(interfaces: [NetworkInterface], at now: Instant) {
        context.now = now
        let usable = interfaces.sorted { $0.index < $1.index }.filter {
            context.configuration.interfaces.isEligible(
                $0, families: context.configuration.families)
        }
        for index in links.indices.reversed()
        where !usable.contains(where: { $0.index == links[index].index }) {
            links[index].cache.removeAll()
            links[index].processChanges(&context)
            let ids = publications.ids.filter { links[index].claims.contains($0) }
            links[index].remove(ids, .interfaceGone, &context)
            carryOut()
            links.remove(at: index)
            for id in ids { reportStatus(id) }
        }
        for interface in usable {
            if let index = links.firstIndex(where: { $0.index == interface.index }) {
                change(index, to: interface)
            } else {
                open(interface)
            }
        }
        carryOut()
    }

    private func families(of interface: NetworkInterface) -> FamilySet {
        let usable = interface.addresses.lazy.filter { !$0.isTentative }.map { $0.address.family }
        return FamilySet(context.configuration.families.intersection(usable).map(FamilySet.init))
    }

    private mutating func open(_ interface: NetworkInterface) {
        let place = links.firstIndex { $0.index > interface.index } ?? links.count
        let active = ActiveInterface(
            interface: interface, families: families(of: interface))
        links.insert(Link(active: active, opened: context.now), at: place)
        select(place, nil)
    }

    private mutating func change(_ index: Int, to interface: NetworkInterface) {
        let families = families(of: interface)
        let isNew = !families.subtracting(links[index].families).isEmpty
        let before = links[index].interface
        links[index].active = ActiveInterface(interface: interface, families: families)
        if before.name != interface.name { select(index, before) }
        // A family that was not there before is a sign of changed connectivity, and nothing
        // else is (RFC 6762 §8, M8-1, M8-35).
        if isNew { restart(index) }
    }

    /// Begins what is meant for an interface that is new; what was meant for interfaces by name
    /// follows the name.
    private mutating func select(_ index: Int, _ before: NetworkInterface?) {
        let interface = links[index].interface
        func choice(_ meant: InterfaceSelection) -> (before: Bool, now: Bool) {
            (before.map { meant.contains($0) } ?? false, meant.contains(interface))
        }
        for query in queries {
            switch choice(query.interfaces) {
            case (true, false): links[index].unsubscribe(query.id, from: query.question, &context)
            case (false, true): links[index].subscribe(query.id, to: query.question, &context)
            default: break
            }
        }
        for id in publications.ids {
            guard let set = publications[id]?.set else { continue }
            switch choice(set.interfaces) {
            case (true, false): links[index].remove([id], .withdrawal, &context)
            case (false, true): links[index].add(id, set, &context)
            default: continue
            }
            reportStatus(id)
        }
    }

    /// The machine slept, or connectivity may have changed in another way: what is ours is
    /// probed and announced anew, what is cached has to prove itself, and the questions start
    /// over (RFC 6762 §5.4, §8, §10.2, §10.3).
    package mutating func wake(at now: Instant) {
        context.now = now
        for index in links.indices {
            links[index].cache.reconfirmAll(at: context.now)
            restart(index)
        }
        carryOut()
    }

    private mutating func restart(_ index: Int) {
        links[index].querier.restart(&context)
        links[index].restart(
            publications.ids.filter { links[index].claims.contains($0) }, &context)
    }
}
