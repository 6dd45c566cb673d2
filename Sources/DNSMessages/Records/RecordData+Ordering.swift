import NetworkPrimitives

extension RecordData {
    /// The data's bytes as on the wire, all names in it uncompressed (RFC 6762 §8.2).
    package var uncompressedBytes: [UInt8] {
        switch self {
        case .a(let address): address.bytes
        case .aaaa(let address): address.bytes
        case .ptr(let name), .cname(let name): name.wireBytes + [0]
        case .srv(let location):
            [location.priority, location.weight, location.port].flatMap(\.bigEndianBytes)
                + location.target.wireBytes + [0]
        case .txt(let strings): strings.wireBytes.isEmpty ? [0] : strings.wireBytes
        case .nsec(let next): next.nextName.wireBytes + [0] + next.bitmap
        case .hinfo(let information):
            [UInt8(truncatingIfNeeded: information.processor.count)] + information.processor
                + [UInt8(truncatingIfNeeded: information.operatingSystem.count)]
                + information.operatingSystem
        case .opt(let options):
            options.options.flatMap {
                $0.code.bigEndianBytes
                    + UInt16(truncatingIfNeeded: $0.bytes.count).bigEndianBytes + $0.bytes
            }
        case .unknown(_, let bytes): bytes
        }
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] {
        [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)]
    }
}

/// Which of two hosts that probe for one name at the same time may go on (RFC 6762 §8.2).
package enum ProbeOrder: Hashable, Sendable {
    /// The first set of records is the lesser: its owner yields.
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
        let mine = left.map(Proposal.init).sorted { ProbeOrder($0, against: $1) == .earlier }
        let theirs = right.map(Proposal.init).sorted { ProbeOrder($0, against: $1) == .earlier }
        for (a, b) in zip(mine, theirs) {
            let order = ProbeOrder(a, against: b)
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
