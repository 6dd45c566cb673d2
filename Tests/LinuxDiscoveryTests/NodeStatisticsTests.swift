import LinuxNetworking
import MulticastDNS
import Testing

@testable import LinuxDiscovery

@Suite("The counters of a node")
struct NodeStatisticsTests {
    @Test("Every counter of the engine is shown, each under its own name")
    func everyCounter() {
        // Nothing but numbers, here each another one.
        var engine = Statistics()
        unsafe withUnsafeMutableBytes(of: &engine) { bytes in
            let counters = unsafe bytes.bindMemory(to: Int.self)
            for index in counters.indices { unsafe counters[index] = index + 1 }
        }
        let fields = Mirror(reflecting: engine).children
        #expect(fields.compactMap { $0.value as? Int } == Array(1...fields.count))
        let statistics = NodeStatistics(
            engine: engine, sockets: SocketStatistics(), sleepCount: 0)
        for field in fields {
            let counter = field.label.flatMap { NodeStatistics.Counter(rawValue: $0) }
            #expect(counter.map { statistics[$0] } == field.value as? Int, "\(field)")
        }
        let names = Set(fields.compactMap(\.label))
        #expect(
            NodeStatistics.Counter.allCases.filter { !names.contains($0.rawValue) } == [
                .lostByKernel, .oversizedDatagrams, .receiveErrors, .sendErrors, .droppedUnsent,
                .sleeps,
            ])
    }
}
