import NetworkPrimitives
import Testing

@testable import DNSSD

@Suite("Timers of operations")
struct OperationTimersTests {
    private func key(_ number: Int) -> OperationTimers.Key {
        .operation(OperationID(rawValue: number))
    }

    private func instant(_ seconds: Int) -> Instant {
        Instant.zero.advanced(by: .seconds(seconds))
    }

    @Test("each key is due once, at the time that was set last")
    func lastTimeCounts() {
        var timers = OperationTimers()
        timers.set(key(1), at: instant(1))
        timers.set(key(2), at: instant(2))
        timers.set(.host, at: instant(2))
        timers.set(key(1), at: instant(3))
        #expect(timers.earliest == instant(2))
        #expect(timers.popDue(by: instant(1)) == nil)
        #expect(timers.popDue(by: instant(3)) == key(2))
        timers.set(.host, at: nil)
        #expect(timers.earliest == instant(3))
        #expect(timers.popDue(by: instant(3)) == key(1))
        #expect(timers.popDue(by: instant(9)) == nil)
        #expect(timers.earliest == nil)
    }

    @Test("equal times come in the order in which they were set")
    func equalTimes() {
        var timers = OperationTimers()
        for number in [3, 1, 2] { timers.set(key(number), at: instant(1)) }
        #expect((0..<3).map { _ in timers.popDue(by: instant(1)) } == [key(3), key(1), key(2)])
    }

    @Test("a time that is changed for ever leaves nothing behind", arguments: [false, true])
    func bounded(isCleared: Bool) {
        var timers = OperationTimers()
        timers.set(.host, at: instant(1))
        for round in 0..<10_000 {
            timers.set(key(1), at: instant(2 + round % 2))
            if isCleared { timers.set(key(1), at: nil) }
        }
        #expect(timers.entryCount <= 2 * 2 + 65)
        #expect(timers.popDue(by: instant(9)) == .host)
        #expect(timers.popDue(by: instant(9)) == (isCleared ? nil : key(1)))
        #expect(timers.popDue(by: instant(9)) == nil)
    }
}
