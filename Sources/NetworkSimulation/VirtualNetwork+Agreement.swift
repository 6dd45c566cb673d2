import DNSMessages
import DNSSD
import NetworkPrimitives

// Who looks for something knows of every change a moment later, if nothing was lost and nobody
// came or went. Where something was, the truth is known when lifetimes are over; that is looked at
// elsewhere.

extension VirtualNetwork {
    /// A name was announced: all that browse for it list it.
    mutating func checkKnown(_ operation: OperationID?, by host: HostID, since: Instant) {
        guard let offer = groundTruth.offer(operation, of: host), offer.isEstablished,
            let name = offer.name
        else { return }
        for browse in groundTruth.browses where offer.types.contains(browse.type) {
            checkLists(browse, name, of: host, since: since)
        }
    }

    /// A browse has begun: it lists what was there.
    mutating func checkBegun(_ operation: OperationID, by host: HostID, since: Instant) {
        guard
            let browse = groundTruth.browses.first(where: {
                $0.host == host && $0.operation == operation
            })
        else { return }
        for offer in groundTruth.offers
        where offer.isEstablished && offer.types.contains(browse.type) {
            guard let name = offer.name else { continue }
            checkLists(browse, name, of: offer.host, since: since)
        }
    }

    /// A name was taken back with goodbyes: nobody lists it any more, unless another host has it.
    mutating func checkWithdrawn(_ farewell: Farewell) {
        for browse in groundTruth.browses where farewell.types.contains(browse.type) {
            let holders = groundTruth.holders(of: farewell.name).filter {
                $0.types.contains(browse.type)
            }
            guard holders.isEmpty else {
                // Whoever never received of the other one has nothing to keep.
                let lists = farewell.listers.contains {
                    $0.host == browse.host && $0.operation == browse.operation
                }
                for holder in holders where lists {
                    checkLists(
                        browse, farewell.name, of: holder.host, since: farewell.time,
                        on: farewell.links)
                }
                continue
            }
            let host = hosts[browse.host.rawValue]
            guard groundTruth.lastChange(of: farewell.name) <= farewell.time,
                isSettled(browse, since: farewell.time), canReach(host.id, farewell.host)
            else { continue }
            for attachment in host.attachments where attachment.isUp {
                let link = links[attachment.link.rawValue]
                guard farewell.links.contains(link.id), link.isPlain,
                    link.disturbed < farewell.time, isMet(host.id, farewell.host, on: link.id)
                else { continue }
                let found = GroundTruth.Found(
                    name: farewell.name, interface: AddressPlan.index(of: link.id))
                guard browse.found.contains(found) else { continue }
                invariants.report(
                    "still lists \(farewell.name) on \(link.id), withdrawn by \(farewell.host)",
                    by: host.id, at: now)
            }
        }
    }

    private func isSettled(_ browse: GroundTruth.Browse, since: Instant) -> Bool {
        let host = hosts[browse.host.rawValue]
        return host.state == .running && browse.since <= since && host.lastTopologyChange <= since
    }

    private func isMet(_ one: HostID, _ other: HostID, on link: LinkID) -> Bool {
        group(of: one, on: link) == group(of: other, on: link)
    }

    /// A browse lists what a host has had since then.
    private mutating func checkLists(
        _ browse: GroundTruth.Browse, _ name: DomainName, of holder: HostID, since: Instant,
        on some: [LinkID]? = nil
    ) {
        guard isSettled(browse, since: since), canReach(browse.host, holder),
            groundTruth.lastChange(of: name) <= since,
            hosts[holder.rawValue].lastTopologyChange <= since
        else { return }
        for attachment in hosts[browse.host.rawValue].attachments where attachment.isUp {
            let link = links[attachment.link.rawValue]
            guard some?.contains(link.id) ?? true, isPresent(holder, on: link.id), link.isPlain,
                link.disturbed < since,
                isMet(browse.host, holder, on: link.id),
                // Where its claim began anew meanwhile, it is probed for.
                let claim = invariants.claims.claim(of: name, by: holder, on: link.id),
                claim.isHeldByAny, claim.lastReset <= since
            else { continue }
            let found = GroundTruth.Found(name: name, interface: AddressPlan.index(of: link.id))
            guard !browse.found.contains(found) else { continue }
            invariants.report(
                "does not list \(name) on \(link.id), which \(holder) has", by: browse.host,
                at: now)
        }
    }
}
