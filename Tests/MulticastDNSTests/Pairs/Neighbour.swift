import DNSMessages
import NetworkPrimitives

/// A host that receives what is multicast on one interface over one family, and keeps it as
/// RFC 6762 §10 says. It knows nothing of the engine under test but its packets.
struct Neighbour {
    private struct Entry {
        var record: ResourceRecord
        var received: Instant
        var expiry: Instant
    }

    let interface: InterfaceIndex
    let family: AddressFamily
    private var entries: [Entry] = []

    init(interface: InterfaceIndex, family: AddressFamily) {
        self.interface = interface
        self.family = family
    }

    func receives(_ sent: EngineHarness.Sent) -> Bool {
        sent.isMulticast && sent.interface == interface
            && sent.destination.address.family == family
    }

    mutating func receive(_ sent: EngineHarness.Sent) {
        guard sent.isResponse, receives(sent) else { return }
        let grace = sent.time.advanced(by: .seconds(1))
        for record in sent.records where record.type != .opt {
            let place = entries.firstIndex { $0.record.isSameRecord(as: record) }
            if record.timeToLive == .goodbye {
                if let place { entries[place].expiry = min(entries[place].expiry, grace) }
                continue
            }
            let entry = Entry(
                record: record, received: sent.time,
                expiry: sent.time.advanced(by: record.timeToLive.duration))
            if let place { entries[place] = entry } else { entries.append(entry) }
        }
        for record in sent.records where record.cacheFlush && record.timeToLive > .goodbye {
            for place in entries.indices
            where entries[place].record.name == record.name
                && entries[place].record.type == record.type
                && entries[place].received - sent.time < .seconds(-1)
            {
                entries[place].expiry = min(entries[place].expiry, grace)
            }
        }
    }

    /// What it has that has not ended by then, negative responses left out.
    func records(at now: Instant) -> [ResourceRecord] {
        entries.filter { $0.expiry > now && $0.record.type != .nsec }.map(\.record)
    }
}
