import DNSMessages
import NetworkPrimitives

/// A publication as its publisher sees it, on all interfaces.
struct Publication: Sendable {
    var set: RecordSet
    /// The status that its publisher got last.
    var reported: PublicationStatus?
    /// When all updates of the burst may be made again: each moves it on by an interval
    /// (RFC 6762 §8.4).
    var updatesReplenished = Instant.zero
    /// An update that waits until it may be announced.
    var waiting: (set: RecordSet, due: Instant)?
}

/// All publications, walked in the order of their ids.
struct PublicationTable: Sendable {
    private var publications: [PublicationID: Publication] = [:]
    /// In order.
    private(set) var ids: [PublicationID] = []
    private var waiting: [PublicationID] = []

    subscript(id: PublicationID) -> Publication? {
        get { publications[id] }
        _modify { yield &publications[id] }
    }

    /// When the next waiting update may be announced.
    var deadline: Instant? { waiting.compactMap { publications[$0]?.waiting?.due }.min() }

    mutating func add(_ id: PublicationID, _ set: RecordSet) {
        publications[id] = Publication(set: set)
        ids.append(id)
    }

    /// False if it was not there.
    mutating func remove(_ id: PublicationID) -> Bool {
        guard publications.removeValue(forKey: id) != nil else { return false }
        waiting.removeAll { $0 == id }
        ids.remove(at: ids.partitionIndex { $0 < id })
        return true
    }

    /// Whether the update may be made now; otherwise it is kept until it may, and replaces what
    /// waits already (M8-38, M8-43).
    mutating func requestUpdate(_ id: PublicationID, to set: RecordSet, at now: Instant) -> Bool {
        guard let publication = publications[id] else { return false }
        let burst = Timing.updateInterval * (Timing.updateBurst - 1)
        let earliest = publication.updatesReplenished.advanced(by: .zero - burst)
        if publication.waiting == nil, earliest <= now {
            noteUpdate(id, at: now)
            return true
        }
        if publication.waiting == nil { waiting.append(id) }
        publications[id]?.waiting = (set, publication.waiting?.due ?? earliest)
        return false
    }

    /// Another set takes the place of whatever waits; false if the publication is not there.
    mutating func replaceSet(of id: PublicationID) -> Bool {
        guard publications[id] != nil else { return false }
        publications[id]?.waiting = nil
        waiting.removeAll { $0 == id }
        return true
    }

    private mutating func noteUpdate(_ id: PublicationID, at now: Instant) {
        let start = max(publications[id]?.updatesReplenished ?? now, now)
        publications[id]?.updatesReplenished = start.advanced(by: Timing.updateInterval)
    }

    mutating func takeDueUpdates(by now: Instant) -> [(PublicationID, RecordSet)] {
        guard !waiting.isEmpty else { return [] }
        var due: [(PublicationID, RecordSet)] = []
        for id in waiting {
            guard let update = publications[id]?.waiting, update.due <= now else { continue }
            publications[id]?.waiting = nil
            noteUpdate(id, at: now)
            due.append((id, update.set))
        }
        waiting.removeAll { publications[$0]?.waiting == nil }
        return due
    }
}
