import DNSMessages
import NetworkPrimitives

// Probing. Read RFC 6762 §8.1 before editing.

extension NameClaims {
    /// Begins a series of three probes, with others that begin at about the same time (M8-3,
    /// M8-7). While conflicts are too many it waits (M8-16).
    mutating func startProbing(
        _ handle: SlotHandle<NameClaim>, notBefore: Instant?, _ context: inout Context
    ) {
        claims[handle].isProbed = true
        claims[handle].phase = .probing(sent: 0)
        claims[handle].hasLostTie = false
        for holder in claims[handle].holders where publications[holder].phase != .claiming {
            setBack(holder)
        }
        let start = notBefore ?? nextProbeBatch(&context)
        schedule(handle, at: max(start, conflicts.earliestProbe(at: context.now)))
    }

    /// Probes for every name and announces everything anew: connectivity may have changed
    /// (RFC 6762 §8).
    mutating func restart(_ ids: [PublicationID], _ context: inout Context) {
        for publication in ids.compactMap({ publicationsByID[$0] }) {
            setBack(publication)
            for handle in publications[publication].claims where claims[handle].isProbed {
                if claims[handle].phase == .probing(sent: 0), claims[handle].due > context.now {
                    continue
                }
                startProbing(handle, notBefore: nil, &context)
            }
            proceed(publication, context.now)
        }
    }

    /// The next probe is due, or the last one has gone unanswered for 250 ms: then the name is
    /// ours (M8-7, M8-8).
    mutating func step(
        _ handle: SlotHandle<NameClaim>, probing: inout [SlotHandle<NameClaim>],
        _ context: Context
    ) {
        guard case .probing(let sent) = claims[handle].phase else { return }
        if sent < probeCount(context) {
            probing.append(handle)
        } else {
            claims[handle].phase = .claimed
            claims[handle].due = .never
            proceed(holdersOf: handle, context.now)
        }
    }

    /// Three; beside another program on the port, which may get the answers by unicast in our
    /// place, one more.
    private func probeCount(_ context: Context) -> Int {
        Timing.probeCount + (context.configuration.mayAskForUnicast ? 0 : 1)
    }

    mutating func sendProbes(_ handles: [SlotHandle<NameClaim>], _ context: Context) {
        guard !handles.isEmpty else { return }
        for handle in handles {
            guard case .probing(let sent) = claims[handle].phase else { continue }
            claims[handle].phase = .probing(sent: sent + 1)
            let isFollowedLate = sent + 1 == Timing.probeCount && sent + 1 < probeCount(context)
            let delay = isFollowedLate ? Timing.lateProbeDelay : Timing.probeInterval
            schedule(handle, at: context.now.advanced(by: delay))
        }
        effects.append(.probe(handles.map { claims[$0].name }))
    }
}

/// Puts names and the records proposed for them into as few probes as they take (M8-5): a name's
/// question and all of its records stay together (RFC 6762 §8.2, M8-20).
enum ProbeAssembly {
    typealias Proposal = (name: DomainName, records: [ResourceRecord])

    /// Only a name whose own records are too many makes a packet larger than `limit`.
    static func packets(
        _ proposals: [Proposal], limit: Int, loneLimit: Int, prefersUnicast: Bool
    ) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var first = 0
        var size = 12
        func finish(before next: Int) {
            var encoder = MessageEncoder(header: .query, limit: size > limit ? loneLimit : limit)
            for (name, _) in proposals[first..<next] {
                // QU, so that the answer comes even where groups are slow (RFC 6762 §8.1).
                _ = encoder.append(Question(name, .any, prefersUnicast: prefersUnicast))
            }
            for (_, records) in proposals[first..<next] {
                for record in records { _ = encoder.append(record, to: .authority) }
            }
            packets.append(encoder.finish())
            first = next
            size = 12
        }
        for (index, (name, records)) in proposals.enumerated() {
            // At most: owners are pointers to the question, names in data are counted in full.
            var needed = name.byteCount + 5
            for record in records { needed += 12 + record.data.uncompressedBytes.count }
            if index > first, size + needed > limit { finish(before: index) }
            size += needed
        }
        finish(before: proposals.count)
        return packets
    }
}
