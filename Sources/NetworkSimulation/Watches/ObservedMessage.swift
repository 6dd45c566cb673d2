import DNSMessages
import NetworkPrimitives

/// A message on a link, as everybody can see it: its content, its sender, and where to it goes.
struct ObservedMessage: Sendable {
    let message: Message
    let source: SocketAddress
    let destination: SocketAddress
    let sender: HostID
    let link: LinkID

    init(_ message: Message, _ datagram: Datagram, by sender: HostID, on link: LinkID) {
        self.message = message
        source = datagram.source
        destination = datagram.destination
        self.sender = sender
        self.link = link
    }

    var family: AddressFamily { destination.address.family }
    var isMulticast: Bool { destination.address.isMulticast }
    /// From or to another port than 5353 (RFC 6762 §6.7).
    var isLegacy: Bool { source.port != 5353 || destination.port != 5353 }
    var isProbe: Bool { !message.header.isResponse && !message.authorities.isEmpty }

    /// The records of a response, in whatever section.
    var records: [ResourceRecord] {
        guard !message.additionals.isEmpty || !message.authorities.isEmpty else {
            return message.answers
        }
        return message.answers + message.authorities + message.additionals
    }
}

/// Something that a rule forbids.
struct Breach: Hashable, Sendable {
    let host: HostID
    let what: String
}

extension DomainName {
    /// Whether it stands for an address: such a name need not be probed for (RFC 6762 §8.1).
    var isReverseMapping: Bool { isSubdomain(of: Self.arpa) }

    /// Whether its PTR records are shared by definition: a service type, a subtype, or the list
    /// of types (RFC 6762 §10.2, RFC 6763 §4.1).
    var isServiceEnumeration: Bool {
        // The length of the first label, and its first byte.
        wireBytes.dropFirst().first == 0x5F
    }

    private static let arpa = (try? DomainName("arpa")) ?? .root
}
