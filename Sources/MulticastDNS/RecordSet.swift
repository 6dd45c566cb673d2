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
        /// Ours alone by its nature: not probed for until somebody contradicts (RFC 6762 §8.1, §9,
        /// M8-17).
        case knownUnique
        /// As known to be unique, but left to whoever else has it, another stack on this very
        /// machine among them: a host's reverse mapping is one, and a stack that does not get it
        /// may rename its whole host.
        case deferring
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

    /// The records, with their true times to live, each once; the cache-flush bit is set on
    /// sending.
    package let members: [Member]
    /// The interfaces on which they are valid.
    package var interfaces: InterfaceSelection

    package init(_ members: [Member], on interfaces: InterfaceSelection = .all) {
        var seen: Set<RecordIdentity> = []
        self.members = members.filter { seen.insert(RecordIdentity($0.record)).inserted }
        self.interfaces = interfaces
    }
}
