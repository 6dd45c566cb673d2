import NetworkPrimitives
import PeerProtocol
import Testing

@Suite("Restarts and clones")
struct RunTableTests {
    private let anna = PeerIdentity(key: deviceKey(1), id: PeerID(rawValue: 1))
    private let bert = PeerIdentity(key: deviceKey(1), id: PeerID(rawValue: 2))

    private func run(_ number: UInt64) -> RunNumber { RunNumber(rawValue: number) }
    private func time(_ milliseconds: Int64) -> Instant {
        .zero.advanced(by: .milliseconds(milliseconds))
    }

    @Test func silenceIsARestart() {
        var table = RunTable()
        #expect(table.connected(anna, run(1), now: time(0)) == [.accept(anna, run(1))])
        #expect(table.connected(anna, run(1), now: time(5)) == [.accept(anna, run(1))])
        #expect(table.connected(anna, run(2), now: time(10)) == [.ping(anna, run(1))])
        #expect(table.connected(anna, run(2), now: time(20)).isEmpty)
        #expect(table.deadline == time(1010))
        #expect(table.advance(to: time(1009)).isEmpty)
        #expect(
            table.advance(to: time(1010)) == [
                .restarted(anna, old: run(1), new: run(2)), .accept(anna, run(2)),
            ])
        #expect(table.deadline == nil)
        #expect(table.answered(anna, run(1)).isEmpty)
    }

    @Test func anAnswerIsAClone() {
        var table = RunTable()
        _ = table.connected(anna, run(1), now: time(0))
        _ = table.connected(anna, run(2), now: time(0))
        _ = table.connected(anna, run(3), now: time(1))
        #expect(table.answered(bert, run(1)).isEmpty)
        #expect(table.answered(anna, run(2)).isEmpty)
        #expect(
            table.answered(anna, run(1)) == [
                .cloned(anna, alive: run(1), refused: run(2)),
                .cloned(anna, alive: run(1), refused: run(3)),
            ])
        #expect(table.deadline == nil)
        #expect(table.connected(anna, run(2), now: time(9)) == [.ping(anna, run(1))])
    }

    @Test func theNextRunIsAskedToo() {
        var table = RunTable()
        _ = table.connected(anna, run(1), now: time(0))
        _ = table.connected(anna, run(2), now: time(0))
        _ = table.connected(anna, run(3), now: time(500))
        #expect(
            table.advance(to: time(1000)) == [
                .restarted(anna, old: run(1), new: run(2)), .accept(anna, run(2)),
                .ping(anna, run(2)),
            ])
        #expect(table.answered(anna, run(2)) == [.cloned(anna, alive: run(2), refused: run(3))])
    }

    @Test func aClosedConnectionNeedsNoPing() {
        var table = RunTable()
        _ = table.connected(anna, run(1), now: time(0))
        _ = table.connected(anna, run(2), now: time(0))
        #expect(
            table.disconnected(anna, run(1), now: time(100)) == [
                .restarted(anna, old: run(1), new: run(2)), .accept(anna, run(2)),
            ])
        #expect(table.disconnected(anna, run(2), now: time(200)).isEmpty)
        #expect(table.connected(anna, run(3), now: time(300)) == [.accept(anna, run(3))])
    }

    @Test func whoWaitsMayGiveUp() {
        var table = RunTable()
        _ = table.connected(anna, run(1), now: time(0))
        _ = table.connected(anna, run(2), now: time(0))
        #expect(table.disconnected(anna, run(2), now: time(100)).isEmpty)
        #expect(table.deadline == nil)
        #expect(table.advance(to: time(5000)).isEmpty)
    }

    @Test func peersOfOneKeyAreTwo() {
        var table = RunTable()
        _ = table.connected(anna, run(1), now: time(0))
        #expect(table.connected(bert, run(2), now: time(0)) == [.accept(bert, run(2))])
    }

    @Test func waitingRunsAreLimited() {
        var table = RunTable()
        _ = table.connected(anna, run(0), now: time(0))
        for number in 1...4 { _ = table.connected(anna, run(UInt64(number)), now: time(0)) }
        #expect(
            table.connected(anna, run(5), now: time(0))
                == [.cloned(anna, alive: run(0), refused: run(5))])
    }
}
