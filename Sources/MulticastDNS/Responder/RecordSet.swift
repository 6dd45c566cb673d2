package import DNSMessages
package import NetworkPrimitives

/// Records that are published together: established, announced and withdrawn as one.
package struct RecordSet: Hashable, Sendable {
    /// Whether others may have records of the same name and type.
    package enum Ownership: Hashable, Sendable {
        /// Others may add theirs; never probed, never flushed (RFC 6762 §10.2).
        case shared
        /// Ours alone: probed for with qtype ANY before it is used (RFC 6762 §8.1).
        case unique
        /// Ours alone by its nature, as the reverse mapping of an own address: not probed
        /// (RFC 6762 §8.1).
        case knownUnique
        /// As unique, but left to another stack on this very machine as soon as that probes for
        /// it: a host's reverse mapping is one, and a stack that were denied it would rename its
        /// whole host.
        case yielding

        /// Whether the name has to be won (RFC 6762 §8.1).
        var isProbed: Bool { self == .unique || self == .yielding }
    }

    /// A record and its ownership.
    package struct Member: Hashable, Sendable {
        package var record: ResourceRecord
        package var ownership: Ownership

        package init(_ record: ResourceRecord, _ ownership: Ownership) {
            self.record = record
            self.ownership = ownership
        }
    }

    /// The records, with their true times to live; the cache-flush bit is set on sending.
    package var members: [Member]
    /// The interfaces on which they are valid.
    package var interfaces: InterfaceSelection

    package init(_ members: [Member], on interfaces: InterfaceSelection = .all) {
        self.members = members
        self.interfaces = interfaces
    }
}
