import LinuxNetworking
import NetworkPrimitives
import Testing

@testable import LocalNetworkAccess

/// A host and what is said of it.
struct JudgedCase: Sendable, CustomTestStringConvertible {
    let name: String
    let facts: LocalNetworkFacts
    let status: LocalNetworkAccessStatus
    let reasons: [String]

    init(
        _ name: String, _ facts: LocalNetworkFacts, _ status: LocalNetworkAccessStatus,
        _ reasons: String..., change: (inout LocalNetworkFacts) -> Void = { _ in }
    ) {
        var facts = facts
        change(&facts)
        self.name = name
        self.facts = facts
        self.status = status
        self.reasons = reasons
    }

    var testDescription: String { name }
}

@Suite("Judging facts")
struct AccessJudgeTests {
    typealias Sample = FactSamples

    private static let passive: [JudgedCase] = [
        .init("healthy, untried", Sample.healthy, .notDetermined),
        .init("01 no interface", LocalNetworkFacts(), .unknown, "no-interface"),
        .init("02 only the loopback", Sample.host(), .unknown, "only-loopback"),
        .init(
            "03 down", Sample.host(Sample.interface(flags: [.multicast])), .unknown,
            "interface-down"),
        .init(
            "04 no carrier", Sample.host(Sample.interface(flags: [.up, .multicast])), .unknown,
            "no-carrier"),
        .init(
            "05 multicast off", Sample.host(Sample.interface(flags: [.up, .running])), .unknown,
            "multicast-off"),
        .init(
            "06 no IPv4", Sample.host(Sample.interface(addresses: ["fe80::7"])), .notDetermined,
            "family-missing"),
        .init(
            "07 IPv6 off", Sample.host(Sample.interface(addresses: ["192.0.2.7"])),
            .notDetermined, "ipv6-disabled"
        ) { $0.interfaces[1].isIPv6Disabled = true },
        .init(
            "08 tentative", Sample.host(Sample.interface(isTentative: true)), .unknown,
            "address-tentative"),
        .init(
            "09 duplicate", Sample.host(Sample.interface(isTentative: true)), .unknown,
            "address-duplicated"
        ) { $0.interfaces[1].duplicateAddresses = [.v4(IPv4Address(192, 0, 2, 7))] },
        .init("no address", Sample.host(Sample.interface(addresses: [])), .unknown, "no-address"),
        .init(
            "a tunnel alone",
            Sample.host(
                Sample.interface("wg0", flags: [.up, .running, .multicast, .pointToPoint])),
            .unknown, "point-to-point"),
        .init("18 port held", Sample.healthy, .denied, "port-held", "port-held") {
            $0.refusals = Self.refusals(.bind, .addressInUse)
            $0.portHolders = [PortHolder(.ipv4, user: 1000), PortHolder(.ipv6, user: 1000)]
        },
        .init(
            "19 held by another user", Sample.healthy, .denied, "port-held-by-other-user",
            "port-held-by-other-user"
        ) {
            $0.refusals = Self.refusals(.bind, .addressInUse)
            $0.portHolders = [PortHolder(.ipv4, user: 12345), PortHolder(.ipv6, user: 12345)]
        },
        .init(
            "the only family held", Sample.host(Sample.interface(addresses: ["192.0.2.7"])),
            .denied, "port-held", "family-missing"
        ) {
            $0.refusals = [
                Refusal(.bind, .ipv4, number: SystemError.Code.addressInUse.rawValue)
            ]
        },
        .init("one family held", Sample.healthy, .notDetermined, "port-held") {
            $0.refusals = [
                Refusal(.bind, .ipv6, number: SystemError.Code.addressInUse.rawValue)
            ]
        },
        .init(
            "24 sockets refused", Sample.healthy, .denied, "sockets-refused", "sockets-refused"
        ) { $0.refusals = Self.refusals(.socket, .notPermitted) },
        .init(
            "25 families restricted", Sample.healthy, .denied, "sockets-refused",
            "sockets-refused"
        ) {
            $0.refusals = Self.refusals(.socket, .familyUnsupported)
            $0.process.hasSystemCallFilter = true
        },
        .init(
            "a kernel without IPv6", Sample.host(Sample.interface(addresses: ["192.0.2.7"])),
            .notDetermined, "family-missing"
        ) {
            $0.interfaces[0] = Sample.interface(
                "lo", InterfaceIndex(rawValue: 1), flags: [.up, .loopback],
                addresses: ["127.0.0.1"])
            $0.refusals = [
                Refusal(.socket, .ipv6, number: SystemError.Code.familyUnsupported.rawValue)
            ]
        },
        .init("26 netlink refused", Sample.healthy, .notDetermined, "interfaces-polled") {
            $0.interfaceReportsError = SystemError.Code.notPermitted.rawValue
        },
        .init(
            "28 too few files", Sample.healthy, .denied, "too-many-open-files",
            "too-many-open-files"
        ) { $0.refusals = Self.refusals(.socket, .tooManyFiles) },
        .init("29 port reserved", Sample.healthy, .denied, "port-reserved", "port-reserved") {
            $0.refusals = Self.refusals(.bind, .accessDenied)
        },
        .init(
            "30 container behind a bridge", Sample.healthy, .notDetermined, "container-bridge"
        ) {
            $0.interfaces[1].kind = "veth"
            $0.interfaces[1].hasPeerElsewhere = true
            $0.routes = [Self.defaultRoute("lan0", "192.0.2.1")]
        },
        .init("a veth without a router", Sample.healthy, .notDetermined) {
            $0.interfaces[1].kind = "veth"
            $0.interfaces[1].hasPeerElsewhere = true
        },
        .init("31 macvlan", Sample.healthy, .notDetermined, "macvlan") {
            $0.interfaces[1].kind = "macvlan"
        },
        .init("37 VPN has the default route", Sample.healthy, .notDetermined, "tunnel") {
            $0.interfaces.append(
                Sample.interface(
                    "tun0", InterfaceIndex(rawValue: 3), flags: [.up, .running, .pointToPoint],
                    addresses: ["10.8.0.2"]))
            $0.routes = [Self.defaultRoute("tun0", nil)]
        },
        .init(
            "40 no IPv6 multicast route", Sample.healthy, .notDetermined,
            "multicast-route-missing"
        ) {
            let prefix = NetworkPrefix(.v6(IPv6Address(high: 0xFE80 << 48, low: 0)), length: 64)
            $0.routes = [RouteFacts(prefix, interface: "lan0")]
        },
        .init(
            "43 MTU below that of IPv6", Sample.host(Sample.interface(mtu: 1279)),
            .notDetermined, "mtu-too-small"),
        .init("an MTU that is enough", Sample.host(Sample.interface(mtu: 1280)), .notDetermined),
        .init(
            "57 user-mode network", Sample.host(Sample.interface(addresses: ["10.0.2.100"])),
            .notDetermined, "user-mode-network", "family-missing"
        ) {
            $0.interfaces[1].kind = "tun"
            $0.routes = [Self.defaultRoute("lan0", "10.0.2.2")]
        },
        .init("21 host name of a daemon", Sample.healthy, .notDetermined, "host-name-shared") {
            $0.hostNameDaemon = "avahi-daemon"
            $0.usesPlainHostName = true
        },
        .init("beside Avahi, with a suffix", Sample.healthy, .notDetermined) {
            $0.hostNameDaemon = "avahi-daemon"
            $0.portHolders = [PortHolder(.ipv4, user: 105), PortHolder(.ipv6, user: 105)]
        },
        .init("the loopback alone is used", Sample.healthy, .notRequired) {
            $0.selection = .named(["lo"])
        },
        .init(
            "the loopback alone is used, without a socket", Sample.healthy, .denied,
            "sockets-refused", "sockets-refused"
        ) {
            $0.selection = .named(["lo"])
            $0.refusals = Self.refusals(.socket, .notPermitted)
        },
    ]

    private static let active: [JudgedCase] = [
        .init("00 healthy", Sample.tried { Sample.working($0, received: 2) }, .allowed),
        .init(
            "51 nobody there", Sample.tried { Sample.working($0) }, .allowed, "nobody-answered"),
        .init(
            "35 neighbours, and nothing received", Sample.tried { Sample.working($0) }, .allowed,
            "nothing-received"
        ) { $0.neighbourCount = 3 },
        .init(
            "10 output dropped", Sample.tried { Sample.refused($0, .notPermitted) }, .denied,
            "sending-refused", "sending-refused"),
        .init(
            "27 sending filtered",
            Sample.tried { family in
                var traffic = Sample.refused(family, .notPermitted)
                traffic.isLoopbackRefused = true
                return traffic
            }, .denied, "sending-filtered"),
        .init(
            "17 dropped at the device", Sample.tried { Sample.refused($0, .noBufferSpace) },
            .denied, "output-dropped", "output-dropped"),
        .init(
            "40 no route at all", Sample.tried { Sample.refused($0, .networkUnreachable) },
            .denied, "multicast-route-missing", "multicast-route-missing"),
        .init(
            "sending fails otherwise", Sample.tried { Sample.refused($0, .inputOutput) },
            .denied, "sending-failed", "sending-failed"),
        .init(
            "the interface went meanwhile", Sample.tried { Sample.refused($0, .networkDown) },
            .notDetermined),
        .init(
            "11 input dropped", Sample.tried { Sample.silent($0) }, .denied, "input-dropped",
            "input-dropped"
        ) { $0.counters.multicastReceived = 4 },
        .init(
            "copies not awaited yet",
            Sample.tried { family in
                var traffic = Sample.silent(family)
                traffic.isSettled = false
                return traffic
            }, .notDetermined),
        .init(
            "22 no membership allowed",
            Sample.tried { family in
                var traffic = Sample.silent(family)
                traffic.isJoined = false
                traffic.joinError = SystemError.Code.noBufferSpace.rawValue
                return traffic
            }, .denied, "membership-limit", "join-refused"
        ) { $0.membershipLimit = 0 },
        .init(
            "45 reverse path filter", Sample.tried { Sample.working($0) }, .allowed,
            "reverse-path-filtered", "nobody-answered"
        ) { $0.counters.reversePathDropped = 2 },
        .init(
            "59 port redirected", Sample.tried { Sample.working($0) }, .allowed,
            "port-redirected", "nobody-answered"
        ) { $0.counters.portUnreachable = 2 },
        .init(
            "46 hop limit changed", Sample.tried { Sample.working($0, received: 1) }, .allowed,
            "hop-limit-changed", "hop-limit-changed"
        ) { facts in
            for place in facts.traffic.indices { facts.traffic[place].loopedBackHopLimit = 1 }
        },
        .init("16 only IPv6 dropped", Sample.healthy, .allowed, "input-dropped") {
            $0.traffic = [Sample.working(.ipv4, received: 1), Sample.silent(.ipv6)]
        },
        .init("only IPv4 refused", Sample.healthy, .allowed, "sending-refused") {
            $0.traffic = [
                Sample.refused(.ipv4, .notPermitted), Sample.working(.ipv6, received: 1),
            ]
        },
        .init("one family refused, the other untried", Sample.healthy, .notDetermined) {
            $0.families = [.ipv4, .ipv6]
            $0.traffic = [Sample.traffic(.ipv4), Sample.traffic(.ipv6)]
        },
        .init(
            "47 suspended: silence says nothing", Sample.tried { Sample.silent($0) },
            .notDetermined, "suspended"
        ) { $0.process.wasSuspended = true },
        .init(
            "suspended, but others were received",
            Sample.tried { Sample.working($0, received: 1) }, .allowed, "suspended"
        ) { $0.process.wasSuspended = true },
    ]

    private static func refusals(
        _ operation: Refusal.Operation, _ code: SystemError.Code
    ) -> [Refusal] {
        AddressFamily.allCases.map { Refusal(operation, $0, number: code.rawValue) }
    }

    private static func defaultRoute(_ interface: String, _ gateway: String?) -> RouteFacts {
        RouteFacts(
            NetworkPrefix(.v4(.unspecified), length: 0), interface: interface,
            gateway: gateway.flatMap { IPAddress($0) })
    }

    @Test("each cause has its status and its reasons", arguments: passive + active)
    func table(sample: JudgedCase) {
        let assessment = AccessJudge.assess(sample.facts)
        #expect(assessment.status == sample.status)
        #expect(assessment.reasons.map { $0.name } == sample.reasons)
        #expect(assessment.network == sample.facts.network)
    }

    @Test("each reason has a name, a text and a remedy", arguments: passive + active)
    func texts(sample: JudgedCase) {
        for reason in AccessJudge.assess(sample.facts).reasons {
            #expect(!reason.name.isEmpty && !reason.text.isEmpty && !reason.remedy.isEmpty)
            #expect(reason.text.last != "." && !reason.text.contains("nil"))
            #expect(reason.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
            #expect(reason.description.contains(reason.text))
        }
    }

    @Test("while it is tried the status is not determined", arguments: active)
    func running(sample: JudgedCase) {
        #expect(AccessJudge.assess(sample.facts, isRunning: true).status == .notDetermined)
    }

    @Test("without an interface that is up nothing is a denial", arguments: passive + active)
    func noInterface(sample: JudgedCase) {
        var facts = sample.facts
        for place in facts.interfaces.indices {
            facts.interfaces[place].interface.flags.remove(.up)
        }
        for isRunning in [false, true] {
            #expect(AccessJudge.assess(facts, isRunning: isRunning).status == .unknown)
        }
    }

    @Test("what a suspended process saw is no denial by silence", arguments: active)
    func suspended(sample: JudgedCase) {
        var facts = sample.facts
        facts.process.wasSuspended = true
        let assessment = AccessJudge.assess(facts)
        #expect(!assessment.reasons.contains { $0.name == "input-dropped" })
        #expect(assessment.reasons.contains(.suspended))
    }

    @Test("where a packet is dropped on its way in is told by the counters")
    func places() {
        var facts = Sample.tried { Sample.silent($0) }
        facts.counters.multicastReceived = 4
        facts.counters.multicastReceivedIPv6 = 0
        #expect(
            AccessJudge.assess(facts).reasons == [
                .inputDropped("lan0", .ipv4, .packetFilter),
                .inputDropped("lan0", .ipv6, .device),
            ])
        facts.counters = CounterFacts()
        #expect(AccessJudge.assess(facts).reasons.first == .inputDropped("lan0", .ipv4, .unknown))
    }

    @Test("one of two interfaces that works is enough, in either order", arguments: [2, 3])
    func twoInterfaces(_ number: UInt32) {
        let other = InterfaceIndex(rawValue: 3)
        var facts = Sample.host(Sample.interface(), Sample.interface("lan1", other))
        for family in AddressFamily.allCases {
            for index in [Sample.index, other] {
                facts.traffic.append(
                    index.rawValue == number
                        ? Sample.working(family, index, received: 1)
                        : Sample.traffic(family, index) {
                            $0.sendError = SystemError.Code.notPermitted.rawValue
                        })
            }
        }
        let assessment = AccessJudge.assess(facts)
        #expect(assessment.status == .allowed)
        let bad = number == 2 ? "lan1" : "lan0"
        #expect(assessment.reasons.count == 2)
        #expect(assessment.reasons.allSatisfy { $0.text.contains(bad) })
        // The bad one alone is no denial either, as long as the other was not tried.
        facts.traffic.removeAll { $0.interface.rawValue == number }
        #expect(AccessJudge.assess(facts).status == .notDetermined)
    }
}
