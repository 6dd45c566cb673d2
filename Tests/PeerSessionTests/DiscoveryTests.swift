import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import TestSupport
import Testing

@Suite("Sessions find each other", .makesNetworks, .timeLimit(.minutes(10)))
struct DiscoveryTests {
    @Test("By multicast: found with name and info, invited, and lost when it leaves")
    func finds() async throws {
        let loop = try EventLoop(name: "discovery")
        try await LoopbackNetwork(loop).enter()
        var options = try SessionPair.options("Anna")
        options.interfaces = .named(["lo"])
        let anna = try await PeerSession(options, loop: loop)
        options.name = try PeerName("Bert")
        let bert = try await PeerSession(options, loop: loop)
        let reserved = await #expect(throws: PeerSessionError.self) {
            try await bert.advertise(["n": "x"])
        }
        #expect(reserved?.code == .invalidArgument)
        try await anna.advertise()
        try await anna.browse()
        try await bert.advertise(["board": "3"])
        var annas = await EventLog(anna)
        var found: FoundPeer?
        for await peers in await anna.foundUpdates() {
            found = peers.first
            if found != nil { break }
        }
        let peer = try #require(found)
        // Only the other one, and nothing that tells who it is for ever.
        #expect(await anna.foundPeers == [peer])
        #expect(peer.name?.text == "Bert" && peer.info == ["board": "3"] && peer.isCompatible)
        async let accepted = acceptNext(bert)
        let one = try await anna.invite(peer)
        #expect(one.peer.identity == bert.identity)
        let two = try await accepted
        try await two.send([1])
        for try await message in one.messages {
            #expect(message.bytes == [1])
            break
        }
        await bert.close()
        let lost = try await annas.first { if case .lost(let peer) = $0 { peer.id } else { nil } }
        #expect(lost == peer.id)
        #expect(await anna.foundPeers.isEmpty)
        await anna.close()
        await loop.stop()
    }
}
