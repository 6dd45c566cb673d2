import DNSMessages
import MDNS

/// What `mdns reconfirm` is to make sure of: some records, each by its name and type.
struct ReconfirmTarget: Hashable, Sendable {
    /// One question, and when it has its answer.
    struct Check: Hashable, Sendable {
        var name: DomainName
        var type: RecordType
        /// The data that counts; `nil` for any.
        var data: RecordData?
        /// Others may own further records of the name, so one answer does not settle it.
        var isShared = false
    }

    /// How a person calls it.
    let title: String
    let checks: [Check]
    /// Whether one of the checks is enough: a host need not have addresses of both kinds.
    let oneIsEnough: Bool
    /// Whether it was given as an address.
    let isAddress: Bool

    private init(
        _ title: String, _ checks: [Check], oneIsEnough: Bool = false, isAddress: Bool = false
    ) {
        self.title = title
        self.checks = checks
        self.oneIsEnough = oneIsEnough
        self.isAddress = isAddress
    }

    /// Reads the arguments of the command.
    init(_ words: [String]) throws {
        guard words.count == 2 else {
            try self.init(words[0])
            return
        }
        if words[1].split(separator: ".").contains(where: { $0.hasPrefix("_") }) {
            let subtype = try BrowsedType(words[1]).subtype
            try self.init(Resolve.instanceName(words), subtype: subtype)
            return
        }
        guard let type = RecordType(words[1]) else {
            throw UsageError("'\(words[1])' is neither a record type nor a type of service")
        }
        let name = try Self.name { () throws(NameError) in try DomainName(words[0]) }
        // Of a reverse mapping there is one owner, of other pointers there may be many.
        let isShared = type == .any || type == .ptr && ReverseMapping.address(of: name) == nil
        self.init("\(name) \(type)", [Check(name: name, type: type, isShared: isShared)])
    }

    /// All services of a type, one by its whole name, an address, or a host.
    private init(_ text: String) throws {
        if text.hasPrefix("_") {
            let list = try Self.list(BrowsedType(text))
            self.init(text, [Check(name: list, type: .ptr, isShared: true)])
        } else if let address = IPAddress(text) {
            self.init(
                text, [Check(name: ReverseMapping.name(of: address), type: .ptr)], isAddress: true)
        } else if let instance = try Self.instance(text) {
            try self.init(instance, subtype: nil)
        } else {
            let host = try Self.name { () throws(NameError) in try HostNaming.lookupName(text) }
            self.init(
                host.description, [Check(name: host, type: .a), Check(name: host, type: .aaaa)],
                oneIsEnough: true)
        }
    }

    /// A service: where it is, what it says of itself, and the pointers that list it.
    private init(_ instance: ServiceInstanceName, subtype: ServiceSubtype?) throws {
        let name = instance.domainName
        var lists = [
            try Self.list(.init(type: instance.type, subtype: nil), in: instance.domain)
        ]
        if let subtype {
            lists.append(
                try Self.list(.init(type: instance.type, subtype: subtype), in: instance.domain))
        }
        self.init(
            instance.instance,
            [Check(name: name, type: .srv), Check(name: name, type: .txt)]
                + lists.map { Check(name: $0, type: .ptr, data: .ptr(name)) })
    }

    /// The instance that `My Printer._ipp._tcp` names, with or without the domain, the dots of
    /// the instance escaped or not; `nil` if there is no type of service in it.
    private static func instance(_ text: String) throws -> ServiceInstanceName? {
        let labels = Array(try name { () throws(NameError) in try DomainName(text) }.labels)
        let at = labels.indices.dropLast().last { ServiceType(labels[$0], labels[$0 + 1]) != nil }
        guard let at, at > 0, let type = ServiceType(labels[at], labels[at + 1]) else {
            return nil
        }
        var domain = DomainName.root
        for label in labels[(at + 2)...].reversed() {
            let parent = domain
            domain = try name { () throws(NameError) in try parent.prepending(label) }
        }
        if domain.isRoot { domain = .local }
        if at == 1 {
            // One label is taken byte for byte.
            let parent = domain
            return ServiceInstanceName(
                try name { () throws(NameError) in
                    try type.domainName(in: parent).prepending(labels[0])
                })
        }
        do throws(InstanceNameError) {
            return try ServiceInstanceName(
                labels[..<at].map { $0.text }.joined(separator: "."), type: type, domain: domain)
        } catch {
            throw MDNSError(error)
        }
    }

    /// The name that lists the services of a type.
    private static func list(
        _ browsed: BrowsedType, in domain: DomainName = .local
    ) throws(MDNSError) -> DomainName {
        try name { () throws(NameError) in
            if let subtype = browsed.subtype {
                return try subtype.domainName(of: browsed.type, in: domain)
            }
            return try browsed.type.domainName(in: domain)
        }
    }

    private static func name(
        _ body: () throws(NameError) -> DomainName
    ) throws(MDNSError) -> DomainName {
        do throws(NameError) {
            return try body()
        } catch {
            throw MDNSError(error)
        }
    }
}
