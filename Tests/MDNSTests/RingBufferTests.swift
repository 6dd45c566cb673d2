import NetworkPrimitives
import Testing

@testable import LinuxDiscovery
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
    }

    @Test("A full buffer drops the oldest and returns it", arguments: [1, 2, 3, 100])
    func drops(capacity: Int) {
        var buffer = RingBuffer<Int>(capacity: capacity)
        for number in 0..<1000 {
            #expect(buffer.append(number) == (number < capacity ? nil : number - capacity))
        }
        #expect(buffer.next() == 1000 - capacity)
        for _ in 1..<capacity { _ = buffer.next() }
        #expect(buffer.next() == nil)
    }
}

@Suite("Packets that wait for a reader")
struct PacketBufferTests {
    private func packet(_ number: UInt8, missedBefore: Int = 0) -> PacketEvent {
        PacketEvent(
            direction: .received, time: .zero,
            source: SocketAddress(.v4(IPv4Address(192, 0, 2, number)), port: 5353),
            destination: SocketAddress(.v4(.multicastDNS), port: 5353),
            interface: InterfaceIndex(rawValue: 1), payload: [number], missedBefore: missedBefore)
    }

    private func missed(_ buffer: inout PacketBuffer) -> [Int] {
        var counts: [Int] = []
        while let event = buffer.next() { counts.append(event.missedBefore) }
        return counts
    }

    @Test("nothing is missing where the reader keeps up")
    func complete() {
        var buffer = PacketBuffer(capacity: 3)
        for number in 1...3 { buffer.append(packet(UInt8(number))) }
        #expect(missed(&buffer) == [0, 0, 0])
        buffer.append(packet(4))
        #expect(missed(&buffer) == [0])
    }

    @Test("what a full backlog dropped is counted by the next event, and once")
    func slowReader() {
        var buffer = PacketBuffer(capacity: 2)
        for number in 1...5 { buffer.append(packet(UInt8(number))) }
        #expect(missed(&buffer) == [3, 0])
        buffer.append(packet(6))
        #expect(missed(&buffer) == [0])
    }

    @Test("what the kernel lost before a dropped packet is missing as well")
    func kernelLoss() {
        var buffer = PacketBuffer(capacity: 2)
        buffer.append(packet(1, missedBefore: 4))
        buffer.append(packet(2))
        buffer.append(packet(3, missedBefore: 2))
        #expect(missed(&buffer) == [5, 2])
    }
}
