import Testing

@testable import MDNS

@Suite("States for a slow reader")
struct CoalescingBufferTests {
    private typealias States = CoalescingBuffer<String, Int>

    private enum Event: Equatable {
        case added(Int)
        case changed(Int)
        case removed(Int)

        init(_ element: States.Element) {
            switch element.kind {
            case .added: self = .added(element.value)
            case .changed: self = .changed(element.value)
            case .removed: self = .removed(element.value)
            }
        }
    }

    private func drained(_ states: inout States) -> [Event] {
        var elements: [Event] = []
        while let element = states.next() { elements.append(Event(element)) }
        return elements
    }

    @Test("Added, changed and removed each come once, in the order things began to differ")
    func inOrder() {
        var states = States()
        states.set(1, for: "a")
        states.set(2, for: "b")
        #expect(drained(&states) == [.added(1), .added(2)])
        states.set(3, for: "b")
        states.set(nil, for: "a")
        #expect(drained(&states) == [.changed(3), .removed(1)])
        #expect(drained(&states) == [])
    }

    @Test("What came and went unread is not mentioned")
    func cancelsOut() {
        var states = States()
        states.set(1, for: "a")
        states.set(nil, for: "a")
        #expect(drained(&states) == [])
        states.set(1, for: "a")
        states.set(nil, for: "a")
        states.set(7, for: "a")
        #expect(drained(&states) == [.added(7)])
    }

    @Test("What left and came back the same is not mentioned, changed it is one change")
    func returns() {
        var states = States()
        states.set(1, for: "a")
        #expect(drained(&states) == [.added(1)])
        states.set(nil, for: "a")
        states.set(1, for: "a")
        #expect(drained(&states) == [])
        states.set(nil, for: "a")
        states.set(2, for: "a")
        states.set(3, for: "a")
        #expect(drained(&states) == [.changed(3)])
        states.set(3, for: "a")
        states.set(nil, for: "unknown")
        #expect(drained(&states) == [])
    }

    @Test("A removal has the value that was delivered, not one that was missed")
    func removalAfterMissedChange() {
        var states = States()
        states.set(1, for: "a")
        #expect(drained(&states) == [.added(1)])
        states.set(2, for: "a")
        states.set(nil, for: "a")
        #expect(drained(&states) == [.removed(1)])
        states.set(nil, for: "a")
        #expect(drained(&states) == [])
    }

    @Test("A flood of things that come and go takes no room")
    func bounded() {
        var states = States()
        states.set(1, for: "stays")
        for number in 0..<10_000 {
            states.set(number, for: String(number))
            states.set(nil, for: String(number))
        }
        #expect(states.queueLength < 200)
        #expect(drained(&states) == [.added(1)])
    }

    @Test("A reader who applies the events ends up with the truth, whatever its pace")
    func converges() {
        var generator = SystemRandomNumberGenerator()
        var states = States()
        var truth: [String: Int] = [:]
        var seen: [Int: Int] = [:]
        for _ in 0..<20_000 {
            let key = Int.random(in: 0..<40, using: &generator)
            // The tens tell the key, so that an event names it.
            let value = Bool.random() ? key * 10 + Int.random(in: 0..<3) : nil
            truth[String(key)] = value
            states.set(value, for: String(key))
            guard Int.random(in: 0..<4, using: &generator) == 0 else { continue }
            switch states.next().map(Event.init) {
            case .added(let value):
                #expect(seen.updateValue(value, forKey: value / 10) == nil)
            case .changed(let value):
                #expect(seen.updateValue(value, forKey: value / 10) != nil)
            case .removed(let value):
                #expect(seen.removeValue(forKey: value / 10) == value)
            case nil: break
            }
        }
        for element in drained(&states) {
            switch element {
            case .added(let value), .changed(let value): seen[value / 10] = value
            case .removed(let value): seen[value / 10] = nil
            }
        }
        #expect(seen.values.sorted() == truth.values.sorted())
    }
}
