package import DNSMessages
package import NetworkPrimitives

/// A running query, as its starter knows it.
package struct QueryID: Hashable, Sendable, Comparable {
    package let rawValue: Int

    package static func < (left: QueryID, right: QueryID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A set of records that was published, as its publisher knows it.
package struct PublicationID: Hashable, Sendable, Comparable {
    package let rawValue: Int

    package static func < (left: PublicationID, right: PublicationID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A datagram to be sent from port 5353.
package struct Transmission: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The group, or the one host that is to have it.
    package var destination: SocketAddress
    package var interface: InterfaceIndex

    package var family: AddressFamily { destination.address.family }
}

/// What became known about the answer to a query.
package enum AnswerChange: Hashable, Sendable {
    /// A record that answers is there now, on that interface.
    case added(ResourceRecord, InterfaceIndex)
    /// A record that was added before is gone: expired, flushed, said goodbye, or the
    /// interface went away.
    case removed(ResourceRecord, InterfaceIndex)
    /// Its owner says that the name has no record of that type (RFC 6762 §6.1).
    case absent(RecordType, InterfaceIndex)
    /// There are more answers than the cache may hold; said once until all fit again.
    case incomplete(InterfaceIndex)
}

/// Where a publication stands.
package enum PublicationStatus: Hashable, Sendable {
    /// Asking the link whether its unique names are free (RFC 6762 §8.1).
    case probing
    /// Its names are its own on every interface it is meant for; announced and answered.
    case established
    /// Somebody else has that name: the publication is withdrawn, its publisher picks another
    /// name (RFC 6762 §9).
    case conflicted(DomainName)
}

/// What the engine wants done or known.
package enum Output: Hashable, Sendable {
    case transmit(Transmission)
    /// News for the starter of a query.
    case answer(QueryID, AnswerChange)
    /// News for the publisher of a set.
    case publication(PublicationID, PublicationStatus)
}
