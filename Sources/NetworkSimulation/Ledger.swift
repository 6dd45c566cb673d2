package import DNS
package import DNSSD
package import NetworkPrimitives

/// The truth about a run: what hosts offer and look for, and what they were told of it.
package struct Ledger: Sendable {
    /// A service, or a host's own name, that a host offers.
    package struct Offer: Sendable {
        package let host: HostID
        /// The registration; nil for the host's own name.
        package let operation: OperationID?
        /// The type's name; the root for a host's own name.
        package let type: DomainName
        package internal(set) var name: DomainName?
        package internal(set) var isEstablished = false
    }

    /// A running browse and what it was told is there.
    package struct Browse: Sendable {
        package let host: HostID
        package let operation: OperationID
        package let type: DomainName
        /// Sorted before it is walked.
        package internal(set) var found: Set<Found> = []
    }

    /// An instance on an interface.
    package struct Found: Hashable, Sendable, Comparable {
        package let name: DomainName
        package let interface: InterfaceIndex

        package static func < (left: Found, right: Found) -> Bool {
            (left.interface, left.name) < (right.interface, right.name)
        }
    }

    package private(set) var offers: [Offer] = []
    package private(set) var browses: [Browse] = []
    /// Renames of all hosts so far.
    package private(set) var renames = 0
    /// Who has ever wanted a name; for look-up only.
    private var claims: [DomainName: Set<HostID>] = [:]

    // MARK: Bookkeeping

    mutating func offered(_ operation: OperationID, _ type: DomainName, by host: HostID) {
        offers.append(Offer(host: host, operation: operation, type: type))
    }

    mutating func withdrew(_ operation: OperationID, by host: HostID) {
        offers.removeAll { $0.host == host && $0.operation == operation }
    }

    mutating func browses(_ operation: OperationID, _ type: DomainName, by host: HostID) {
        browses.append(Browse(host: host, operation: operation, type: type))
    }

    mutating func stopped(_ operation: OperationID, by host: HostID) {
        browses.removeAll { $0.host == host && $0.operation == operation }
    }

    /// A crash: nothing that the host offered or looked for is left.
    mutating func forget(_ host: HostID) {
        offers.removeAll { $0.host == host }
        browses.removeAll { $0.host == host }
    }

    /// Whether somebody else has ever wanted that name too.
    package func isContested(_ name: DomainName, by host: HostID) -> Bool {
        claims[name].map { $0.contains { $0 != host } } ?? false
    }

    // MARK: News

    /// Takes in what a host was told; what is returned must not happen.
    mutating func told(_ event: HostEvent, by host: HostID) -> [String] {
        switch event {
        case .engine: []
        case .hostName(let status): hostName(status, of: host)
        case .operation(let id, .registration(let status)): registration(status, of: id, by: host)
        case .operation(let id, .browse(let change)): browse(change, of: id, by: host)
        case .operation: []
        }
    }

    private mutating func hostName(_ status: HostNameStatus, of host: HostID) -> [String] {
        if !offers.contains(where: { $0.host == host && $0.operation == nil }) {
            offers.append(Offer(host: host, operation: nil, type: .root))
        }
        guard let index = offers.firstIndex(where: { $0.host == host && $0.operation == nil })
        else { return [] }
        switch status {
        case .probing(let name): claim(name, established: false, at: index)
        case .established(let name): claim(name, established: true, at: index)
        case .renamed(let old, let new): return rename(old, new, at: index)
        case .failing: break
        }
        return []
    }

    private mutating func registration(
        _ status: RegistrationStatus, of id: OperationID, by host: HostID
    ) -> [String] {
        guard let index = offers.firstIndex(where: { $0.host == host && $0.operation == id })
        else { return [] }
        switch status {
        case .probing(let name): claim(name, established: false, at: index)
        case .established(let name): claim(name, established: true, at: index)
        case .renamed(let old, let new): return rename(old, new, at: index)
        case .conflicted: offers.remove(at: index)
        case .hostRenamed, .failing: break
        }
        return []
    }

    private mutating func claim(_ name: DomainName, established: Bool, at index: Int) {
        offers[index].name = name
        offers[index].isEstablished = established
        claims[name, default: []].insert(offers[index].host)
    }

    private mutating func rename(
        _ old: DomainName, _ new: DomainName, at index: Int
    ) -> [String] {
        renames += 1
        let host = offers[index].host
        let isContested = isContested(old, by: host)
        claim(new, established: false, at: index)
        return isContested ? [] : ["renamed from \(old), which nobody else ever wanted"]
    }

    private mutating func browse(
        _ change: BrowseChange, of id: OperationID, by host: HostID
    ) -> [String] {
        guard let index = browses.firstIndex(where: { $0.host == host && $0.operation == id })
        else { return ["news for a browse that was stopped"] }
        let found = Found(
            name: change.instance.name.domainName, interface: change.instance.interface)
        switch change {
        case .added:
            return browses[index].found.insert(found).inserted ? [] : ["\(found.name) added twice"]
        case .removed:
            return browses[index].found.remove(found) != nil ? [] : ["\(found.name) removed twice"]
        case .changed:
            return browses[index].found.contains(found) ? [] : ["\(found.name) changed unseen"]
        }
    }
}
