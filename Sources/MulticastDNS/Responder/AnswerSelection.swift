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
                    type: records[$0].type, recordClass: records[$0].record.recordClass)
        }
        guard matching.isEmpty, records[name].isClaimed,
            question.recordClass == .internet || question.recordClass == .any
        else { return matching }
        return [records.negativeHandle(of: name)]
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
        packer.begin(interface, family, context.limits)
        pack(answers, addsOthers: !isAnnouncement, by: family, at: context.now)
        transmit(packer.finish(&context), to: interface.group(family), on: interface)
    }

    /// Puts the sets of answers into the packets, and of what goes along those that fit; of what is
    /// multicast `by` a family those that may be again, which is noted.
    mutating func pack(
        _ answers: [RecordHandle], addsOthers: Bool = true, by family: AddressFamily? = nil,
        at now: Instant
    ) {
        selection.removeAll()
        for handle in answers { selection.insert(handle, of: records) }
        let answerCount = selection.handles.count
        if addsOthers { records.addAdditionals(to: &selection) }
        for range in selection.sets {
            if range.lowerBound < answerCount {
                packer.addAnswers(selection.handles[range], of: records)
            } else if let family,
                !selection.handles[range].allSatisfy({
                    records[$0].mayLeave(by: family, after: Timing.multicastInterval, at: now)
                })
            {
                continue
            } else if !packer.addAdditionals(selection.handles[range], of: records) {
                continue
            }
            guard let family else { continue }
            for handle in selection.handles[range] {
                records[handle].noteMulticast(by: family, at: now)
            }
        }
    }

    mutating func transmit(
        _ packets: [[UInt8]], to destination: SocketAddress, on interface: ActiveInterface
    ) {
        for bytes in packets {
            effects.append(
                .transmit(
                    Transmission(
                        bytes: bytes, destination: destination, interface: interface.index)))
        }
    }
}

extension OwnRecords {
    /// Adds what is likely to be asked for next: for a PTR the SRV and TXT it names (S12-4), for an
    /// SRV the addresses of its target (S12-5), for an address those of the other family, or the
    /// NSEC that says that there are none (M6-41).
    mutating func addAdditionals(to selection: inout RecordSelection) {
        var next = 0
        while next < selection.handles.count {
            let handle = selection.handles[next]
            next += 1
            switch self[handle].type {
            case .srv:
                if let name = target(of: handle) { addAddresses(of: name, to: &selection) }
            case .ptr:
                guard let name = target(of: handle) else { continue }
                for candidate in self[name].records
                where self[candidate].isActive
                    && (self[candidate].type == .srv || self[candidate].type == .txt)
                {
                    selection.insert(candidate, of: self)
                }
            case .a, .aaaa: addAddresses(of: self[handle].name, to: &selection)
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
        for handle in self[name].records where self[handle].isActive {
            switch self[handle].type {
            case .a: hasV4 = true
            case .aaaa: hasV6 = true
            default: continue
            }
            selection.insert(handle, of: self)
        }
        guard self[name].isClaimed, hasV4 != hasV6 else { return }
        selection.insert(negativeHandle(of: name), of: self)
    }
}
