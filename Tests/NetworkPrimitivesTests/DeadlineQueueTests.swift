import NetworkPrimitives
import Testing

@Suite struct DeadlineQueueTests {
    @Test("a slot has one time, the last that was set, and comes out once it is due")
    func order() {
        var generator = SeededGenerator(seed: 2)
        var queue = DeadlineQueue()
        var times: [Int32: Instant] = [:]
        var now = Instant.zero
        for _ in 0..<5_000 {
            let slot = Int32.random(in: 0..<80, using: &generator)
            let wait = Int64.random(in: 1...100, using: &generator)
            let time = wait > 90 ? .never : Instant(nanoseconds: now.nanoseconds + wait)
            queue.set(slot, to: time)
            times[slot] = time == .never ? nil : time
            #expect(queue.count == times.count)
            #expect(queue.earliest == times.values.min() ?? .never)
            guard wait % 7 == 0 else { continue }
            now.nanoseconds += 20
            var due: [Int32] = []
            while let slot = queue.popDue(by: now) { due.append(slot) }
            let expected = times.filter { $0.value <= now }
                .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            #expect(due == expected.map { $0.key })
            for slot in due { times[slot] = nil }
        }
    }

    @Test("a slot without a time may be set to none, and an empty queue has nothing due")
    func none() {
        var queue = DeadlineQueue()
        queue.set(5, to: .never)
        #expect(queue.count == 0 && queue.earliest == .never)
        #expect(queue.popDue(by: .never) == nil)
    }
}
