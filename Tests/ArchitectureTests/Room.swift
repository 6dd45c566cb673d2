/// A target under `Sources` and what it may import.
///
/// This table is the wall between the rooms: SwiftPM lets a target see any module of the package
/// that happens to be built, whether it is declared or not.
struct Room {
    let name: String
    /// Targets of this package, all of them above in the table: so there can be no circle.
    let rooms: [String]
    /// Modules of the toolchain.
    let modules: [String]
    let isLogic: Bool
    /// Whether it promises to be Embedded Swift: a room of logic for every processor, those that
    /// talk to the kernel for Linux.
    let isEmbedded: Bool
    let isProduct: Bool

    private init(
        _ name: String, _ rooms: [String] = [], modules: [String] = [], isLogic: Bool = false,
        isEmbedded: Bool = false, isProduct: Bool = false
    ) {
        self.name = name
        self.rooms = rooms
        self.modules = modules
        self.isLogic = isLogic
        self.isEmbedded = isEmbedded || isLogic
        self.isProduct = isProduct
    }

    static let all: [Room] = [
        Room("NetworkPrimitives", isLogic: true),
        Room("DNSMessages", ["NetworkPrimitives"], isLogic: true, isProduct: true),
        Room("MulticastDNS", ["DNSMessages", "NetworkPrimitives"], isLogic: true),
        Room("DNSSD", ["MulticastDNS", "DNSMessages", "NetworkPrimitives"], isLogic: true),
        Room("PacketCapture", ["NetworkPrimitives"], isLogic: true),
        Room("CryptoPrimitives", isLogic: true),
        Room("Noise", ["CryptoPrimitives"], isLogic: true),
        Room(
            "PeerProtocol", ["Noise", "CryptoPrimitives", "NetworkPrimitives"], isLogic: true),
        Room("CLinux"),
        Room(
            "LinuxNetworking", ["CLinux", "NetworkPrimitives"], modules: ["Glibc", "Musl"],
            isEmbedded: true),
        Room(
            "LinuxDiscovery",
            ["DNSSD", "MulticastDNS", "DNSMessages", "LinuxNetworking", "NetworkPrimitives"],
            isEmbedded: true),
        Room(
            "LinuxEventLoop", ["LinuxNetworking", "CLinux", "NetworkPrimitives"],
            modules: ["Glibc", "Musl", "Synchronization"]),
        Room(
            "MDNS",
            [
                "LinuxDiscovery", "DNSSD", "DNSMessages", "LinuxEventLoop", "LinuxNetworking",
                "NetworkPrimitives",
            ],
            modules: ["Synchronization"], isProduct: true),
        Room(
            "PeerSession",
            [
                "MDNS", "DNSSD", "DNSMessages", "PeerProtocol", "CryptoPrimitives",
                "LinuxEventLoop", "LinuxNetworking", "NetworkPrimitives",
            ],
            modules: ["Synchronization"], isProduct: true),
        Room(
            "LocalNetworkAccess",
            ["MDNS", "LinuxEventLoop", "LinuxNetworking", "NetworkPrimitives"],
            modules: ["Observation", "Synchronization"], isProduct: true),
        Room(
            "NetworkSimulation",
            [
                "DNSSD", "MulticastDNS", "PeerProtocol", "DNSMessages", "PacketCapture",
                "NetworkPrimitives",
            ]),
        Room(
            "Conformance",
            [
                "NetworkSimulation", "PacketCapture", "DNSSD", "MulticastDNS", "DNSMessages",
                "LinuxNetworking", "NetworkPrimitives",
            ]),
        Room(
            "MDNSTesting", ["Conformance", "NetworkSimulation", "PacketCapture", "DNSMessages"],
            isProduct: true),
        Room(
            "MultipeerConnectivity", ["PeerSession"], modules: ["Foundation"], isProduct: true),
        Room(
            "MDNSTool",
            [
                "NetworkPrimitives", "DNSMessages", "MulticastDNS", "DNSSD", "PacketCapture",
                "CryptoPrimitives", "Noise", "PeerProtocol", "LinuxNetworking",
                "LinuxDiscovery", "LinuxEventLoop", "MDNS", "PeerSession", "LocalNetworkAccess",
                "NetworkSimulation",
                "Conformance",
                "MDNSTesting",
            ]),
    ]

    static func named(_ name: String) -> Room? { all.first { $0.name == name } }
}
