import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// The engine, and for whom each of its queries and publications runs.
struct RoutedEngine: Sendable {
    /// For whom records are published.
    enum Publisher: Hashable, Sendable {
        /// For a registration.
        case operation(OperationID)
        /// For this host's own name.
        case host
    }

    var engine: Engine
    /// Whether names outside the link's domains are asked for as well.
    private let multicastsAnyName: Bool
    /// The interfaces that multicast DNS runs on.
    private(set) var interfaces: [NetworkInterface] = []
    /// For look-up only.
    private var queries: [QueryID: OperationID] = [:]
    /// For look-up only.
    private var publications: [PublicationID: Publisher] = [:]

    init(engine: Engine, multicastsAnyName: Bool) {
        self.engine = engine
        self.multicastsAnyName = multicastsAnyName
    }

    /// The interface as it is now; `nil` for one that is gone.
    func interface(_ index: InterfaceIndex) -> NetworkInterface? {
        interfaces.first { $0.index == index }
    }

    /// Whether a name is asked for by multicast: one of the link, or any name if the user said so
    /// (M13-1, M13-2).
    func mayAsk(for name: DomainName) -> Bool { multicastsAnyName || name.isLinkLocal }

    /// Whether multicast DNS runs on one of those interfaces.
    func runs(on selection: InterfaceSelection) -> Bool {
        interfaces.contains { selection.contains($0) }
    }

    mutating func update(interfaces: [NetworkInterface], at now: Instant) {
        engine.update(interfaces: interfaces, at: now)
        self.interfaces = engine.activeInterfaces
    }

    func operation(of query: QueryID) -> OperationID? { queries[query] }
    func publisher(of publication: PublicationID) -> Publisher? { publications[publication] }

    mutating func startQuery(
        _ question: Question, on selection: InterfaceSelection, for operation: OperationID,
        at now: Instant
    ) -> QueryID {
        let id = engine.startQuery(question, on: selection, at: now)
        queries[id] = operation
        return id
    }

    mutating func stopQuery(_ id: QueryID, at now: Instant) {
        guard queries.removeValue(forKey: id) != nil else { return }
        engine.stopQuery(id, at: now)
    }

    mutating func publish(
        _ set: RecordSet, for publisher: Publisher, at now: Instant
    ) -> PublicationID {
        let id = engine.publish(set, at: now)
        publications[id] = publisher
        return id
    }

    mutating func update(_ id: PublicationID, to set: RecordSet, at now: Instant) {
        guard publications[id] != nil else { return }
        engine.update(id, to: set, at: now)
    }

    mutating func repropose(_ id: PublicationID, as set: RecordSet, at now: Instant) {
        guard publications[id] != nil else { return }
        engine.repropose(id, as: set, at: now)
    }

    mutating func withdraw(_ id: PublicationID, at now: Instant) {
        guard publications.removeValue(forKey: id) != nil else { return }
        engine.withdraw(id, at: now)
    }

    /// The engine has withdrawn it by itself.
    mutating func forget(_ id: PublicationID) {
        publications[id] = nil
    }

    mutating func forgetAll() {
        publications = [:]
    }
}
