package import DNSMessages
import MulticastDNS
package import NetworkPrimitives

/// Finding services, types, domains, hosts and records.
extension Discovery {
    /// Checks that a name which the user gives may be asked for by multicast (RFC 6762 §13,
    /// M13-1): to be called before anything is started for it. Names that answers lead to are
    /// checked here.
    ///
    /// - Throws: `QueryError.unicastName`.
    package func checkMulticast(_ name: DomainName) throws(QueryError) {
        guard routed.mayAsk(for: name) else { throw .unicastName(name) }
    }

    /// Looks for the instances of a type, or of one of its subtypes (RFC 6763 §4, §7.1).
    ///
    /// - Throws: `NameError.nameTooLong`.
    package mutating func startBrowse(
        _ type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local,
        detail: BrowseDetail = .names, on selection: InterfaceSelection = .all, at now: Instant
    ) throws(NameError) -> OperationID {
        let name =
            if let subtype { try subtype.domainName(of: type, in: domain) } else {
                try type.domainName(in: domain)
            }
        let id = nextOperation()
        let query = routed.startQuery(Question(name, .ptr), on: selection, for: id, at: now)
        browses[id] = ServiceBrowse(query: query, detail: detail)
        pump(at: now)
        return id
    }

    /// Looks for the service types that are offered (RFC 6763 §9).
    ///
    /// - Throws: `NameError.nameTooLong`.
    package mutating func startTypeEnumeration(
        domain: DomainName = .local, on selection: InterfaceSelection = .all, at now: Instant
    ) throws(NameError) -> OperationID {
        let name = try TypeEnumeration.domainName(in: domain)
        let id = nextOperation()
        let query = routed.startQuery(Question(name, .ptr), on: selection, for: id, at: now)
        typeEnumerations[id] = TypeEnumeration(query: query)
        pump(at: now)
        return id
    }

    /// Looks for domains that are recommended for something (RFC 6763 §11).
    ///
    /// - Throws: `NameError.nameTooLong`.
    package mutating func startDomainEnumeration(
        _ kind: DomainEnumeration, domain: DomainName = .local,
        on selection: InterfaceSelection = .all, at now: Instant
    ) throws(NameError) -> OperationID {
        startNames(try kind.domainName(in: domain), .domains, on: selection, at: now)
    }

    /// Looks for the names of an address (RFC 6762 §4).
    ///
    /// Any address may be asked for, not only link-local ones: who gives an address asks for it,
    /// and hosts on the link answer for all they have.
    package mutating func startReverseLookup(
        _ address: IPAddress, on selection: InterfaceSelection = .all, at now: Instant
    ) -> OperationID {
        startNames(ReverseMapping.name(of: address), .hosts, on: selection, at: now)
    }

    /// Finds out where a service is, and follows it (RFC 6763 §5).
    package mutating func startResolve(
        _ name: ServiceInstanceName, on selection: InterfaceSelection = .all, at now: Instant
    ) -> OperationID {
        let id = startResolution(name, on: selection, for: .starter, at: now)
        pump(at: now)
        return id
    }

    /// Looks for the addresses of a host, its aliases followed.
    package mutating func startAddressLookup(
        host: DomainName, families: Set<AddressFamily> = [.ipv4, .ipv6],
        on selection: InterfaceSelection = .all, at now: Instant
    ) -> OperationID {
        let id = nextOperation()
        lookups[id] = AddressLookup(
            host: host, families: families, on: selection, for: id, engine: &routed, at: now)
        pump(at: now)
        return id
    }

    /// Looks for records as they are.
    package mutating func startQuery(
        _ question: Question, on selection: InterfaceSelection = .all, at now: Instant
    ) -> OperationID {
        let id = nextOperation()
        let query = routed.startQuery(question, on: selection, for: id, at: now)
        recordQueries[id] = query
        pump(at: now)
        return id
    }

    /// Ends an operation of any kind; there are no events of it afterwards. A registration says
    /// goodbye.
    package mutating func stop(_ id: OperationID, at now: Instant) {
        end(id, at: now)
        discardEvents(of: id)
        pump(at: now)
    }

    /// As `stop`, without draining the engine.
    mutating func end(_ id: OperationID, at now: Instant) {
        timers.set(.operation(id), at: nil)
        changed.removeAll { $0 == id }
        if let browse = browses.removeValue(forKey: id) {
            routed.stopQuery(browse.query, at: now)
            for resolution in browse.resolutions { end(resolution, at: now) }
        } else if let enumeration = typeEnumerations.removeValue(forKey: id) {
            routed.stopQuery(enumeration.query, at: now)
        } else if let enumeration = nameEnumerations.removeValue(forKey: id) {
            routed.stopQuery(enumeration.query, at: now)
        } else if var resolution = resolutions.removeValue(forKey: id) {
            resolution.stop(&routed, at: now)
        } else if var lookup = lookups.removeValue(forKey: id) {
            lookup.stop(&routed, at: now)
        } else if let query = recordQueries.removeValue(forKey: id) {
            routed.stopQuery(query, at: now)
        } else if let records = publications.removeValue(forKey: id) {
            routed.withdraw(records.publication, at: now)
        } else if services[id] != nil {
            services[id]?.withdraw(&routed, at: now)
            endRegistration(id)
        }
    }

    /// Reconfirms a cached record: if no one answers within ten seconds it is removed
    /// (RFC 6762 §10.4).
    package mutating func reconfirm(
        _ record: ResourceRecord, on selection: InterfaceSelection = .all, at now: Instant
    ) {
        routed.engine.reconfirm(record, on: selection, at: now)
        pump(at: now)
    }

    /// Reconfirms an instance: its SRV records that are known, and the PTR that lists it.
    package mutating func reconfirm(
        _ instance: ServiceInstanceName, on selection: InterfaceSelection = .all,
        at now: Instant
    ) {
        var records: [ResourceRecord] = []
        for (_, resolution) in resolutions.sorted(by: { $0.key < $1.key })
        where resolution.name == instance {
            for (location, _) in resolution.knownLocations {
                let record = ResourceRecord(
                    instance.domainName, .srv(location), timeToLive: .host)
                if !records.contains(record) { records.append(record) }
            }
        }
        if let type = try? instance.type.domainName(in: instance.domain) {
            records.append(
                ResourceRecord(type, .ptr(instance.domainName), timeToLive: .standard))
        }
        for record in records { routed.engine.reconfirm(record, on: selection, at: now) }
        pump(at: now)
    }

    mutating func startResolution(
        _ name: ServiceInstanceName, on selection: InterfaceSelection,
        for audience: ServiceResolution.Audience, at now: Instant
    ) -> OperationID {
        let id = nextOperation()
        resolutions[id] = ServiceResolution(
            name, on: selection, for: audience, as: id, engine: &routed, at: now)
        return id
    }

    private mutating func startNames(
        _ name: DomainName, _ kind: NameEnumeration.Kind, on selection: InterfaceSelection,
        at now: Instant
    ) -> OperationID {
        let id = nextOperation()
        let query = routed.startQuery(Question(name, .ptr), on: selection, for: id, at: now)
        nameEnumerations[id] = NameEnumeration(query: query, kind: kind)
        pump(at: now)
        return id
    }
}
