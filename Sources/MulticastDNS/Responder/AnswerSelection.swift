import DNSMessages
import NetworkPrimitives

// What answers a question and what goes along. Read RFC 6762 §6, §6.1, §6.2, §6.5 and
// RFC 6763 §12.

extension Link {
    /// The own records that answer a question: all that match, or the name's NSEC if it is ours
    /// and has nothing of that type (RFC 6762 §6, §6.1, §6.5).
    mutating func answers(to question: Question) -> [Int] {
        let slots = own.slots(named: question.name)
        guard !slots.isEmpty else { return [] }
        let matching = slots.filter { slot in
            let mine = own[slot]
            // Only what was won (RFC 6762 §6, M6-37), of type and class (M6-3).
            return mine.isActive && !mine.isNegative
                && question.matches(type: mine.record.type, recordClass: mine.record.recordClass)
        }
        // Denied is what surely is not there: a type of a name that is ours alone
        // (RFC 6762 §6.1, M6-24, M6-37, M6-3).
        guard matching.isEmpty, own.ownsName(question.name),
            question.recordClass == .internet || question.recordClass == .any
        else { return matching }
        return [own.negativeSlot(for: question.name)]
    }

    /// What is likely to be asked for next: for a PTR the SRV and TXT it names, for an SRV the
    /// addresses of its target (RFC 6763 §12), for an address those of the other family, or the
    /// word that there are none (RFC 6762 §6.2).
    mutating func additionals(to answers: [Int]) -> [Int] {
        let walk = own.beginWalk()
        for slot in answers { _ = own.meets(slot, in: walk) }
        var found: [Int] = []
        var next = 0
        func source(_ index: Int) -> Int {
            index < answers.count ? answers[index] : found[index - answers.count]
        }
        while next < answers.count + found.count {
            switch own[source(next)].record.data {
            case .ptr(let target):
                // (RFC 6763 §12.1, S12-4)
                collect([.srv, .txt], of: target, walk, into: &found)
            case .srv(let location):
                // (RFC 6763 §12.2, S12-5)
                collectAddresses(of: location.target, walk, into: &found)
            case .a, .aaaa:
                // (RFC 6762 §6.2, M6-41)
                collectAddresses(of: own[source(next)].record.name, walk, into: &found)
            default: break
            }
            next += 1
        }
        return found
    }

    private mutating func collect(
        _ types: [RecordType], of name: DomainName, _ walk: UInt32, into found: inout [Int]
    ) {
        for slot in own.slots(named: name)
        where own[slot].isActive && !own[slot].isNegative && types.contains(own[slot].record.type) {
            if own.meets(slot, in: walk) { found.append(slot) }
        }
    }

    private mutating func collectAddresses(
        of name: DomainName, _ walk: UInt32, into found: inout [Int]
    ) {
        var hasV4 = false
        var hasV6 = false
        var isOwned = false
        for slot in own.slots(named: name) where own[slot].isActive && !own[slot].isNegative {
            if own[slot].isUnique { isOwned = true }
            switch own[slot].record.type {
            case .a: hasV4 = true
            case .aaaa: hasV6 = true
            default: continue
            }
            if own.meets(slot, in: walk) { found.append(slot) }
        }
        // One family only, of a name that is ours alone (RFC 6762 §6.2, M6-42, M6-43, M6-37).
        guard isOwned, hasV4 != hasV6 else { return }
        let negative = own.negativeSlot(for: name)
        if own.meets(negative, in: walk) { found.append(negative) }
    }

    /// The answers of one packet in groups that belong together: consecutive members of a
    /// unique set.
    func groups(_ slots: [Int]) -> [[Int]] {
        var groups: [[Int]] = []
        for slot in slots {
            if let last = groups.last?.last, own[slot].isUnique, own[last].isUnique,
                own[last].record.type == own[slot].record.type,
                own[last].record.name == own[slot].record.name
            {
                groups[groups.count - 1].append(slot)
            } else {
                groups.append([slot])
            }
        }
        return groups
    }

    /// With any member of a unique set goes the whole set (RFC 6762 §10.2).
    mutating func completeSets(_ slots: [Int]) -> [Int] {
        let walk = own.beginWalk()
        var complete: [Int] = []
        for slot in slots where own[slot].mark != walk {
            let record = own[slot].record
            guard own[slot].isUnique, !own[slot].isNegative else {
                if own.meets(slot, in: walk) { complete.append(slot) }
                continue
            }
            // (RFC 6762 §10.2, M10-9, M10-19)
            for member in own.slots(named: record.name)
            where own[member].isUnique && own[member].record.type == record.type {
                if own.meets(member, in: walk) { complete.append(member) }
            }
        }
        return complete
    }

    /// Sends records to the group and notes that they were.
    mutating func sendMulticast(
        _ answers: [Int], additionals: [Int], _ family: AddressFamily, _ context: inout Context
    ) {
        guard !answers.isEmpty else { return }
        var packer = ResponsePacker(link: self, family: family, limits: context.limits)
        for group in groups(answers) {
            let records = group.map { own[$0].record }
            packer.add(
                records, timeToLive: { $0.timeToLive }, cacheFlush: own[group[0]].isUnique)
        }
        var sent = answers
        for group in groups(additionals) {
            let records = group.map { own[$0].record }
            if packer.addAdditional(
                records, timeToLive: { $0.timeToLive }, cacheFlush: own[group[0]].isUnique)
            {
                sent += group
            }
        }
        send(packer.finish(), family, &context)
        for slot in sent { noteMulticast(slot, family, context.now) }
    }

    private mutating func noteMulticast(_ slot: Int, _ family: AddressFamily, _ now: Instant) {
        own[slot].lastMulticast[family] = now
        own[slot].wasMulticast = true
        guard var pending = own[slot].pending else { return }
        pending.families.remove(FamilySet(family))
        own[slot].pending = pending.families.isEmpty ? nil : pending
    }
}
