import Testing

@testable import MDNS

@Suite("Recent elements")
struct RingBufferTests {
    @Test("First in, first out")
    func order() {
        var buffer = RingBuffer<Int>(capacity: 3)
        buffer.append(1)
        buffer.append(2)
        #expect(buffer.next() == 1)
        buffer.append(3)
        #expect(buffer.next() == 2)
        #expect(buffer.next() == 3)
        #expect(buffer.next() == nil)
        #expect(buffer.droppedCount == 0)
    }

    @Test("A full buffer drops the oldest and counts it", arguments: [1, 2, 3, 100])
    func drops(capacity: Int) {
        var buffer = RingBuffer<Int>(capacity: capacity)
        for number in 0..<1000 { buffer.append(number) }
        #expect(buffer.droppedCount == 1000 - capacity)
        #expect(buffer.next() == 1000 - capacity)
        for _ in 1..<capacity { _ = buffer.next() }
        #expect(buffer.next() == nil)
    }
}
