package import NetworkPrimitives

/// What the kernel says of an interface beyond what mDNS itself needs.
package struct InterfaceDetails: Hashable, Sendable {
    /// The interface.
    package var interface: NetworkInterface
    /// The driver's name for its kind, `veth`; nil for hardware.
    package var kind: String?
    /// Whether its other end, or the device below it, is in another namespace.
    package var hasPeerElsewhere = false
    /// Addresses that another host was found to have.
    package var duplicateAddresses: Set<IPAddress> = []

    /// All interfaces as they are now, and why the kernel did not report them by netlink if it
    /// did not: then the details are missing.
    package static func snapshot(
        refusal: SystemError? = nil
    ) throws(SystemError) -> (interfaces: [InterfaceDetails], refusal: SystemError?) {
        do throws(SystemError) {
            if let refusal { throw refusal }
            let socket = try Netlink.open(groups: 0, isBlocking: true)
            return (list(try Netlink.messages(socket)), nil)
        } catch {
            guard !error.code.isExhaustion else { throw error }
            let interfaces = try InterfaceListing.interfaces(insteadOf: error)
            return (interfaces.map { InterfaceDetails(interface: $0) }, error)
        }
    }

    static func list(_ messages: [NetlinkMessage]) -> [InterfaceDetails] {
        var links: [InterfaceIndex: NetlinkMessage.Link] = [:]
        var duplicates: [InterfaceIndex: Set<IPAddress>] = [:]
        for message in messages {
            switch message {
            case .link(let link): links[link.index] = link
            case .address(let address) where address.isDuplicate:
                duplicates[address.interface, default: []].insert(address.address.address)
            default: break
            }
        }
        return NetworkInterface.list(messages).map { interface in
            let link = links[interface.index]
            return InterfaceDetails(
                interface: interface, kind: link?.kind,
                hasPeerElsewhere: link?.hasPeerElsewhere ?? false,
                duplicateAddresses: duplicates[interface.index] ?? [])
        }
    }
}
