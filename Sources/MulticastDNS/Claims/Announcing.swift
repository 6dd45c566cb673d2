import DNSMessages
import NetworkPrimitives

// Announcing. Read RFC 6762 §8.3 and §8.4 before editing.

extension NameClaims {
    /// The publications were announced: a second time follows after a second, each further one
    /// after twice the interval before (M8-33, M8-34).
    mutating func noteAnnounced(_ ids: [PublicationID], _ now: Instant) {
        for id in ids {
            guard let publication = publicationsByID[id],
                case .announcing(let sent) = publications[publication].phase
            else { continue }
            if sent + 1 < Timing.announcementCount {
                publications[publication].phase = .announcing(sent: sent + 1)
                schedule(id, at: now.advanced(by: Timing.announcementInterval * (1 << sent)))
            } else {
                publications[publication].phase = .established
            }
            if sent == 0 { effects.append(.progress(id)) }
        }
    }
}
