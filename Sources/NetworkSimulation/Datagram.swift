package import NetworkPrimitives

/// A link of the virtual network.
package struct LinkID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (left: LinkID, right: LinkID) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { "link\(rawValue)" }
}

/// A host of the virtual network.
package struct HostID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (left: HostID, right: HostID) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { "host\(rawValue)" }
}

/// A datagram on a link.
package struct Datagram: Hashable, Sendable {
    package var payload: [UInt8]
    package var source: SocketAddress
    package var destination: SocketAddress
    package var hopLimit: UInt8
    /// How many reflectors it has passed.
    package var reflections: Int

    package init(
        _ payload: [UInt8], from source: SocketAddress, to destination: SocketAddress,
        hopLimit: UInt8 = 255, reflections: Int = 0
    ) {
        self.payload = payload
        self.source = source
        self.destination = destination
        self.hopLimit = hopLimit
        self.reflections = reflections
    }

    package var family: AddressFamily { destination.address.family }
}

/// A datagram that the stack of a host has sent.
package struct HostTransmission: Hashable, Sendable {
    package let time: Instant
    package let host: HostID
    package let link: LinkID
    package let datagram: Datagram
}
