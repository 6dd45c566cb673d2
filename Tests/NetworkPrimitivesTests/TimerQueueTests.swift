import NetworkPrimitives
import Testing

@Suite struct TimerQueueTests {
    @Test("events come out by time, equal times in the order of insertion")
    func order() {
        var queue = TimerQueue<Int>()
        var generator = SeededGenerator(seed: 1)
        let times = (0..<500).map { _ in Int64.random(in: 0..<50, using: &generator) }
        for (index, time) in times.enumerated() {
            queue.insert(index, at: Instant(nanoseconds: time))
        }
        var popped: [Int] = []
        while let (_, event) = queue.popDue(by: Instant(nanoseconds: .max)) { popped.append(event) }
        #expect(popped == times.indices.sorted { (times[$0], $0) < (times[$1], $1) })
    }

    @Test("nothing comes out before its time")
    func due() {
        var queue = TimerQueue<Int>()
        queue.insert(1, at: Instant(nanoseconds: 10))
        #expect(queue.popDue(by: Instant(nanoseconds: 9)) == nil)
        #expect(queue.popDue(by: Instant(nanoseconds: 10))?.event == 1)
        #expect(queue.earliest == nil)
    }
}
