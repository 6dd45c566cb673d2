import DNSMessages
import MulticastDNS
package import NetworkPrimitives

/// Offering services and records.
extension Discovery {
    /// Registers a service: its name is probed for, then announced, and changed if it is taken.
    ///
    /// - Throws: `RegistrationError`; nothing is registered then.
    package mutating func register(
        _ service: ServiceDescription, at now: Instant
    ) throws(RegistrationError) -> OperationID {
        var service = service
        // A service on this very host needs no proxy for it.
        if let host = service.host, host.addresses.isEmpty, host.name == hostName {
            service.host = nil
        }
        var name = try ServiceRegistration.checkedName(
            of: service, default: configuration.defaultInstanceName)
        if let host = service.host {
            guard host.name != hostName, names.allowsHost(host.name, addresses: host.addresses)
            else { throw .hostInUse(host.name) }
        } else if configuration.hostPublication == .never {
            throw .hostNotPublished
        }
        let id = nextOperation()
        if !names.isFree(name) {
            guard service.renamesOnConflict, let free = names.freeName(after: name, for: id) else {
                throw .nameInUse(name)
            }
            name = free
        }
        names.claim(name, for: id)
        if let host = service.host {
            names.claimHost(host.name, addresses: host.addresses)
        } else {
            // RFC 6762 §8.1: the host's name and the service's are probed for together.
            hostChanged(host.publish(&routed, at: now), at: now)
        }
        var registration = ServiceRegistration(service, name: name, as: id)
        registration.publish(hostState, &routed, at: now)
        let statuses = registration.newStatus(hostState, routed, at: now)
        services[id] = registration
        registrations.append(id)
        report(statuses, of: id)
        pump(at: now)
        return id
    }

    /// Changes a service's attributes and announces them (RFC 6762 §8.4).
    ///
    /// - Throws: `RegistrationError`; nothing changes then.
    package mutating func update(
        _ id: OperationID, txt: TXTRecord, at now: Instant
    ) throws(RegistrationError) {
        guard let name = services[id]?.name else { throw .unknownRegistration }
        try ServiceRegistration.check(txt, of: name)
        let state = hostState
        services[id]?.update(txt: txt, state, &routed, at: now)
        pump(at: now)
    }

    /// Changes the subtypes that a service can be found by.
    ///
    /// - Throws: `RegistrationError`; nothing changes then.
    package mutating func update(
        _ id: OperationID, subtypes: [ServiceSubtype], at now: Instant
    ) throws(RegistrationError) {
        guard let service = services[id]?.description else { throw .unknownRegistration }
        try ServiceRegistration.check(subtypes, of: service.type, in: service.domain)
        let state = hostState
        services[id]?.update(subtypes: subtypes, state, &routed, at: now)
        pump(at: now)
    }

    /// Registers records as they are.
    ///
    /// - Throws: `RegistrationError` if there is none, or one that can't be announced; nothing is
    ///   registered then.
    package mutating func registerRecords(
        _ records: RecordRegistration, at now: Instant
    ) throws(RegistrationError) -> OperationID {
        let set = try RecordPublication.recordSet(records)
        let id = nextOperation()
        let publication = routed.publish(set, for: .operation(id), at: now)
        publications[id] = RecordPublication(publication: publication, records: records)
        updateFailures(of: [id], at: now)
        pump(at: now)
        return id
    }

    /// Puts other records in the place of a registration's. Names that are new are announced
    /// without probing, so unique ones belong into a registration of their own.
    ///
    /// - Throws: `RegistrationError`; nothing changes then.
    package mutating func update(
        _ id: OperationID, records: RecordRegistration, at now: Instant
    ) throws(RegistrationError) {
        guard let publication = publications[id]?.publication else {
            throw .unknownRegistration
        }
        let set = try RecordPublication.recordSet(records)
        publications[id]?.update(records)
        routed.update(publication, to: set, at: now)
        pump(at: now)
    }

    /// Withdraws a registration with a goodbye (RFC 6762 §10.1). The same as `stop`.
    package mutating func unregister(_ id: OperationID, at now: Instant) {
        stop(id, at: now)
    }

    /// Says goodbye for everything and ends all operations. What comes out is still to be sent.
    package mutating func shutdown(at now: Instant) {
        let looking =
            Array(browses.keys) + typeEnumerations.keys + nameEnumerations.keys
            + resolutions.keys + lookups.keys + recordQueries.keys
        let offering = Array(services.keys) + publications.keys
        for id in looking.sorted() { end(id, at: now) }
        routed.engine.withdrawAll(at: now)
        routed.forgetAll()
        host.end()
        for id in registrations { endRegistration(id) }
        publications = [:]
        for id in (looking + offering).sorted() { discardEvents(of: id) }
        pump(at: now)
    }

    /// Gives back what a registration held; its records are withdrawn already.
    mutating func endRegistration(_ id: OperationID) {
        guard let registration = services.removeValue(forKey: id) else { return }
        names.release(registration.name, of: id)
        if let host = registration.proxyName { names.releaseHost(host) }
        registrations.removeAll { $0 == id }
        timers.set(.operation(id), at: nil)
    }
}

extension ServiceRegistration {
    /// The name that a service asks for, with everything else about it checked.
    static func checkedName(
        of service: ServiceDescription, default defaultName: String
    ) throws(RegistrationError) -> ServiceInstanceName {
        do {
            if !service.isLenient { try service.type.checkRules() }
        } catch {
            throw .type(error)
        }
        if service.port == 0, !service.reservesNameOnly, !service.allowsPortZero {
            throw .portMissing
        }
        guard service.domain.isSubdomain(of: .local) else { throw .notLocal(service.domain) }
        try check(service.subtypes, of: service.type, in: service.domain)
        if let host = service.host {
            guard host.name.labelCount > 1, host.name.isSubdomain(of: .local) else {
                throw .notLocal(host.name)
            }
            try HostNaming.check(host.name)
            for address in host.addresses
            where address.isMulticast || address.isUnspecified { throw .badAddress(address) }
        }
        let name: ServiceInstanceName
        do {
            name = try ServiceInstanceName(
                service.name ?? InstanceRenaming.usableDefault(defaultName), type: service.type,
                domain: service.domain)
        } catch {
            throw .instance(error)
        }
        try check(service.txt, of: name)
        return name
    }

    /// Attributes that came from the network may be larger than what one may send.
    static func check(
        _ txt: TXTRecord, of name: ServiceInstanceName
    ) throws(RegistrationError) {
        guard txt.byteCount <= DiscoveryLimits.textRecordBytes else {
            throw .txt(.tooLarge(bytes: txt.byteCount))
        }
        try RecordPublication.checkSize(of: name.domainName, .txt, dataBytes: txt.byteCount)
    }

    static func check(
        _ subtypes: [ServiceSubtype], of type: ServiceType, in domain: DomainName
    ) throws(RegistrationError) {
        var seen: Set<ServiceSubtype> = []
        for subtype in subtypes {
            guard seen.insert(subtype).inserted else { throw .repeatedSubtype(subtype) }
            do {
                _ = try subtype.domainName(of: type, in: domain)
            } catch {
                throw .name(error)
            }
        }
    }
}
