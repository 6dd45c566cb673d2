import DNSMessages
import NetworkPrimitives

// What responses say of our own records. Read RFC 6762 §6.6, §7.4, §9, §10.1, §10.2 and §14.

extension Responder {
    /// Compares a response with our own records: what others repeat, what they make needless, and
    /// what they contradict. Returned are the records of names that are ours alone with data that
    /// we do not have here: conflicts, unless another link of ours has or had the same.
    ///
    /// The same data is no conflict (M9-1), nor is a goodbye; beside a shared record everybody may
    /// have theirs (M6-50).
    mutating func compare(
        _ received: [ResourceRecord], _ names: [HashedName], _ info: DatagramInfo,
        on interface: ActiveInterface, _ context: inout Context
    ) -> [ResourceRecord] {
        var foreign: [ResourceRecord] = []
        for (record, name) in zip(received, names) where record.type != .opt {
            guard let name = records.handle(of: name) else { continue }
            if let handle = records.handle(of: record, at: name) {
                processEcho(handle, record, info, on: interface, &context)
            } else if record.timeToLive > .goodbye,
                records[name].records.contains(where: { records[$0].isUnique })
            {
                foreign.append(record)
            }
        }
        return foreign
    }

    /// Somebody else, or our own socket, sent our very record.
    ///
    /// If it would go too soon, we say it again (M6-52, M6-53, M10-5); if it is as good as ours and
    /// everybody received it, ours is needless (M7-15).
    private mutating func processEcho(
        _ handle: RecordHandle, _ record: ResourceRecord, _ info: DatagramInfo,
        on interface: ActiveInterface, _ context: inout Context
    ) {
        let isOwnHost = interface.interface.owns(info.source.address)
        if !isOwnHost {
            if record.timeToLive == .goodbye {
                context.statistics.goodbyesForOwn += 1
            } else {
                context.statistics.ownRecordsEchoed += 1
            }
        }
        let timeToLive = records[handle].record.timeToLive
        if 2 * UInt64(record.timeToLive.rawValue) < UInt64(timeToLive.rawValue) {
            restore(handle, on: interface, &context)
        } else if record.timeToLive >= timeToLive, info.isMulticast, !isOwnHost,
            let answer = records[handle].pending, !answer.families.isEmpty
        {
            records[handle].pending?.families.remove(FamilySet(info.family))
            context.statistics.suppressedByDuplicateAnswer += 1
        }
    }

    /// Our own data of another link, or of a moment ago, has just flushed this set from every
    /// cache: so it is said again (M10-19), unless that was done within the last second, so that
    /// this comes to an end (M14-5).
    mutating func restoreSet(
        flushedBy record: ResourceRecord, on interface: ActiveInterface, _ context: inout Context
    ) {
        guard record.cacheFlush else { return }
        for handle in records.unique(record.type, named: record.name) {
            let last = records[handle].lastMulticast.latest(of: interface.families)
            if let last, last.duration(to: context.now) <= Timing.multicastInterval { continue }
            restore(handle, on: interface, &context)
        }
    }
}
