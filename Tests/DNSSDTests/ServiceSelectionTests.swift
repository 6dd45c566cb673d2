import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

@Suite("Choice among several SRV records")
struct ServiceSelectionTests {
    private func location(_ port: UInt16, priority: UInt16, weight: UInt16) -> ServiceLocation {
        ServiceLocation(target: .local, port: port, priority: priority, weight: weight)
    }

    @Test("S5-2 the lowest priority comes first")
    func priority() {
        var generator = SeededGenerator(seed: 1)
        let locations = [
            location(1, priority: 10, weight: 60_000), location(2, priority: 0, weight: 0),
            location(3, priority: 5, weight: 1),
        ]
        for _ in 0..<100 {
            let order = ServiceSelection.order(locations, using: &generator)
            #expect(order.map(\.port) == [2, 3, 1])
        }
    }

    @Test("S5-2 weights of 1 and 3 are drawn about 25 to 75")
    func weights() {
        var generator = SeededGenerator(seed: 2)
        let locations = [location(1, priority: 0, weight: 1), location(3, priority: 0, weight: 3)]
        var first = 0
        for _ in 0..<1000 {
            let order = ServiceSelection.order(locations, using: &generator)
            #expect(order.count == 2)
            if order.first?.port == 1 { first += 1 }
        }
        #expect((200...300).contains(first), "\(first)")
    }

    @Test("S5-2 without weights each has its chance, with weights 0 has nearly none")
    func zeroWeights() {
        var generator = SeededGenerator(seed: 3)
        let even = [location(1, priority: 0, weight: 0), location(2, priority: 0, weight: 0)]
        var ones = 0
        for _ in 0..<1000
        where ServiceSelection.order(even, using: &generator).first?.port == 1 { ones += 1 }
        #expect((420...580).contains(ones), "\(ones)")
        let uneven = [location(1, priority: 0, weight: 0), location(2, priority: 0, weight: 10)]
        var zeros = 0
        for _ in 0..<1000
        where ServiceSelection.order(uneven, using: &generator).first?.port == 1 { zeros += 1 }
        #expect(zeros < 10, "\(zeros)")
    }
}
