import LinuxNetworking
import LocalNetworkAccess
import NetworkPrimitives

/// Facts for tests: a healthy host and what can be wrong with one.
enum FactSamples {
    static let index = InterfaceIndex(rawValue: 2)

    static func interface(
        _ name: String = "lan0", _ index: InterfaceIndex = index,
        flags: NetworkInterface.Flags = [.up, .running, .multicast],
        addresses: [String] = ["192.0.2.7", "fe80::7"], isTentative: Bool = false,
        mtu: Int = 1500
    ) -> InterfaceFacts {
        InterfaceFacts(
            NetworkInterface(
                name: name, index: index, flags: flags, maximumTransmissionUnit: mtu,
                addresses: addresses.compactMap { IPAddress($0) }.map {
                    .init(
                        NetworkPrefix($0, length: $0.family == .ipv4 ? 24 : 64),
                        isTentative: isTentative)
                }))
    }

    static let loopback = interface(
        "lo", InterfaceIndex(rawValue: 1), flags: [.up, .running, .loopback],
        addresses: ["127.0.0.1", "::1"])

    /// A host with these interfaces beside its loopback, before anything was sent.
    static func host(_ interfaces: InterfaceFacts...) -> LocalNetworkFacts {
        var facts = LocalNetworkFacts()
        facts.interfaces = [loopback] + interfaces
        facts.process.user = 1000
        facts.network = NetworkIdentity(
            bootID: "boot", namespace: 7, interfaces: facts.interfaces.map { $0.interface })
        return facts
    }

    /// A host with one interface, before anything was sent.
    static var healthy: LocalNetworkFacts { host(interface()) }

    static func traffic(
        _ family: AddressFamily, _ index: InterfaceIndex = index,
        _ change: (inout TrafficFacts) -> Void = { _ in }
    ) -> TrafficFacts {
        var traffic = TrafficFacts(index, family)
        traffic.isJoined = true
        traffic.isSettled = true
        change(&traffic)
        return traffic
    }

    /// Sent and come back, `count` datagrams of others received.
    static func working(
        _ family: AddressFamily, _ index: InterfaceIndex = index, received count: Int = 0
    ) -> TrafficFacts {
        traffic(family, index) {
            $0.sentCount = 3
            $0.loopedBackCount = 3
            $0.loopedBackHopLimit = 255
            $0.receivedCount = count
            $0.answeredCount = count
        }
    }

    static func refused(_ family: AddressFamily, _ code: SystemError.Code) -> TrafficFacts {
        traffic(family) { $0.sendError = code.rawValue }
    }

    /// Sent, and nothing came back.
    static func silent(_ family: AddressFamily) -> TrafficFacts {
        traffic(family) { $0.sentCount = 3 }
    }

    /// A healthy host with that traffic over both families.
    static func tried(_ make: (AddressFamily) -> TrafficFacts) -> LocalNetworkFacts {
        var facts = healthy
        facts.traffic = [make(.ipv4), make(.ipv6)]
        return facts
    }
}
