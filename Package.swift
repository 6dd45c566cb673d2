// swift-tools-version: 6.2

import PackageDescription

/// `VICINITY_FUZZ=1` adds the fuzzer and has every target instrumented for it
/// (Tests/Fuzzing/run); such flags are never in the manifest that others see.
let fuzzing = Context.environment["VICINITY_FUZZ"] == "1"
let instrumented = ["-sanitize=fuzzer,address"]

/// Every Swift target is built with these: Swift 6 mode, strict memory safety, no warnings.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
    ] + (fuzzing ? [.unsafeFlags(instrumented)] : [])

/// A library room: its name and the rooms below it that it may import.
func room(_ name: String, _ dependencies: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) },
        swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [String]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) },
        swiftSettings: strict)
}

let package = Package(
    name: "vicinity",
    products: [
        .library(name: "DNSMessages", targets: ["DNSMessages"]),
        .library(name: "MDNS", targets: ["MDNS"]),
        .library(name: "PeerSession", targets: ["PeerSession"]),
        .library(name: "LocalNetworkAccess", targets: ["LocalNetworkAccess"]),
        .executable(name: "mdns", targets: ["MDNSTool"]),
    ],
    targets: [
        // Floor 0
        room("NetworkPrimitives"),
        room("CryptoPrimitives"),
        // Floor 1
        room("DNSMessages", ["NetworkPrimitives"]),
        room("PacketCapture", ["NetworkPrimitives"]),
        room("Noise", ["CryptoPrimitives"]),
        .systemLibrary(name: "CLinux"),
        // Floor 2
        room("MulticastDNS", ["DNSMessages", "NetworkPrimitives"]),
        room("LinuxNetworking", ["CLinux", "NetworkPrimitives"]),
        room("LinuxEventLoop", ["LinuxNetworking", "CLinux", "NetworkPrimitives"]),
        room("PeerProtocol", ["Noise", "CryptoPrimitives", "NetworkPrimitives"]),
        // Floor 3
        room("DNSSD", ["MulticastDNS", "DNSMessages", "NetworkPrimitives"]),
        // Floor 4
        room(
            "LinuxDiscovery",
            ["DNSSD", "MulticastDNS", "DNSMessages", "LinuxNetworking", "NetworkPrimitives"]),
        room(
            "NetworkSimulation",
            ["DNSSD", "MulticastDNS", "DNSMessages", "PacketCapture", "NetworkPrimitives"]),
        // Floor 5
        room(
            "MDNS",
            [
                "LinuxDiscovery", "DNSSD", "DNSMessages", "LinuxEventLoop", "LinuxNetworking",
                "NetworkPrimitives",
            ]),
        // Floor 6
        room(
            "PeerSession",
            [
                "MDNS", "DNSSD", "DNSMessages", "PeerProtocol", "CryptoPrimitives",
                "LinuxEventLoop", "LinuxNetworking", "NetworkPrimitives",
            ]),
        room(
            "LocalNetworkAccess",
            ["MDNS", "LinuxEventLoop", "LinuxNetworking", "NetworkPrimitives"]),
        room("Conformance", []),
        // Floor 7
        .executableTarget(
            name: "MDNSTool",
            dependencies: [
                "LocalNetworkAccess", "MDNS", "LinuxEventLoop", "LinuxNetworking",
                "NetworkSimulation", "PacketCapture", "DNSMessages", "NetworkPrimitives",
            ], swiftSettings: strict),

        // What tests of several targets need
        .target(
            name: "ProcessSupport",
            dependencies: ["CLinux", "LinuxEventLoop", "LinuxNetworking", "NetworkPrimitives"],
            path: "Tests/ProcessSupport", swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["LinuxNetworking", "ProcessSupport"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(name: "PairTable", path: "Tests/PairTable", swiftSettings: strict),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["DNSMessages", "LinuxNetworking", "MulticastDNS", "NetworkPrimitives"],
            path: "Tests/Benchmarks", exclude: ["peers"], swiftSettings: strict),

        .executableTarget(
            name: "CryptoProbe",
            dependencies: ["Noise", "CryptoPrimitives", "LinuxNetworking", "NetworkPrimitives"],
            path: "Tests/CryptoProbe", swiftSettings: strict),
        .executableTarget(
            name: "ManyServices", dependencies: ["MDNS", "LinuxNetworking"],
            path: "Tests/ManyServices", swiftSettings: strict),

        // What is fuzzed, also replayed by FuzzingTests
        .target(
            name: "FuzzChecks",
            dependencies: [
                "LocalNetworkAccess", "DNSSD", "MulticastDNS", "PacketCapture", "DNSMessages",
                "NetworkPrimitives",
            ],
            path: "Tests/FuzzChecks",
            swiftSettings: strict),

        // What must come out alike where Int has 32 bits (.ci/wasm)
        .executableTarget(
            name: "EmbeddedCheck",
            dependencies: [
                "FuzzChecks", "NetworkSimulation", "PacketCapture", "DNSMessages",
                "LinuxNetworking", "NetworkPrimitives",
            ],
            path: "Tests/EmbeddedCheck", swiftSettings: strict),

        tests("ArchitectureTests", ["LinuxNetworking", "TestSupport"]),
        tests("LabTests", ["LinuxNetworking", "ProcessSupport", "TestSupport"]),
        tests("NetworkPrimitivesTests", ["NetworkPrimitives"]),
        tests(
            "CryptoPrimitivesTests",
            [
                "CryptoProbe", "CryptoPrimitives", "NetworkPrimitives", "TestSupport",
                "ProcessSupport", "LinuxNetworking",
            ]),
        tests(
            "NoiseTests",
            [
                "CryptoProbe", "Noise", "CryptoPrimitives", "NetworkPrimitives", "TestSupport",
                "ProcessSupport", "LinuxNetworking",
            ]),
        tests(
            "PeerProtocolTests",
            [
                "PeerProtocol", "Noise", "CryptoPrimitives", "NetworkPrimitives", "TestSupport",
                "LinuxNetworking",
            ]),
        tests("DNSMessagesTests", ["DNSMessages", "NetworkPrimitives"]),
        tests(
            "MulticastDNSTests",
            [
                "PairTable", "NetworkSimulation", "MulticastDNS", "DNSMessages",
                "NetworkPrimitives",
            ]),
        tests(
            "DNSSDTests",
            [
                "PairTable", "NetworkSimulation", "DNSSD", "MulticastDNS", "DNSMessages",
                "NetworkPrimitives",
            ]),
        tests("PacketCaptureTests", ["PacketCapture", "NetworkPrimitives"]),
        tests(
            "LinuxNetworkingTests",
            [
                "LinuxEventLoop", "LinuxNetworking", "ProcessSupport", "TestSupport",
                "NetworkPrimitives",
            ]),
        tests(
            "SimulationTests",
            [
                "NetworkSimulation", "PacketCapture", "DNSSD", "MulticastDNS", "DNSMessages",
                "TestSupport", "LinuxNetworking", "NetworkPrimitives",
            ]),
        tests("FuzzingTests", ["FuzzChecks", "TestSupport", "LinuxNetworking"]),
        tests(
            "LocalNetworkAccessTests",
            [
                "LocalNetworkAccess", "MDNS", "LinuxEventLoop", "LinuxNetworking",
                "ProcessSupport", "TestSupport", "NetworkPrimitives",
            ]),
        tests(
            "ConformanceTests", ["Conformance", "PairTable", "TestSupport", "LinuxNetworking"]),
        tests(
            "LinuxDiscoveryTests",
            [
                "LinuxDiscovery", "ProcessSupport", "TestSupport", "LinuxEventLoop", "DNSSD",
                "MulticastDNS", "DNSMessages", "LinuxNetworking", "NetworkPrimitives",
            ]),
        tests(
            "MDNSTests",
            [
                "MDNS", "LinuxDiscovery", "ProcessSupport", "TestSupport", "LinuxEventLoop",
                "LinuxNetworking", "MulticastDNS", "DNSMessages", "NetworkPrimitives",
            ]),
        tests(
            "PeerSessionTests",
            [
                "PeerSession", "PeerProtocol", "MDNS", "ProcessSupport", "TestSupport",
                "CryptoPrimitives", "LinuxEventLoop", "LinuxNetworking", "NetworkPrimitives",
            ]),
        tests(
            "MDNSToolTests",
            [
                "MDNSTool", "LocalNetworkAccess", "MDNS", "ProcessSupport", "TestSupport",
                "LinuxNetworking",
                "PacketCapture",
                "DNSMessages",
                "NetworkPrimitives",
            ]),
    ]
        + (fuzzing
            ? [
                .executableTarget(
                    name: "Fuzzing", dependencies: ["FuzzChecks", "LinuxNetworking"],
                    path: "Tests/Fuzzing", exclude: ["run"],
                    swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])],
                    linkerSettings: [.unsafeFlags(instrumented + ["-use-ld=lld"])])
            ] : [])
)

// `VICINITY_TARGETS=A,B` keeps these targets and what they are made of: `swift test` builds every
// test target there is, whatever its filter says, and a sanitizer needs a build of its own.
if let wanted = Context.environment["VICINITY_TARGETS"] {
    var kept: Set<String> = []
    var waiting = wanted.split(separator: ",").map { String($0) }
    while let name = waiting.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("VICINITY_TARGETS: there is no target '\(name)'")
        }
        for case .byNameItem(let dependency, _) in target.dependencies {
            waiting.append(dependency)
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        guard let library = product as? Product.Library else { return true }
        return !library.targets.allSatisfy { kept.contains($0) }
    }
}
