package import DNSMessages

/// The result of simultaneous probe tiebreaking: which of two hosts that probe for one name at
/// the same time goes on (RFC 6762 §8.2).
package enum Tiebreak: Hashable, Sendable {
    /// The first set of records is the lesser: its owner defers.
    case earlier
    /// Both are the same: there is no conflict (RFC 6762 §8.2.1).
    case same
    /// The first set of records is the greater: its owner goes on.
    case later

    /// Compares two records by class, then type, then the raw bytes of their data; the byte that
    /// is greater as an unsigned number decides, and of two that begin alike the longer one is
    /// later (RFC 6762 §8.2).
    package init(_ left: ResourceRecord, against right: ResourceRecord) {
        self.init(Proposal(left), against: Proposal(right))
    }

    /// Compares two sets of records: both are sorted and compared pair by pair up to the first
    /// difference; if there is none the set with records left is later (RFC 6762 §8.2.1).
    package init(_ left: [ResourceRecord], against right: [ResourceRecord]) {
        let mine = left.map { Proposal($0) }.sorted { Tiebreak($0, against: $1) == .earlier }
        let theirs = right.map { Proposal($0) }.sorted { Tiebreak($0, against: $1) == .earlier }
        for (a, b) in zip(mine, theirs) {
            let order = Tiebreak(a, against: b)
            guard order == .same else {
                self = order
                return
            }
        }
        self.init(mine.count, against: theirs.count)
    }

    private init(_ left: Proposal, against right: Proposal) {
        if left.recordClass != right.recordClass {
            self.init(Int(left.recordClass.rawValue), against: Int(right.recordClass.rawValue))
        } else if left.type != right.type {
            self.init(Int(left.type.rawValue), against: Int(right.type.rawValue))
        } else {
            let pair = zip(left.data, right.data).first { $0 != $1 }
            self.init(
                pair.map { Int($0.0) } ?? left.data.count,
                against: pair.map { Int($0.1) } ?? right.data.count)
        }
    }

    private init(_ left: Int, against right: Int) {
        self = left < right ? .earlier : left > right ? .later : .same
    }

    /// A record as it is compared.
    private struct Proposal {
        let recordClass: RecordClass
        let type: RecordType
        let data: [UInt8]

        init(_ record: ResourceRecord) {
            recordClass = record.recordClass
            type = record.type
            data = record.data.uncompressedBytes
        }
    }
}
