import DNSMessages
import DNSSD
public import NetworkPrimitives
public import PeerProtocol

/// A peer that was found on the network, as it describes itself there.
///
/// Nothing of it is proved: it chooses whom to dial, and no more.
public struct FoundPeer: Hashable, Sendable {
    /// What it is advertised under: another one at each start of the peer.
    public let id: String
    /// What it is called; nil if it does not say.
    public let name: PeerName?
    /// What its application says of it.
    public let info: [String: String]
    /// Whether it speaks a version of the protocol that this side does.
    public let isCompatible: Bool
    /// Where it is, in the order in which the addresses are tried: those on a link of this host
    /// first.
    public let addresses: [SocketAddress]
}

/// The attributes by which a peer describes itself, and which ones an application may add.
enum PeerAttributes {
    static let version = "v"
    static let id = "id"
    static let name = "n"
    static let reserved: Set = [version, id, name]

    static func record(
        id: String, name: PeerName?, info: [String: String]
    ) throws(PeerSessionError) -> TXTRecord {
        for key in info.keys where reserved.contains(key.lowercased()) {
            throw .invalid("The key '\(key)' is the protocol's own; choose another.")
        }
        var attributes: [TXTRecord.Attribute] = [
            .init(version, .text("\(VersionRange.supported)")), .init(Self.id, .text(id)),
        ]
        if let name { attributes.append(.init(Self.name, .text(name.text))) }
        for (key, value) in info.sorted(by: { $0.key < $1.key }) {
            attributes.append(.init(key, .text(value)))
        }
        do throws(TXTRecordError) {
            return try TXTRecord(attributes)
        } catch { throw .invalid("What the peer says of itself can't be published: \(error)") }
    }

    /// The versions of `1` or `1-3`.
    static func versions(_ text: String) -> VersionRange? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first.flatMap({ UInt8($0) }),
            let last = parts.last.flatMap({ UInt8($0) })
        else { return nil }
        return VersionRange(first, last)
    }
}

/// What a browse has found of one peer, on each interface.
struct Sighting {
    var services: [InterfaceIndex: ResolvedService] = [:]
    /// What the application was told last.
    var reported: FoundPeer?

    /// The peer as it is now; nil as long as it is not known where it is.
    ///
    /// - Parameters:
    ///   - interfaces: Those of this host.
    ///   - ownHost: This host's name: another peer on it has its addresses.
    func peer(
        id: String, interfaces: [NetworkInterface], ownHost: String
    ) -> FoundPeer? {
        guard let first = services.min(by: { $0.key < $1.key })?.value else { return nil }
        var info: [String: String] = [:]
        for attribute in first.txt.attributes
        where !PeerAttributes.reserved.contains(attribute.key.lowercased()) {
            info[attribute.key] = attribute.value.text ?? ""
        }
        let name = first.txt[PeerAttributes.name]?.bytes.flatMap { bytes -> PeerName? in
            do throws(PeerNameError) {
                return try PeerName(utf8: bytes)
            } catch { return nil }
        }
        let versions = first.txt[PeerAttributes.version]?.text.flatMap {
            PeerAttributes.versions($0)
        }
        return FoundPeer(
            id: id, name: name, info: info,
            isCompatible: versions?.highestCommon(with: .supported) != nil,
            addresses: AddressOrder.addresses(
                services.values.sorted { $0.interface < $1.interface }, on: interfaces,
                ownHost: ownHost))
    }
}

/// In which order a peer's addresses are tried, and which are not.
enum AddressOrder {
    /// Those in a subnet of the interface that they were found on first, then link-local ones, then
    /// others. Of another host neither loopback addresses nor those that this host has too, as
    /// every host has its bridge to containers.
    static func addresses(
        _ services: [ResolvedService], on interfaces: [NetworkInterface], ownHost: String
    ) -> [SocketAddress] {
        var ranked: [(rank: Int, address: SocketAddress)] = []
        for service in services {
            let isOwnHost =
                service.host.description.lowercased() == ownHost.lowercased()
            let interface = interfaces.first { $0.index == service.interface }
            for place in service.socketAddresses
            where !ranked.contains(where: { $0.address == place }) {
                let isOwn =
                    place.address.isLoopback || interfaces.contains { $0.owns(place.address) }
                guard isOwnHost || !isOwn else { continue }
                ranked.append((rank(place.address, interface), place))
            }
        }
        // Equal ones stay in their order.
        return ranked.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map(\.element.address)
    }

    private static func rank(_ address: IPAddress, _ interface: NetworkInterface?) -> Int {
        if address.isLinkLocal { return 1 }
        return interface?.isOnLink(address) == true ? 0 : 2
    }
}
