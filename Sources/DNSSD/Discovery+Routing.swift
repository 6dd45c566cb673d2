import DNSMessages
import MulticastDNS
package import NetworkPrimitives

/// Routes the outputs of the engine to the operations that they concern.
extension Discovery {
    /// Drains the engine. Resolutions report once every record is processed, so that the order
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
        guard
            let statuses = services[id]?.advance(at: now) ?? publications[id]?.advance(at: now)
        else { return }
        report(statuses, of: id)
    }

    /// Has a resolution report what is known, complete or not: its time is over.
    package mutating func reportKnown(of id: OperationID, at now: Instant) {
        guard let place = resolutions.index(forKey: id) else { return }
        resolutions.values[place].endPatience()
        settleResolution(id, at: now)
        pump(at: now)
    }

    // MARK: Answers

    private mutating func route(
        _ change: AnswerChange, of query: QueryID, at now: Instant
    ) {
        guard let id = routed.operation(of: query) else { return }
        if let place = resolutions.index(forKey: id) {
            resolutions.values[place].process(change, of: query, &routed, &generator, at: now)
            if changed.last != id, !changed.contains(id) { changed.append(id) }
        } else if let place = browses.index(forKey: id) {
            guard let event = browses.values[place].process(change) else { return }
            browseChanged(event, of: id, at: now)
        } else if let place = lookups.index(forKey: id) {
            for event in lookups.values[place].process(change, of: query, &routed, at: now) {
                emit(.addresses(event), to: id)
            }
        } else if let place = typeEnumerations.index(forKey: id) {
            guard let event = typeEnumerations.values[place].process(change) else { return }
            emit(.types(event), to: id)
        } else if let enumeration = nameEnumerations[id] {
            guard let event = enumeration.event(for: change) else { return }
            emit(enumeration.kind == .domains ? .domains(event) : .names(event), to: id)
        } else if recordQueries[id] != nil {
            emit(.records(RecordEvent(change)), to: id)
        }
    }

    private mutating func browseChanged(
        _ event: BrowseEvent, of id: OperationID, at now: Instant
    ) {
        emit(.browse(event), to: id)
        if case .removed(let instance) = event,
            let resolution = browses[id]?.detach(instance)
        {
            end(resolution, at: now)
        }
        startResolutions(of: id, at: now)
    }

    /// Starts as many of a browse's waiting resolutions as may be pending at a time; an instance
    /// of a domain of unicast DNS is listed and not resolved (M13-2).
    private mutating func startResolutions(of browse: OperationID, at now: Instant) {
        while let next = browses[browse]?.nextToResolve() {
            guard routed.mayAsk(for: next.name.domainName) else { continue }
            let id = startResolution(
                next.name, on: .index(next.interface), for: .browse(browse), at: now)
            browses[browse]?.attach(id, to: next)
            timers.set(.operation(id), at: resolutions[id]?.patienceEnds)
        }
    }

    private mutating func settleResolution(_ id: OperationID, at now: Instant) {
        guard let place = resolutions.index(forKey: id) else { return }
        let audience = resolutions.values[place].audience
        let (events, next) = resolutions.values[place].settle(with: routed, at: now)
        timers.set(.operation(id), at: next)
        switch audience {
        case .starter:
            for event in events { emit(.resolution(event), to: id) }
        case .browse(let parent):
            for event in events {
                guard let event = browses[parent]?.event(for: event) else { continue }
                emit(.browse(event), to: parent)
            }
            guard resolutions.values[place].hasSettled else { return }
            browses[parent]?.settled(id)
            startResolutions(of: parent, at: now)
        }
    }

    // MARK: Publications

    private mutating func route(
        _ status: PublicationStatus, of publication: PublicationID, at now: Instant
    ) {
        switch routed.publisher(of: publication) {
        case .host:
            hostChanged(host.handle(status, of: publication, &routed, at: now), at: now)
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
            let statuses =
                services[id]?.handle(
                    status, of: publication, state, &names, &routed, at: now) ?? []
            report(statuses, of: id)
            if case .conflicted = statuses.last { endRegistration(id) }
        } else if let place = publications.index(forKey: id) {
            let new = publications.values[place].handle(status, routed, at: now)
            report(new.map { [$0] } ?? [], of: id)
            if case .conflicted = new {
                routed.forget(publication)
                publications[id] = nil
                timers.set(.operation(id), at: nil)
            }
        }
    }

    /// Reports statuses of a registration, and plans when to look at it again.
    mutating func report(_ statuses: [RegistrationStatus], of id: OperationID) {
        for status in statuses { emit(.registration(status), to: id) }
        timers.set(.operation(id), at: services[id]?.deadline ?? publications[id]?.deadline)
    }

    /// Starts or ends the minutes after which these registrations count as failing.
    mutating func updateFailures(of ids: [OperationID], at now: Instant) {
        for id in ids {
            services[id]?.updateFailure(routed, at: now)
            publications[id]?.updateFailure(routed, at: now)
            report([], of: id)
        }
    }

    /// Reports statuses of the host's name, and what follows from them for the services on it.
    mutating func hostChanged(_ statuses: [HostNameStatus], at now: Instant) {
        guard !statuses.isEmpty else { return }
        for status in statuses { emit(.hostName(status)) }
        let isRenamed = statuses.contains { if case .renamed = $0 { true } else { false } }
        let state = hostState
        for id in registrations {
            if isRenamed { services[id]?.followHost(state, &routed, at: now) }
            let usesOwnHost = services[id]?.usesOwnHost ?? false
            let ofHost = usesOwnHost ? statuses.compactMap { RegistrationStatus($0) } : []
            let own = services[id]?.newStatus(state, routed, at: now) ?? []
            report(ofHost + own, of: id)
        }
    }

    var hostState: ServiceRegistration.Host {
        ServiceRegistration.Host(name: host.name, isSettled: host.isSettled)
    }
}

extension RegistrationStatus {
    /// What concerns a service in the status of its host; the rest is in the service's own.
    fileprivate init?(_ status: HostNameStatus) {
        switch status {
        case .renamed(let old, let new): self = .hostRenamed(from: old, to: new)
        case .failing(let name, let attempts): self = .failing(name, attempts: attempts)
        case .probing, .established: return nil
        }
    }
}

extension RecordEvent {
    /// The event of a query for records.
    init(_ change: AnswerChange) {
        self =
            switch change {
            case .added(let record, let interface): .added(record, interface)
            case .removed(let record, let interface): .removed(record, interface)
            case .absent(let type, let interface): .absent(type, interface)
            case .incomplete(let interface): .incomplete(interface)
            }
    }
}
