import DNSMessages
import NetworkPrimitives

/// A publication as its publisher sees it, on all interfaces.
struct Publication: Sendable {
    var set: RecordSet
    /// What its publisher was told last.
    var reported: PublicationStatus?
    /// When its last updates were announced, oldest first (RFC 6762 §8.4).
    var updateTimes: [Instant] = []
    /// An update that waits until it may be announced.
    var waiting: (set: RecordSet, due: Instant)?
}

/// All publications, walked in the order of their ids.
struct PublicationTable: Sendable {
    private var publications: [PublicationID: Publication] = [:]
    private var order: [PublicationID] = []
    private var waiting: [PublicationID] = []

    subscript(id: PublicationID) -> Publication? {
        get { publications[id] }
        _modify { yield &publications[id] }
    }

    /// In order.
    var ids: [PublicationID] { order }

    /// When the next waiting update may be announced.
    var deadline: Instant? { waiting.compactMap { publications[$0]?.waiting?.due }.min() }

    mutating func add(_ id: PublicationID, _ set: RecordSet) {
        publications[id] = Publication(set: set)
        order.append(id)
    }

    /// False if it was not there.
    mutating func remove(_ id: PublicationID) -> Bool {
        guard publications.removeValue(forKey: id) != nil else { return false }
        waiting.removeAll { $0 == id }
        var low = 0
        var high = order.count
        while low < high {
            let middle = (low + high) / 2
            if order[middle] < id { low = middle + 1 } else { high = middle }
        }
        if low < order.count, order[low] == id { order.remove(at: low) }
        return true
    }

    /// Whether the update may be made now; otherwise it is kept until it may.
    mutating func requestUpdate(_ id: PublicationID, to set: RecordSet, at now: Instant) -> Bool {
        guard var publication = publications[id] else { return false }
        defer { publications[id] = publication }
        publication.updateTimes.removeAll { $0.duration(to: now) >= Timing.updateWindow }
        // (RFC 6762 §8.4, M8-38, M8-43)
        if publication.updateTimes.count < Timing.updateCount, publication.waiting == nil {
            publication.updateTimes.append(now)
            return true
        }
        let first = publication.updateTimes.first ?? now
        let due = publication.waiting?.due ?? first.advanced(by: Timing.updateWindow)
        if publication.waiting == nil { waiting.append(id) }
        publication.waiting = (set, due)
        return false
    }

    mutating func takeDueUpdates(by now: Instant) -> [(PublicationID, RecordSet)] {
        guard !waiting.isEmpty else { return [] }
        var due: [(PublicationID, RecordSet)] = []
        for id in waiting {
            guard let update = publications[id]?.waiting, update.due <= now else { continue }
            publications[id]?.waiting = nil
            publications[id]?.updateTimes.removeAll { $0.duration(to: now) >= Timing.updateWindow }
            publications[id]?.updateTimes.append(now)
            due.append((id, update.set))
        }
        waiting.removeAll { publications[$0]?.waiting == nil }
        return due
    }
}
