import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// A service's records, and another name when its own is taken.
///
/// PTR, subtype PTRs and the enumeration PTR are shared; SRV and TXT are unique and probed for
/// together with the host's name (RFC 6762 §8.1, RFC 6763 §4 to §9). When the host's name
/// changes, an established SRV is announced anew, one that is still probed for starts again.
struct ServiceRegistration: Sendable {
    /// This host's own name as services need to know it.
    struct Host: Sendable {
        var name: DomainName
        var isSettled: Bool
    }

    let id: OperationID
    private(set) var name: ServiceInstanceName
    private(set) var description: ServiceDescription
    /// The proxy host's name in use.
    private(set) var proxyName: DomainName?
    private var proxyAttempt = 1
    private var publication: PublicationID?
    private var proxyPublication: PublicationID?
    /// The reverse mappings of the proxy host's addresses: a set by themselves, whose conflicts
    /// concern neither the service nor the host.
    private var reversePublication: PublicationID?
    private var isEstablished = false
    private var isProxyEstablished = false
    private var attempts = 1
    private var failure = NamingFailure()
    private var reported: RegistrationStatus?

    init(_ description: ServiceDescription, name: ServiceInstanceName, as id: OperationID) {
        self.id = id
        self.name = name
        self.description = description
        proxyName = description.host?.name
    }

    var usesOwnHost: Bool { description.host == nil }
    var deadline: Instant? { failure.deadline }
    /// The addresses that are published with a proxy host.
    private var proxyAddresses: [IPAddress] { description.host?.addresses ?? [] }

    // MARK: Events

    mutating func publish(_ host: Host, _ engine: inout RoutedEngine, at now: Instant) {
        if !proxyAddresses.isEmpty {
            publishProxy(&engine, at: now)
        }
        publishService(host, &engine, at: now)
    }

    mutating func withdraw(_ engine: inout RoutedEngine, at now: Instant) {
        if let publication { engine.withdraw(publication, at: now) }
        if let proxyPublication { engine.withdraw(proxyPublication, at: now) }
        if let reversePublication { engine.withdraw(reversePublication, at: now) }
        publication = nil
        proxyPublication = nil
        reversePublication = nil
    }

    mutating func update(
        txt: TXTRecord, _ host: Host, _ engine: inout RoutedEngine, at now: Instant
    ) {
        description.txt = txt
        announce(host, &engine, at: now)
    }

    mutating func update(
        subtypes: [ServiceSubtype], _ host: Host, _ engine: inout RoutedEngine, at now: Instant
    ) {
        description.subtypes = subtypes
        announce(host, &engine, at: now)
    }

    /// The host has another name.
    mutating func followHost(_ host: Host, _ engine: inout RoutedEngine, at now: Instant) {
        guard usesOwnHost else { return }
        retarget(host, &engine, at: now)
    }

    /// Handles the status of one of the service's publications. After `.conflicted` the
    /// registration is over.
    mutating func handle(
        _ status: PublicationStatus, of publication: PublicationID, _ host: Host,
        _ names: inout ClaimedNames, _ engine: inout RoutedEngine, at now: Instant
    ) -> [RegistrationStatus] {
        if publication == reversePublication {
            if case .conflicted = status {
                engine.forget(publication)
                reversePublication = nil
            }
            return []
        }
        let isProxy = publication == proxyPublication
        guard isProxy || publication == self.publication else { return [] }
        switch status {
        case .probing:
            if isProxy { isProxyEstablished = false } else { isEstablished = false }
        case .established:
            if isProxy { isProxyEstablished = true } else { isEstablished = true }
        case .conflicted(let lost):
            engine.forget(publication)
            if isProxy { proxyPublication = nil } else { self.publication = nil }
            // RFC 6762 §9 (M9-5, M9-6), unless it is not wanted (M14-2).
            guard description.renamesOnConflict else {
                withdraw(&engine, at: now)
                return [.conflicted(lost)]
            }
            let renamed =
                isProxy
                ? renameProxy(host, &names, &engine, at: now)
                : rename(host, &names, &engine, at: now)
            return renamed + newStatus(host, engine, at: now)
        }
        return newStatus(host, engine, at: now)
    }

    mutating func advance(at now: Instant) -> [RegistrationStatus] {
        guard failure.isDue(by: now) else { return [] }
        let failing = isEstablished ? proxyName ?? name.domainName : name.domainName
        return [.failing(failing, attempts: attempts)]
    }

    /// A name that is not established is being searched for, as long as there is an interface
    /// to probe on. The host's own name has a minute of its own.
    mutating func updateFailure(_ engine: RoutedEngine, at now: Instant) {
        let isClaiming = publication != nil && !(isEstablished && proxyIsEstablished)
        failure.update(
            isClaiming: isClaiming && engine.runs(on: description.interfaces), at: now)
    }

    private var proxyIsEstablished: Bool { proxyPublication == nil || isProxyEstablished }

    /// The status if it changed. A service is established once its host is, too.
    mutating func newStatus(
        _ host: Host, _ engine: RoutedEngine, at now: Instant
    ) -> [RegistrationStatus] {
        updateFailure(engine, at: now)
        guard publication != nil else { return [] }
        let hostIsEstablished = usesOwnHost ? host.isSettled : proxyIsEstablished
        let status: RegistrationStatus =
            isEstablished && hostIsEstablished
            ? .established(name.domainName) : .probing(name.domainName)
        guard status != reported else { return [] }
        reported = status
        return [status]
    }

    // MARK: Other names

    private mutating func rename(
        _ host: Host, _ names: inout ClaimedNames, _ engine: inout RoutedEngine, at now: Instant
    ) -> [RegistrationStatus] {
        let old = name
        attempts += 1
        guard let new = names.freeName(after: name, for: id) else {
            withdraw(&engine, at: now)
            return [.conflicted(old.domainName)]
        }
        names.release(old, of: id)
        names.claim(new, for: id)
        name = new
        publishService(host, &engine, at: now)
        return [.renamed(from: old.domainName, to: new.domainName)]
    }

    private mutating func renameProxy(
        _ host: Host, _ names: inout ClaimedNames, _ engine: inout RoutedEngine, at now: Instant
    ) -> [RegistrationStatus] {
        guard let base = description.host?.name, let label = base.firstLabel,
            let parent = base.parent, let old = proxyName
        else { return [] }
        attempts += 1
        proxyAttempt += 1
        let next = HostNaming.label(label, attempt: proxyAttempt)
        guard let new = try? parent.prepending(next) else {
            withdraw(&engine, at: now)
            return [.conflicted(old)]
        }
        names.releaseHost(old)
        names.claimHost(new, addresses: proxyAddresses)
        proxyName = new
        reported = nil
        publishProxy(&engine, at: now)
        retarget(host, &engine, at: now)
        return [.hostRenamed(from: old, to: new)]
    }

    // MARK: Records

    private mutating func publishService(
        _ host: Host, _ engine: inout RoutedEngine, at now: Instant
    ) {
        isEstablished = false
        publication = engine.publish(serviceSet(host), for: .operation(id), at: now)
    }

    private mutating func announce(
        _ host: Host, _ engine: inout RoutedEngine, at now: Instant
    ) {
        guard let publication else { return }
        engine.update(publication, to: serviceSet(host), at: now)
    }

    /// The SRV names another host now. What was proposed in probes changes with it, so a
    /// probing set starts again; an established one is announced (RFC 6762 §8.4, M8-40).
    private mutating func retarget(
        _ host: Host, _ engine: inout RoutedEngine, at now: Instant
    ) {
        guard let publication else { return }
        if isEstablished {
            engine.update(publication, to: serviceSet(host), at: now)
        } else {
            engine.repropose(publication, as: serviceSet(host), at: now)
        }
    }

    private mutating func publishProxy(_ engine: inout RoutedEngine, at now: Instant) {
        isProxyEstablished = false
        proxyPublication = engine.publish(proxySet(), for: .operation(id), at: now)
        guard description.host?.publishesReverseMapping ?? false else { return }
        if let reversePublication { engine.withdraw(reversePublication, at: now) }
        reversePublication = engine.publish(reverseSet(), for: .operation(id), at: now)
    }

    /// The names of the proxy host's addresses (RFC 6762 §4), left to the host itself or another
    /// proxy should one claim them.
    private func reverseSet() -> RecordSet {
        let name = proxyName ?? .local
        return RecordSet(
            proxyAddresses.map { address in
                let record = ResourceRecord(
                    ReverseMapping.name(of: address), .ptr(name), timeToLive: .host)
                return .init(record, .deferring)
            }, on: description.interfaces)
    }

    private func proxySet() -> RecordSet {
        let name = proxyName ?? .local
        return RecordSet(
            proxyAddresses.map { address in
                .init(ResourceRecord(name, RecordData(address), timeToLive: .host), .unique)
            }, on: description.interfaces)
    }

    private func serviceSet(_ host: Host) -> RecordSet {
        // RFC 6763 §5: a single SRV has priority 0 and weight 0.
        let location = ServiceLocation(target: proxyName ?? host.name, port: description.port)
        let owner = name.domainName
        var members: [RecordSet.Member] = [
            .init(ResourceRecord(owner, .srv(location), timeToLive: .host), .unique)
        ]
        // RFC 6763 §8: a reserved name has neither PTR nor attributes (S8-2, S8-4); all others
        // have both (S6-1).
        if !description.reservesNameOnly {
            let txt = description.txt.textStrings
            members.append(.init(ResourceRecord(owner, .txt(txt), timeToLive: .standard), .unique))
            members += pointers(to: owner)
        }
        return RecordSet(members, on: description.interfaces)
    }

    /// RFC 6763 §4.1, §7.1 and §9: the type's PTR, one for each subtype, and that which names
    /// the type itself.
    private func pointers(to owner: DomainName) -> [RecordSet.Member] {
        let type = description.type
        let domain = description.domain
        guard let typeName = try? type.domainName(in: domain),
            let enumeration = try? TypeEnumeration.domainName(in: domain)
        else { return [] }
        var pairs = [(typeName, owner)]
        for subtype in description.subtypes {
            // RFC 6763 §7.1 (S7-5).
            if let name = try? subtype.domainName(of: type, in: domain) {
                pairs.append((name, owner))
            }
        }
        // RFC 6763 §9 (S9-1).
        pairs.append((enumeration, typeName))
        return pairs.map { name, target in
            .init(ResourceRecord(name, .ptr(target), timeToLive: .standard), .shared)
        }
    }
}
