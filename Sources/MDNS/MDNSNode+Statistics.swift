import LinuxNetworking
import MulticastDNS

extension MDNSNode {
    /// What the node has counted since it began.
    public func statistics() -> NodeStatistics {
        NodeStatistics(
            counters: Self.counters(driver.discovery.statistics)
                + driver.socketCounters)
    }

    private static func counters(_ statistics: Statistics) -> [NodeStatistics.Counter] {
        let fields: [(String, KeyPath<Statistics, Int>)] = [
            ("received", \.received), ("sent", \.sent),
            ("queriesReceived", \.queriesReceived), ("responsesReceived", \.responsesReceived),
            ("notMessages", \.notMessages), ("foreignOperations", \.foreignOperations),
            ("damaged", \.damaged), ("skippedRecords", \.skippedRecords),
            ("trailingBytes", \.trailingBytes), ("badSource", \.badSource),
            ("oversized", \.oversized), ("wrongPort", \.wrongPort), ("offLink", \.offLink),
            ("unsolicitedUnicast", \.unsolicitedUnicast),
            ("strayKnownAnswers", \.strayKnownAnswers), ("unicastCapped", \.unicastCapped),
            ("unicastDropped", \.unicastDropped), ("unsendable", \.unsendable),
            ("cacheRefused", \.cacheRefused), ("cacheEvicted", \.cacheEvicted),
            ("unwantedRecords", \.unwantedRecords), ("conflicts", \.conflicts),
            ("tiebreaksLost", \.tiebreaksLost),
            ("suppressedByKnownAnswer", \.suppressedByKnownAnswer),
            ("suppressedByDuplicateAnswer", \.suppressedByDuplicateAnswer),
            ("suppressedByDuplicateQuestion", \.suppressedByDuplicateQuestion),
        ]
        return fields.map { .init(name: $0.0, count: statistics[keyPath: $0.1]) }
    }
}

extension NodeDriver {
    /// What the sockets and the driver have counted, both families together.
    var socketCounters: [NodeStatistics.Counter] {
        let sockets = sockets.map(\.statistics)
        func sum(_ count: (SocketStatistics) -> Int) -> Int {
            sockets.reduce(0) { $0 + count($1) }
        }
        return [
            .init(name: "lostByKernel", count: sum { Int($0.lostByKernel) }),
            .init(name: "oversizedDatagrams", count: sum(\.oversized)),
            .init(name: "receiveErrors", count: sum(\.receiveErrors)),
            .init(name: "sendErrors", count: sum(\.sendErrors)),
            .init(name: "droppedUnsent", count: sum(\.droppedUnsent)),
            .init(name: "sleeps", count: sleepCount),
        ]
    }
}
