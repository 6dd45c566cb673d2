import DNSMessages
import DNSSD
import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

@testable import LinuxDiscovery

@Suite("A node that waits in the calling thread", .makesNetworks, .timeLimit(.minutes(10)))
struct DiscoveryLoopTests {
    private static let type = "_vicinity-test._tcp"

    @Test(
        "A service is found, resolved, looked up, changed, and gone with its goodbye",
        arguments: [AddressFamily.ipv4, .ipv6])
    func services(family: AddressFamily) async throws {
        try await LoopThread.run { thread in
            if family == .ipv6 {
                try await thread.shell("ip -6 route add local ff02::/16 dev lo table local")
            }
            let one = try thread.participant("loop-one", families: [family])
            let two = try thread.participant("loop-two", families: [family])
            let turns = Turns(loops: [one, two])
            let type = try ServiceType(Self.type)
            let registration = try one.node.register(
                ServiceDescription(name: "Blocking", type: type, port: 4711))
            let established = try turns.first(0) { happening in
                if case .event(registration, .registration(.established(let name))) = happening {
                    name
                } else {
                    nil
                }
            }
            let name = try #require(ServiceInstanceName(established))

            let browse = try two.node.startBrowse(type)
            let found = try turns.first(1) { happening in
                if case .event(browse, .browse(.added(let found))) = happening {
                    found
                } else {
                    nil
                }
            }
            #expect(found.name == name)
            let resolution = try two.node.startResolve(name)
            let service = try turns.first(1) { happening in
                if case .event(resolution, .resolution(.resolved(let service))) = happening {
                    service
                } else {
                    nil
                }
            }
            #expect(service.port == 4711)
            #expect(service.host == one.node.hostName)
            let lookup = try two.node.startAddressLookup(of: service.host, families: [family])
            let address = try turns.first(1) { happening in
                if case .event(lookup, .addresses(.added(let address, _, _))) = happening {
                    address
                } else {
                    nil
                }
            }
            #expect(address.isLoopback)
            try one.node.update(registration, txt: TXTRecord([.init("path", .text("/"))]))
            let text = try turns.first(1) { happening in
                if case .event(resolution, .resolution(.resolved(let service))) = happening {
                    service.txt["path"]?.text
                } else {
                    nil
                }
            }
            #expect(text == "/")
            #expect(try one.withdraw(registration) == .sent)
            let gone = try turns.first(1) { happening in
                if case .event(browse, .browse(.removed(let gone))) = happening {
                    gone
                } else {
                    nil
                }
            }
            #expect(gone.name == name)
            #expect(try one.close() == .sent)
            #expect(try two.close() == .sent)
        }
    }

    @Test("It wakes up for its deadlines only, and not at all when there are none")
    func idle() async throws {
        try await LoopThread.run { thread in
            let loop = try thread.participant("loop-one")
            // What the interface's coming up asks for.
            guard case .deadline = try loop.next(until: Self.time(in: .milliseconds(50))) else {
                Issue.record("something happened")
                return
            }
            #expect(loop.node.discoveryDeadline == nil)
            let before = loop.waitCount
            guard case .deadline = try loop.next(until: Self.time(in: .milliseconds(300))) else {
                Issue.record("something happened")
                return
            }
            #expect(loop.waitCount == before + 1)
            _ = try loop.close()
        }
    }

    @Test("A deadline that has passed ends it, but what has happened by then comes first")
    func deadline() async throws {
        try await LoopThread.run { thread in
            let loop = try thread.participant("loop-one")
            let id = try loop.node.register(
                ServiceDescription(name: "A", type: ServiceType(Self.type), port: 1))
            guard case .event(id, .registration(.probing)) = try loop.next(until: .zero) else {
                Issue.record("the event was not first")
                return
            }
            guard case .deadline = try loop.next(until: .zero) else {
                Issue.record("the deadline did not end it")
                return
            }
            // Nothing of what was stopped comes any more.
            loop.node.stop(id)
            guard case .deadline = try loop.next(until: .zero) else {
                Issue.record("a stopped operation had an event")
                return
            }
            _ = try loop.close()
        }
    }

    @Test("Signals are reported, each once")
    func signals() async throws {
        try await LoopThread.run { thread in
            ProcessSignals.block([.interrupt, .hangUp])
            let loop = try thread.participant("loop-one", signals: [.interrupt, .hangUp])
            for signal in [ProcessSignals.Signal.hangUp, .interrupt] {
                ProcessSignals.raiseHere(signal)
                guard case .signal(signal) = try loop.next(until: Self.time(in: .seconds(10)))
                else {
                    Issue.record("\(signal) was not reported")
                    return
                }
            }
            guard case .deadline = try loop.next(until: .zero) else {
                Issue.record("a signal was reported twice")
                return
            }
            _ = try loop.close()
        }
    }

    @Test("Packets are shown while they are watched, also those that were sent")
    func packets() async throws {
        try await LoopThread.run { thread in
            let one = try thread.participant("loop-one")
            let two = try thread.participant("loop-two")
            let turns = Turns(loops: [one, two])
            two.node.watchesPackets = true
            let query = try one.node.startQuery(Question(DomainName("x.local"), .a))
            let received = try turns.first(1) { happening in
                if case .packet(let packet) = happening { packet } else { nil }
            }
            #expect(received.direction == .received)
            #expect(try Message.decode(received.payload.span).message.questions.count == 1)
            one.node.stop(query)
            two.node.watchesPackets = false
            _ = try two.node.startQuery(Question(DomainName("y.local"), .a))
            guard case .deadline = try two.next(until: Self.time(in: .milliseconds(300))) else {
                Issue.record("a packet was shown that nobody watched")
                return
            }
            _ = try one.close()
            _ = try two.close()
        }
    }

    @Test("A closed loop refuses, and says so")
    func closed() async throws {
        try await LoopThread.run { thread in
            let loop = try thread.participant("loop-one")
            #expect(try loop.close() == .sent)
            let error = #expect(throws: MDNSError.self) {
                try loop.node.startBrowse(ServiceType(Self.type))
            }
            #expect(error?.code == .nodeClosed)
            // The port is free for one that does not share it, once no child of another test
            // holds copies of the sockets any more.
            let limit = SystemClock.now.advanced(by: .seconds(20))
            var exclusive = try? DatagramSocket(.ipv4, port: 5353)
            while exclusive == nil, SystemClock.now < limit {
                await Task.yield()
                exclusive = try? DatagramSocket(.ipv4, port: 5353)
            }
            #expect(exclusive != nil)
        }
    }

    private static func time(in duration: Duration) -> Instant {
        SystemClock.now.advanced(by: duration)
    }
}
