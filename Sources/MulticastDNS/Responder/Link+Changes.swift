import DNSMessages
import NetworkPrimitives

// Changed and withdrawn records. Read RFC 6762 §8.4 and §10.1.

extension Link {
    /// Replaces a publication's records on the link.
    ///
    /// A shared record that goes says goodbye; a unique one whose set lives on is flushed by its
    /// successor, so it needs none (RFC 6762 §8.4). Names that are new have to be won first.
    mutating func change(_ id: PublicationID, to set: RecordSet, _ context: inout Context) {
        guard let before = publications[id] else { return }
        let oldNames = Set(
            before.slots.filter { own[$0].ownership.isProbed }.map { own[$0].record.name })
        var slots: [Int] = []
        for member in set.members {
            let slot = hold(member, id, &context)
            if !slots.contains(slot) { slots.append(slot) }
        }
        publications[id]?.slots = slots
        let gone = before.slots.filter { !slots.contains($0) }
            .flatMap { release($0, id, &context) }
        // Old data of shared records is taken back (RFC 6762 §8.4, M8-41).
        sendGoodbyes(gone.filter { !isSucceeded($0) }, &context)

        let isNewName = set.members.contains {
            $0.ownership.isProbed && !oldNames.contains($0.record.name)
        }
        // A name that is new, or not won yet, has to be won (M8-3); data alone has not (M8-40).
        if isNewName || !before.isWon {
            probeAgain(id, at: context.now, &context)
        } else {
            for slot in slots { own[slot].isActive = true }
            announceAnew(id, &context)
        }
    }

    /// Whether a unique record of the same name and type is there still.
    private func isSucceeded(_ record: ResourceRecord) -> Bool {
        own.slots(named: record.name).contains {
            // Its successor has the flush bit (RFC 6762 §8.4, M8-41, M8-42).
            own[$0].isUnique && own[$0].record.type == record.type
        }
    }
}
