import DNSMessages
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
        if resolutions[id] != nil { return settleResolution(id, at: now) }
        guard let news = services[id]?.advance(at: now) else { return }
        tell(news, to: id)
    }

    // MARK: Answers

    private mutating func route(
        _ change: AnswerChange, of query: QueryID, at now: Instant
    ) {
        guard let id = routed.operation(of: query) else { return }
        if let place = resolutions.index(forKey: id) {
            resolutions.values[place].take(change, of: query, &routed, &generator, at: now)
            if changed.last != id, !changed.contains(id) { changed.append(id) }
        } else if let place = browses.index(forKey: id) {
            guard let news = browses.values[place].take(change) else { return }
            browseChanged(news, of: id, at: now)
        } else if let place = lookups.index(forKey: id) {
            for news in lookups.values[place].take(change, of: query, &routed, at: now) {
                emit(.addresses(news), to: id)
            }
        } else if let place = typeEnumerations.index(forKey: id) {
            guard let news = typeEnumerations.values[place].take(change) else { return }
            emit(.types(news), to: id)
        } else if let enumeration = nameEnumerations[id] {
            guard let news = enumeration.take(change) else { return }
            emit(enumeration.kind == .domains ? .domains(news) : .names(news), to: id)
        } else if recordQueries[id] != nil {
            emit(.records(RecordChange(change)), to: id)
        }
    }

    private mutating func browseChanged(
        _ news: BrowseChange, of id: OperationID, at now: Instant
    ) {
        emit(.browse(news), to: id)
        switch news {
        case .added(let instance):
            guard browses[id]?.detail == .services,
                routed.mayAsk(for: instance.name.domainName)
            else { return }
            let resolution = startResolution(
                instance.name, on: .index(instance.interface), for: .browse(id), at: now)
            browses[id]?.attach(resolution, to: instance)
        case .removed(let instance):
            guard let resolution = browses[id]?.detach(instance) else { return }
            end(resolution, at: now)
        case .changed:
            break
        }
    }

    private mutating func settleResolution(_ id: OperationID, at now: Instant) {
        guard let place = resolutions.index(forKey: id) else { return }
        let audience = resolutions.values[place].audience
        let (changes, next) = resolutions.values[place].settle(at: now)
        timers.set(.operation(id), at: next)
        for change in changes {
            switch audience {
            case .starter:
                emit(.resolution(change), to: id)
            case .browse(let parent):
                guard let place = browses.index(forKey: parent),
                    let news = browses.values[place].take(change)
                else { continue }
                emit(.browse(news), to: parent)
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
        if services[id] != nil {
            let state = hostState
            let news =
                services[id]?.take(
                    status, of: publication, state, &names, &routed, at: now) ?? []
            tell(news, to: id)
            if case .conflicted = news.last { endRegistration(id) }
        } else if let news = publications[id]?.take(status) {
            emit(.registration(news), to: id)
            if case .conflicted = news {
                routed.forget(publication)
                publications[id] = nil
            }
        }
    }

    /// Tells the news of a service, and plans when to look at it again.
    private mutating func tell(_ news: [RegistrationStatus], to id: OperationID) {
        for status in news { emit(.registration(status), to: id) }
        timers.set(.operation(id), at: services[id]?.deadline)
    }

    /// Tells the news of the host's name, and to the services on it what follows from it.
    mutating func hostChanged(_ news: [HostNameStatus], at now: Instant) {
        guard !news.isEmpty else { return }
        for status in news { emit(.hostName(status)) }
        let isRenamed = news.contains { if case .renamed = $0 { true } else { false } }
        let state = hostState
        for id in registrations {
            if isRenamed { services[id]?.followHost(state, &routed, at: now) }
            let isConcerned = services[id]?.usesOwnHost ?? false
            let about = isConcerned ? news.compactMap(RegistrationStatus.init) : []
            tell(about + (services[id]?.report(state) ?? []), to: id)
        }
    }

    var hostState: ServiceRegistration.Host {
        ServiceRegistration.Host(name: host.name, isSettled: host.isSettled)
    }
}

extension RegistrationStatus {
    /// What concerns a service in the news of its host; the rest is in the service's own.
    fileprivate init?(_ status: HostNameStatus) {
        switch status {
        case .renamed(let old, let new): self = .hostRenamed(from: old, to: new)
        case .failing(let name, let attempts): self = .failing(name, attempts: attempts)
        case .probing, .established: return nil
        }
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
