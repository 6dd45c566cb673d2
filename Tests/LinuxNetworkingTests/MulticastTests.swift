import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

@Suite(
    "Groups, in a network of their own", .timeLimit(.minutes(5)),
    .makesNetworks)
struct MulticastTests {
    private let lo = InterfaceIndex(rawValue: 1)
    private let group4 = IPAddress.v4(.multicastDNS)
    private let group6 = IPAddress.v6(.multicastDNS)

    /// One end of a cable each, with an address of each family that is usable at once.
    private func interfaces(_ names: String...) -> String {
        names.enumerated().map { index, name in
            """
            ip link add \(name) type veth peer name \(name)p
            echo 0 > /proc/sys/net/ipv6/conf/\(name)/accept_dad
            ip link set \(name)p up
            ip link set \(name) up
            ip addr add 10.9.\(index).1/24 dev \(name)

            """
        }.joined()
    }

    @Test("M11-1 on the loopback a group's datagram arrives once, its hop limit 255")
    func loopback() async throws {
        try await NetworkCell.with { cell in
            let one = try await cell.open(.ipv4, sharesPort: true)
            let port = await cell.port(one)
            let two = try await cell.open(.ipv4, port: port, sharesPort: true)
            for socket in [one, two] { try await cell.join(socket, group4, lo) }
            for number in 0..<3 as Range<UInt8> {
                let result = await cell.send(
                    one, [number], to: group4, port: port, on: lo, from: .v4(.loopback))
                #expect(result == .sent)
            }
            await cell.wait { $0.received[0].count >= 3 && $0.received[1].count >= 3 }
            for socket in [one, two] {
                #expect(await cell.bytes(socket) == [[0], [1], [2]])
                let info = try #require(await cell.infos(socket).first)
                #expect(info.source == SocketAddress(.v4(.loopback), port: port))
                #expect(info.destination == group4)
                #expect(info.interface == lo)
                #expect(info.hopLimit == 255)
            }
        }
    }

    @Test("IPv6 on a loopback without a route for groups is told as unreachable")
    func loopbackIPv6() async throws {
        try await NetworkCell.with { cell in
            let socket = try await cell.open(.ipv6)
            try await cell.join(socket, group6, lo)
            let result = await cell.send(
                socket, [1], to: group6, port: cell.port(socket), on: lo, from: .v6(.loopback))
            #expect(result == .failed(.networkUnreachable))
            #expect(await cell.statistics(socket).sendErrors == 1)
        }
    }

    @Test("Each datagram leaves by the interface it is given, and only members there get it")
    func interfacesApart() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(interfaces("d0", "d1"))
            let d0 = try await cell.index("d0")
            let d1 = try await cell.index("d1")
            let both = try await cell.open(.ipv4, sharesPort: true)
            let port = await cell.port(both)
            let second = try await cell.open(.ipv4, port: port, sharesPort: true)
            try await cell.join(both, group4, d0)
            try await cell.join(both, group4, d1)
            try await cell.join(second, group4, d1)
            #expect(await cell.send(both, [0], to: group4, port: port, on: d0) == .sent)
            #expect(await cell.send(both, [1], to: group4, port: port, on: d1) == .sent)
            await cell.wait { $0.received[0].count >= 2 && $0.received[1].count >= 1 }
            #expect(await cell.bytes(both) == [[0], [1]])
            #expect(await cell.interfaces(both) == [d0, d1])
            #expect(
                await cell.sources(both).map(\.address) == [
                    .v4(IPv4Address(10, 9, 0, 1)), .v4(IPv4Address(10, 9, 1, 1)),
                ])
            // A datagram by d0 would have come before this one.
            #expect(await cell.bytes(second) == [[1]])
        }
    }

    @Test("IPv6 groups work on an interface, and the source is its link-local address")
    func linkLocal() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(interfaces("d0"))
            let d0 = try await cell.index("d0")
            let socket = try await cell.open(.ipv6)
            let port = await cell.port(socket)
            try await cell.join(socket, group6, d0)
            #expect(await cell.send(socket, [6], to: group6, port: port, on: d0) == .sent)
            await cell.wait { !$0.received[0].isEmpty }
            let info = try #require(await cell.infos(socket).first)
            #expect(info.source.address.isLinkLocal)
            #expect(info.source.scope == d0)
            #expect(info.destination == group6)
            #expect(info.interface == d0)
            #expect(info.hopLimit == 255)
            // An answer to the link-local source needs the interface to be understood.
            #expect(
                await cell.send(
                    socket, [7], to: info.source.address, port: port, on: info.interface) == .sent)
            await cell.wait { $0.received[0].count == 2 }
            #expect(await cell.bytes(socket) == [[6], [7]])
        }
    }

    @Test("More interfaces than the kernel lets one socket join")
    func manyInterfaces() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(
                """
                for i in $(seq 42); do
                    echo link add d$i type veth peer name p$i
                    echo link set p$i up
                    echo link set d$i up
                    echo addr add 10.9.$i.1/24 dev d$i
                done | ip -batch -
                """)
            let socket = try await cell.open(.ipv4, sharesPort: true)
            let port = await cell.port(socket)
            let other = try await cell.open(.ipv4, port: port, sharesPort: true)
            let all = try await cell.allInterfaces().filter { $0.name.hasPrefix("d") }.map(\.index)
            for index in all.dropLast() { try await cell.join(socket, group4, index) }
            let last = try #require(all.last)
            try await cell.join(other, group4, last)
            // Not ours, though another socket on this machine has joined there.
            #expect(await cell.send(socket, [0], to: group4, port: port, on: last) == .sent)
            for index in all.dropLast() {
                #expect(await cell.send(socket, [1], to: group4, port: port, on: index) == .sent)
            }
            await cell.wait { $0.received[0].count >= 41 && !$0.received[1].isEmpty }
            #expect(await cell.interfaces(socket) == Array(all.dropLast()))
            #expect(await cell.interfaces(other) == [last])
            // Once left, nothing arrives of them; of the one after them it does.
            for index in all.dropLast(2) { await cell.leave(socket, group4, index) }
            for index in all.dropLast() {
                _ = await cell.send(socket, [2], to: group4, port: port, on: index)
            }
            await cell.wait { $0.received[0].count >= 42 }
            #expect(await cell.bytes(socket).filter { $0 == [2] }.count == 1)
        }
    }

    @Test("An interface that vanishes is a refused datagram; the others go on")
    func vanishing() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(interfaces("d0", "d1"))
            let d0 = try await cell.index("d0")
            let d1 = try await cell.index("d1")
            let socket = try await cell.open(.ipv4)
            let port = await cell.port(socket)
            try await cell.join(socket, group4, d0)
            try await cell.join(socket, group4, d1)
            try await cell.run("ip link del d0")
            let gone = await cell.send(socket, [0], to: group4, port: port, on: d0)
            #expect(gone == .failed(.noSuchDevice) || gone == .failed(.networkUnreachable))
            await cell.leave(socket, group4, d0)
            #expect(await cell.send(socket, [1], to: group4, port: port, on: d1) == .sent)
            await cell.wait { !$0.received[0].isEmpty }
            #expect(await cell.bytes(socket) == [[1]])
        }
    }

    @Test("What a packet filter forbids is told")
    func filtered() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(
                """
                nft add table inet t
                nft add chain inet t o '{ type filter hook output priority 0; }'
                nft add rule inet t o ip daddr 224.0.0.251 drop
                """)
            let socket = try await cell.open(.ipv4)
            let result = await cell.send(
                socket, [1], to: group4, port: cell.port(socket), on: lo, from: .v4(.loopback))
            #expect(result == .failed(.notPermitted))
        }
    }

    @Test("A burst that a slow link can't take at once is sent later, in order")
    func slowLink() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(
                interfaces("d0") + "tc qdisc add dev d0 root tbf rate 4mbit burst 3k limit 10m")
            let d0 = try await cell.index("d0")
            let socket = try await cell.open(.ipv4)
            try await cell.join(socket, group4, d0)
            let bytes = (0..<250).map { [UInt8($0)] + [UInt8](repeating: 0, count: 1399) }
            let results = Set(await cell.send(socket, all: bytes, to: group4, on: d0))
            #expect(results.contains(.queued) && results.subtracting([.sent, .queued]).isEmpty)
            await cell.wait { $0.received[0].count >= 250 }
            #expect(await cell.bytes(socket) == bytes)
            #expect(await cell.statistics(socket).sent == 250)
            #expect(await cell.statistics(socket).droppedUnsent == 0)
        }
    }
}
