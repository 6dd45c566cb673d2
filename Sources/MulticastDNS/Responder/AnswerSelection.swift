import DNSMessages
import NetworkPrimitives

// What answers a question and what goes along. Read RFC 6762 §6, §6.1, §6.2, §6.5, §10.2 and
// RFC 6763 §12.

extension Responder {
    /// The own records that answer a question: all that match of what may be answered with
    /// (M6-3, M6-37); else, of a claimed name, the NSEC that says what there is (M6-24).
    mutating func answers(to question: Question) -> [RecordHandle] {
        guard let name = records.handle(of: question.name) else { return [] }
        let matching = records[name].records.filter {
            records[$0].isActive
                && question.matches(
                    type: records[$0].record.type, recordClass: records[$0].record.recordClass)
        }
        guard matching.isEmpty, records[name].isClaimed,
            question.recordClass == .internet || question.recordClass == .any
        else { return matching }
        return [records.negativeHandle(of: name)]
    }

    /// What is likely to be asked for next: for a PTR the SRV and TXT it names (S12-4), for an SRV
    /// the addresses of its target (S12-5), for an address those of the other family, or the NSEC
    /// that says that there are none (M6-41).
    mutating func additionals(to answers: [RecordHandle]) -> [RecordHandle] {
        var selection = RecordSelection(answers)
        var next = 0
        while next < selection.handles.count {
            let handle = selection.handles[next]
            next += 1
            switch records[handle].record.data {
            case .ptr(let target):
                guard let name = records.handle(of: target) else { continue }
                for candidate in records[name].records where records[candidate].isActive {
                    let type = records[candidate].record.type
                    if type == .srv || type == .txt { selection.insert(candidate) }
                }
            case .srv(let location):
                guard let name = records.handle(of: location.target) else { continue }
                selectAddresses(of: name, into: &selection)
            case .a, .aaaa:
                selectAddresses(of: records[handle].name, into: &selection)
            default: break
            }
        }
        return Array(selection.handles[answers.count...])
    }

    /// The addresses of a name, and of a claimed one with one family only the NSEC (M6-42, M6-43).
    private mutating func selectAddresses(
        of name: OwnNameHandle, into selection: inout RecordSelection
    ) {
        var hasV4 = false
        var hasV6 = false
        for handle in records[name].records where records[handle].isActive {
            switch records[handle].record.type {
            case .a: hasV4 = true
            case .aaaa: hasV6 = true
            default: continue
            }
            selection.insert(handle)
        }
        guard records[name].isClaimed, hasV4 != hasV6 else { return }
        selection.insert(records.negativeHandle(of: name))
    }

    /// With any member of a unique set goes the whole set (M10-9, M10-19).
    func completeSets(_ handles: [RecordHandle]) -> [RecordHandle] {
        guard handles.count > 1 || handles.first.map({ records[$0].isUnique }) ?? false else {
            return handles
        }
        var selection = RecordSelection()
        for handle in handles {
            let own = records[handle]
            guard own.isUnique, !own.isNegative else {
                selection.insert(handle)
                continue
            }
            for member in records[own.name].records
            where records[member].isUnique && records[member].isActive
                && records[member].record.type == own.record.type
            {
                selection.insert(member)
            }
        }
        return selection.handles
    }

    /// Sends records to the group and notes that they were.
    mutating func sendMulticast(
        _ answers: [RecordHandle], additionals: [RecordHandle], by family: AddressFamily,
        on interface: ActiveInterface, _ context: inout Context
    ) {
        guard !answers.isEmpty else { return }
        var packer = ResponsePacker(interface, family, context.limits)
        packer.addAnswers(answers, of: records)
        let added = packer.addAdditionals(additionals, of: records)
        send(packer.finish(), by: family, &context)
        for handle in answers + added { noteMulticast(handle, by: family, at: context.now) }
    }

    mutating func send(
        _ packed: ResponsePacker.Packed, by family: AddressFamily, _ context: inout Context
    ) {
        context.statistics.unsendable += packed.unsendable
        for bytes in packed.packets { effects.append(.multicast(bytes, family)) }
    }

    private mutating func noteMulticast(
        _ handle: RecordHandle, by family: AddressFamily, at now: Instant
    ) {
        records[handle].lastMulticast[family] = now
        records[handle].wasMulticast = true
        cancel(handle, by: family)
    }

    /// Takes back the scheduled answer by one family.
    mutating func cancel(_ handle: RecordHandle, by family: AddressFamily) {
        guard var answer = records[handle].pending else { return }
        answer.families.remove(FamilySet(family))
        records[handle].pending = answer.families.isEmpty ? nil : answer
    }
}
