package import DNSMessages
package import DNSSD
import LinuxNetworking
package import NetworkPrimitives

// What can be asked of a node. Each operation goes on until it is stopped; all throw `MDNSError`
// for an interface that does not exist and for a closed node.
extension DiscoveryNode {
    /// Browses for the services of a type (RFC 6763 §4).
    package mutating func startBrowse(
        _ type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local,
        detail: BrowseDetail = .names, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: domain, on: interfaces) { discovery, now throws(NameError) in
            try discovery.startBrowse(
                type, subtype: subtype, domain: domain, detail: detail, on: interfaces, at: now)
        }
    }

    /// Browses for the types of service that there are (RFC 6763 §9).
    package mutating func startTypeEnumeration(
        domain: DomainName = .local, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: domain, on: interfaces) { discovery, now throws(NameError) in
            try discovery.startTypeEnumeration(domain: domain, on: interfaces, at: now)
        }
    }

    /// Browses for the domains that the network recommends (RFC 6763 §11).
    package mutating func startDomainEnumeration(
        _ kind: DomainEnumeration, domain: DomainName = .local,
        on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: domain, on: interfaces) { discovery, now throws(NameError) in
            try discovery.startDomainEnumeration(kind, domain: domain, on: interfaces, at: now)
        }
    }

    /// Watches where a service is and what it says of itself.
    package mutating func startResolve(
        _ name: ServiceInstanceName, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: name.domainName, on: interfaces) { discovery, now throws(NameError) in
            discovery.startResolve(name, on: interfaces, at: now)
        }
    }

    /// Watches the addresses of a host.
    package mutating func startAddressLookup(
        of host: DomainName, families: Set<AddressFamily> = [.ipv4, .ipv6],
        on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: host, on: interfaces) { discovery, now throws(NameError) in
            discovery.startAddressLookup(host: host, families: families, on: interfaces, at: now)
        }
    }

    /// Watches the names of an address, of whatever kind it is: hosts answer for all they have.
    package mutating func startReverseLookup(
        _ address: IPAddress, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: nil, on: interfaces) { discovery, now throws(NameError) in
            discovery.startReverseLookup(address, on: interfaces, at: now)
        }
    }

    /// Watches the records of a name: a continuous query (RFC 6762 §5.2).
    package mutating func startQuery(
        _ question: Question, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) -> OperationID {
        try start(asking: question.name, on: interfaces) { discovery, now throws(NameError) in
            discovery.startQuery(question, on: interfaces, at: now)
        }
    }

    private mutating func start(
        asking name: DomainName?, on interfaces: InterfaceSelection,
        _ begin: (inout Discovery, Instant) throws(NameError) -> OperationID
    ) throws(MDNSError) -> OperationID {
        try driver.check(interfaces)
        if let name { try driver.checkMulticast(name) }
        try checkOpen()
        let now = SystemClock.now
        reviewPort(at: now)
        let id: OperationID
        do throws(NameError) {
            id = try begin(&driver.discovery, now)
        } catch {
            throw MDNSError(error)
        }
        settle(at: now)
        return id
    }

    /// Has everything reported that is known of an operation, if only in part.
    package mutating func reportKnown(of id: OperationID) {
        let now = SystemClock.now
        driver.discovery.reportKnown(of: id, at: now)
        settle(at: now)
    }

    /// Ends an operation; a registration is withdrawn with a goodbye.
    package mutating func stop(_ id: OperationID) {
        let now = SystemClock.now
        driver.discovery.stop(id, at: now)
        forget(id)
        events.removeAll { $0.id == id }
        settle(at: now)
        reviewPort(at: now)
    }

    /// Nothing more is reported of a registration.
    mutating func forget(_ id: OperationID) {
        guard registrations.removeValue(forKey: id) != nil else { return }
        unsettledRegistrations.remove(id)
        stopRetryingIfNothingFails()
    }

    // MARK: Reconfirmation

    /// Reconfirms a cached record (RFC 6762 §10.4).
    package mutating func reconfirm(
        _ record: ResourceRecord, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) {
        try reconfirm(on: interfaces) { discovery, now in
            discovery.reconfirm(record, on: interfaces, at: now)
        }
    }

    /// Reconfirms all that is cached of a service (RFC 6762 §10.4).
    package mutating func reconfirm(
        _ name: ServiceInstanceName, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) {
        try reconfirm(on: interfaces) { discovery, now in
            discovery.reconfirm(name, on: interfaces, at: now)
        }
    }

    private mutating func reconfirm(
        on interfaces: InterfaceSelection, _ body: (inout Discovery, Instant) -> Void
    ) throws(MDNSError) {
        try checkOpen()
        try driver.check(interfaces)
        let now = SystemClock.now
        body(&driver.discovery, now)
        settle(at: now)
    }

    // MARK: Registrations

    /// Offers a service. Its name is probed for first; if it is taken, another is chosen, unless
    /// the description says otherwise.
    package mutating func register(
        _ service: ServiceDescription
    ) throws(MDNSError) -> OperationID {
        try offer(on: service.interfaces) { discovery, now throws(RegistrationError) in
            try discovery.register(service, at: now)
        }
    }

    /// Offers records as they are, beside any service.
    package mutating func register(
        _ records: RecordRegistration
    ) throws(MDNSError) -> OperationID {
        try offer(on: records.interfaces) { discovery, now throws(RegistrationError) in
            try discovery.registerRecords(records, at: now)
        }
    }

    private mutating func offer(
        on interfaces: InterfaceSelection,
        _ begin: (inout Discovery, Instant) throws(RegistrationError) -> OperationID
    ) throws(MDNSError) -> OperationID {
        try driver.check(interfaces)
        try checkOpen()
        let now = SystemClock.now
        driver.reviewPort(offersSomething: true, at: now)
        let id: OperationID
        do throws(RegistrationError) {
            id = try begin(&driver.discovery, now)
        } catch {
            reviewPort(at: now)
            throw MDNSError(error)
        }
        registrations[id] = RegistrationState(interfaces: interfaces)
        settle(at: now)
        return id
    }

    /// Where a registration stands, as was last reported.
    package func reportedStatus(of id: OperationID) -> RegistrationStatus? {
        registrations[id]?.reported
    }

    /// Changes the TXT record of a service and announces it without delay.
    package mutating func update(_ id: OperationID, txt: TXTRecord) throws(MDNSError) {
        try change { discovery, now throws(RegistrationError) in
            try discovery.update(id, txt: txt, at: now)
        }
    }

    /// Changes the subtypes that a service can be found by.
    package mutating func update(
        _ id: OperationID, subtypes: [ServiceSubtype]
    ) throws(MDNSError) {
        try change { discovery, now throws(RegistrationError) in
            try discovery.update(id, subtypes: subtypes, at: now)
        }
    }

    private mutating func change(
        _ body: (inout Discovery, Instant) throws(RegistrationError) -> Void
    ) throws(MDNSError) {
        try checkOpen()
        let now = SystemClock.now
        do throws(RegistrationError) {
            try body(&driver.discovery, now)
        } catch {
            throw MDNSError(error)
        }
        settle(at: now)
    }
}
