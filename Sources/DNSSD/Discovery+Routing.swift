import DNS
import MulticastDNS
import NetworkPrimitives

/// What the engine says goes to the operation that it concerns.
extension Discovery {
    /// Drains the engine. Resolutions speak once everything that came is in, so that the order
    /// of records in a packet makes no difference.
    mutating func pump(at now: Instant) {
        repeat {
            while let output = routed.engine.nextOutput() {
                switch output {
                case .transmit(let transmission): emit(.transmit(transmission))
                case .answer(let query, let change): route(change, of: query, at: now)
                case .publication(let id, let status): route(status, of: id, at: now)
                }
            }
            let ids = changed
            changed.removeAll(keepingCapacity: true)
            for id in ids { settleResolution(id, at: now) }
        } while !changed.isEmpty
        timers.set(.host, at: host.deadline)
    }

    mutating func operationIsDue(_ id: OperationID, at now: Instant) {
        switch operations[id] {
        case .resolution:
            settleResolution(id, at: now)
        case .service(var registration):
            operations[id] = nil
            let news = registration.advance(at: now)
            operations[id] = .service(registration)
            for status in news { emit(.registration(status), to: id) }
            timers.set(.operation(id), at: registration.deadline)
        default:
            break
        }
    }

    // MARK: Answers

    private mutating func route(
        _ change: AnswerChange, of query: QueryID, at now: Instant
    ) {
        // Taken out while it changes, so that its collections are not copied.
        guard let id = routed.operation(of: query),
            let operation = operations.removeValue(forKey: id)
        else { return }
        switch operation {
        case .browse(var browse):
            let news = browse.take(change)
            operations[id] = .browse(browse)
            if let news { browseChanged(news, of: id, at: now) }
        case .types(var enumeration):
            let news = enumeration.take(change)
            operations[id] = .types(enumeration)
            if let news { emit(.types(news), to: id) }
        case .names(let enumeration):
            operations[id] = operation
            guard let news = enumeration.take(change) else { return }
            emit(enumeration.kind == .domains ? .domains(news) : .names(news), to: id)
        case .resolution(var resolution):
            resolution.take(change, of: query, &routed, &generator, at: now)
            operations[id] = .resolution(resolution)
            if changed.last != id, !changed.contains(id) { changed.append(id) }
        case .addresses(var lookup):
            let news = lookup.take(change, of: query, &routed, at: now)
            operations[id] = .addresses(lookup)
            for change in news { emit(.addresses(change), to: id) }
        case .records:
            operations[id] = operation
            emit(.records(RecordChange(change)), to: id)
        case .service, .publication:
            operations[id] = operation
        }
    }

    private mutating func browseChanged(
        _ news: BrowseChange, of id: OperationID, at now: Instant
    ) {
        guard case .browse(var browse) = operations[id] else { return }
        switch news {
        case .added(let instance) where browse.detail == .services:
            emit(.browse(news), to: id)
            operations[id] = nil
            let resolution = startResolution(
                instance.name, on: .index(instance.interface), for: .browse(id), at: now)
            browse.attach(resolution, to: instance)
            operations[id] = .browse(browse)
        case .removed:
            emit(.browse(news), to: id)
            let ended = browse.takeEnded()
            operations[id] = .browse(browse)
            if let ended { end(ended, at: now) }
        case .added, .changed:
            emit(.browse(news), to: id)
        }
    }

    private mutating func settleResolution(_ id: OperationID, at now: Instant) {
        guard case .resolution(var resolution) = operations.removeValue(forKey: id) else { return }
        let (changes, next) = resolution.settle(at: now)
        operations[id] = .resolution(resolution)
        timers.set(.operation(id), at: next)
        for change in changes {
            switch resolution.audience {
            case .starter:
                emit(.resolution(change), to: id)
            case .browse(let parent):
                guard case .browse(var browse) = operations.removeValue(forKey: parent) else {
                    continue
                }
                let news = browse.take(change)
                operations[parent] = .browse(browse)
                if let news { emit(.browse(news), to: parent) }
            }
        }
    }

    // MARK: Publications

    private mutating func route(
        _ status: PublicationStatus, of publication: PublicationID, at now: Instant
    ) {
        switch routed.publisher(of: publication) {
        case .host:
            hostChanged(host.take(status, of: publication, &routed, at: now), at: now)
        case .operation(let id):
            registrationChanged(id, status, of: publication, at: now)
        case nil:
            break
        }
    }

    private mutating func registrationChanged(
        _ id: OperationID, _ status: PublicationStatus, of publication: PublicationID,
        at now: Instant
    ) {
        switch operations.removeValue(forKey: id) {
        case .service(var registration):
            let news = registration.take(
                status, of: publication, hostState, &names, &routed, at: now)
            operations[id] = .service(registration)
            timers.set(.operation(id), at: registration.deadline)
            for status in news { emit(.registration(status), to: id) }
            if case .conflicted = news.last { endRegistration(id) }
        case .publication(var records):
            let news = records.take(status)
            operations[id] = .publication(records)
            if let news { emit(.registration(news), to: id) }
            if case .conflicted = status {
                routed.forget(publication)
                operations[id] = nil
            }
        case let other:
            operations[id] = other
        }
    }

    /// Tells the news of the host's name, and to the services on it what follows from it.
    mutating func hostChanged(_ news: [HostNameStatus], at now: Instant) {
        for status in news { emit(.hostName(status)) }
        let isRenamed = news.contains { if case .renamed = $0 { true } else { false } }
        guard !news.isEmpty else { return }
        let state = hostState
        for id in registrations {
            guard case .service(var registration) = operations.removeValue(forKey: id) else {
                continue
            }
            if isRenamed { registration.followHost(state, &routed, at: now) }
            let statuses = registration.report(state)
            operations[id] = .service(registration)
            for status in statuses { emit(.registration(status), to: id) }
            timers.set(.operation(id), at: registration.deadline)
        }
    }

    var hostState: ServiceRegistration.Host {
        ServiceRegistration.Host(name: host.name, isSettled: host.isSettled)
    }
}

extension RecordChange {
    /// The engine's news for the one who asked for records.
    init(_ change: AnswerChange) {
        self =
            switch change {
            case .added(let record, let interface): .added(record, interface)
            case .removed(let record, let interface): .removed(record, interface)
            case .absent(let type, let interface): .absent(type, interface)
            }
    }
}
