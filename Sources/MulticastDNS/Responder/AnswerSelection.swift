import DNSMessages
import NetworkPrimitives

// What answers a question and what goes along. Read RFC 6762 §6, §6.1, §6.2, §6.5, §10.2 and
// RFC 6763 §12.

extension Responder {
    /// The own records that answer a question: all that match of what may be answered with
    /// (M6-3, M6-37); else, of a claimed name, the NSEC that says what there is (M6-24).
    mutating func answers(to question: Question) -> [RecordHandle] {
        guard let name = records.handle(of: question.name) else { return [] }
        var matching: [RecordHandle] = []
        for handle in records[name].records
        where records[handle].isActive
            && question.matches(
                type: records[handle].record.type,
                recordClass: records[handle].record.recordClass)
        {
            matching.append(handle)
        }
        guard matching.isEmpty, records[name].isClaimed,
            question.recordClass == .internet || question.recordClass == .any
        else { return matching }
        return [records.negativeHandle(of: name)]
    }

    /// Adds what is likely to be asked for next: for a PTR the SRV and TXT it names (S12-4), for an
    /// SRV the addresses of its target (S12-5), for an address those of the other family, or the
    /// NSEC that says that there are none (M6-41).
    private mutating func addAdditionals(to selection: inout RecordSelection) {
        var next = 0
        while next < selection.handles.count {
            let handle = selection.handles[next]
            next += 1
            switch records[handle].record.data {
            case .ptr(let target):
                guard let name = records.handle(of: target) else { continue }
                for candidate in records[name].records where records[candidate].isActive {
                    let type = records[candidate].record.type
                    if type == .srv || type == .txt { selection.insert(candidate, of: records) }
                }
            case .srv(let location):
                guard let name = records.handle(of: location.target) else { continue }
                addAddresses(of: name, to: &selection)
            case .a, .aaaa:
                addAddresses(of: records[handle].name, to: &selection)
            default: break
            }
        }
    }

    /// The addresses of a name, and of a claimed one with one family only the NSEC (M6-42, M6-43).
    private mutating func addAddresses(
        of name: OwnNameHandle, to selection: inout RecordSelection
    ) {
        var hasV4 = false
        var hasV6 = false
        for handle in records[name].records where records[handle].isActive {
            switch records[handle].record.type {
            case .a: hasV4 = true
            case .aaaa: hasV6 = true
            default: continue
            }
            selection.insert(handle, of: records)
        }
        guard records[name].isClaimed, hasV4 != hasV6 else { return }
        selection.insert(records.negativeHandle(of: name), of: records)
    }

    /// Sends records to the group and notes that they were.
    ///
    /// Along with them go those that are likely to be asked for next, unless the records are
    /// announced; of these only whole sets whose last time is a second ago (M6-21, S12-1).
    mutating func sendMulticast(
        _ answers: [RecordHandle], isAnnouncement: Bool = false, by family: AddressFamily,
        on interface: ActiveInterface, _ context: inout Context
    ) {
        guard !answers.isEmpty else { return }
        let now = context.now
        var packer = ResponsePacker(interface, family, context.limits)
        let sent = pack(answers, addsOthers: !isAnnouncement, into: &packer) {
            $0.mayLeave(by: family, after: Timing.multicastInterval, at: now)
        }
        for handle in sent { records[handle].noteMulticast(by: family, at: now) }
        for bytes in finish(&packer, &context) {
            transmit(bytes, to: interface.group(family), on: interface)
        }
    }

    /// Puts the sets of answers into packets, and of what goes along those that are allowed and
    /// fit. Returned is what was put in.
    mutating func pack(
        _ answers: [RecordHandle], addsOthers: Bool = true, into packer: inout ResponsePacker,
        where isAllowed: (OwnRecord) -> Bool = { _ in true }
    ) -> [RecordHandle] {
        var selection = RecordSelection(answers, of: records)
        let answerCount = selection.handles.count
        if addsOthers { addAdditionals(to: &selection) }
        var packed = selection.handles
        packed.removeLast(packed.count - answerCount)
        for range in selection.sets {
            let set = selection.handles[range]
            if range.lowerBound < answerCount {
                packer.addAnswers(set, of: records)
            } else if set.allSatisfy({ isAllowed(records[$0]) }),
                packer.addAdditionals(set, of: records)
            {
                packed += set
            }
        }
        return packed
    }

    /// The packets that were filled.
    func finish(_ packer: inout ResponsePacker, _ context: inout Context) -> [[UInt8]] {
        packer.finish(context.limits)
        context.statistics.unsendable += packer.unsendable
        return packer.packets
    }

    mutating func transmit(
        _ bytes: [UInt8], to destination: SocketAddress, on interface: ActiveInterface
    ) {
        effects.append(
            .transmit(
                Transmission(bytes: bytes, destination: destination, interface: interface.index)))
    }
}
