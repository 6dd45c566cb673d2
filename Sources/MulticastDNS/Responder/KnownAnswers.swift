import DNSMessages
import NetworkPrimitives

// What a querier knows already. Read RFC 6762 §7.1 and §7.2.

extension Responder {
    /// Leaves out what the querier knows well enough: with half of the true lifetime left,
    /// exactly half included (M7-3, M7-4). A unique set is left out as a whole or not at all
    /// (RFC 6762 §10.2).
    mutating func withoutKnown(
        _ answers: [RecordHandle], _ known: [ResourceRecord], _ context: inout Context
    ) -> [RecordHandle] {
        guard !known.isEmpty, !answers.isEmpty else { return answers }
        let knownHandles = knownHandles(known)
        let unknown = answers.filter { !knownHandles.contains($0) }
        let needed = RecordSelection(unknown, of: records).handles
        context.statistics.suppressedByKnownAnswer += answers.count - needed.count
        return needed
    }

    /// Our records that the querier knows well enough.
    private func knownHandles(_ known: [ResourceRecord]) -> Set<RecordHandle> {
        var handles: Set<RecordHandle> = []
        for record in known {
            guard let name = records.handle(of: record.name) else { continue }
            let handle =
                record.type == .nsec
                ? records[name].negative : records.handle(of: record, at: name)
            guard let handle else { continue }
            let mine = records[handle].record
            if 2 * UInt64(record.timeToLive.rawValue) >= UInt64(mine.timeToLive.rawValue),
                record.isSameRecord(as: mine)
            {
                handles.insert(handle)
            }
        }
        return handles
    }

    // MARK: Known answers in several packets

    /// More known answers of this host are on their way (M7-12, M18-16), remembered for a bounded
    /// number of hosts (D-28).
    mutating func expectKnownAnswers(from source: IPAddress, _ context: Context) {
        truncatedQueriers.removeAll { $0.source == source || $0.until < context.now }
        guard truncatedQueriers.count < context.limits.truncatedQueriers else { return }
        let until = context.now.advanced(by: Timing.truncatedQueryDelay.upperBound)
        truncatedQueriers.append((source, until))
    }

    /// A query without a question brings more known answers of a host that announced them
    /// (D-23); they are matched by its address (M15-3), with what waits for it alone: multicast
    /// answers, direct and legacy replies (M7-12). Each packet with TC puts the answers off, with
    /// one delay for all so that they leave together (M7-13).
    mutating func appendKnownAnswers(_ query: ReceivedQuery, _ context: inout Context) {
        let source = query.info.source.address
        guard truncatedQueriers.contains(where: { $0.source == source && $0.until >= context.now })
        else {
            context.statistics.unmatchedKnownAnswers += 1
            return
        }
        let isTruncated = query.message.header.isTruncated
        let delay = context.generator.duration(in: Timing.truncatedQueryDelay)
        let due = context.now.advanced(by: delay)
        let known = knownHandles(query.message.answers)
        for handle in pending
        where records.contains(handle) && records[handle].pending?.soleQuerier == source {
            if known.contains(handle) {
                records[handle].pending?.families = []
                context.statistics.suppressedByKnownAnswer += 1
            } else if isTruncated, records[handle].pending?.awaitsKnownAnswers == true {
                records[handle].pending?.move(to: due)
            }
        }
        for place in waitingReplies.indices
        where waitingReplies[place].destination == query.info.source
            && waitingReplies[place].awaitsKnownAnswers
        {
            let count = waitingReplies[place].answers.count
            waitingReplies[place].answers.removeAll { known.contains($0) }
            context.statistics.suppressedByKnownAnswer +=
                count - waitingReplies[place].answers.count
            if isTruncated { waitingReplies[place].due = due }
        }
        if isTruncated { expectKnownAnswers(from: source, context) }
    }
}
