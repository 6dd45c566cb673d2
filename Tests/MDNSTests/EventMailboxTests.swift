import Testing

@testable import MDNS

@Suite("The mailbox")
struct EventMailboxTests {
    private typealias State = MailboxState<RingBuffer<Int>, String>

    private func value(_ step: State.Step) -> Int? {
        if case .now(let element) = step { element } else { nil }
    }

    private func waits(_ step: State.Step) -> Bool {
        if case .later = step { true } else { false }
    }

    @Test("Those who wait are served in their order")
    func serves() {
        var state = State(buffer: RingBuffer(capacity: 9))
        #expect(waits(state.take(orWait: "first")))
        #expect(waits(state.take(orWait: "second")))
        let deliveries = state.put { buffer in
            for number in 1...3 { buffer.append(number) }
        }
        #expect(deliveries.map(\.waiter) == ["first", "second"])
        #expect(deliveries.map(\.element) == [1, 2])
        #expect(value(state.take(orWait: "third")) == 3)
    }

    @Test("After the end what is kept still comes, then nil at once")
    func finishes() {
        var state = State(buffer: RingBuffer(capacity: 9))
        #expect(state.put { $0.append(1) }.isEmpty)
        #expect(state.finish().isEmpty)
        #expect(value(state.take()) == 1)
        #expect(!waits(state.take(orWait: "late")))
        #expect(state.put { $0.append(2) }.isEmpty)
        #expect(value(state.take()) == nil)
    }

    @Test("The end reaches those who wait")
    func endsWaiters() {
        var state = State(buffer: RingBuffer(capacity: 9))
        #expect(waits(state.take(orWait: "one")))
        let deliveries = state.finish()
        #expect(deliveries.map(\.waiter) == ["one"])
        #expect(deliveries.map(\.element) == [nil])
    }

    @Test("A cancelled mailbox drops what it kept and says only once that it was open")
    func cancels() {
        var state = State(buffer: RingBuffer(capacity: 9))
        #expect(state.put { $0.append(1) }.isEmpty)
        #expect(state.cancel().wasOpen)
        #expect(!state.cancel().wasOpen)
        #expect(!waits(state.take(orWait: "late")))
        #expect(value(state.take()) == nil)
    }

    @Test("Events put by one task are taken by another, in order and to the last")
    func betweenTasks() async {
        let mailbox = EventMailbox(RingBuffer<Int>(capacity: 10_000))
        async let sum: [Int] = {
            var taken: [Int] = []
            while let element = await mailbox.next(isolation: nil) { taken.append(element) }
            return taken
        }()
        for number in 0..<5000 {
            mailbox.put { $0.append(number) }
            if number.isMultiple(of: 100) { await Task.yield() }
        }
        mailbox.finish()
        #expect(await sum == Array(0..<5000))
    }

    @Test("A reader that waits is ended by cancel")
    func endsReader() async {
        let mailbox = EventMailbox(RingBuffer<Int>(capacity: 1))
        async let end = mailbox.next(isolation: nil)
        await Task.yield()
        #expect(mailbox.cancel())
        #expect(await end == nil)
    }
}
