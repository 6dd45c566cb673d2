import LinuxNetworking
import MulticastDNS

extension MDNSNode {
    /// What the node has counted since it began, also when it has been closed.
    public func statistics() -> NodeStatistics {
        let engine = driver.discovery.statistics
        return NodeStatistics(
            counts: Self.fields.mapValues { engine[keyPath: $0] }
                .merging(driver.socketCounts) { $1 })
    }

    /// Where the engine keeps its counters.
    static let fields: [NodeStatistics.Counter: any KeyPath<Statistics, Int> & Sendable] = [
        .received: \.received,
        .sent: \.sent,
        .queriesReceived: \.queriesReceived,
        .responsesReceived: \.responsesReceived,
        .malformedMessages: \.malformedMessages,
        .unsupportedOpcodes: \.unsupportedOpcodes,
        .damaged: \.damaged,
        .skippedRecords: \.skippedRecords,
        .trailingBytes: \.trailingBytes,
        .badSource: \.badSource,
        .oversized: \.oversized,
        .wrongPort: \.wrongPort,
        .offLink: \.offLink,
        .unsolicitedUnicast: \.unsolicitedUnicast,
        .unmatchedKnownAnswers: \.unmatchedKnownAnswers,
        .unicastCapped: \.unicastCapped,
        .unicastDropped: \.unicastDropped,
        .unsendable: \.unsendable,
        .conflicts: \.conflicts,
        .rivalProbes: \.rivalProbes,
        .tiebreaksLost: \.tiebreaksLost,
        .ownRecordsEchoed: \.ownRecordsEchoed,
        .goodbyesForOwn: \.goodbyesForOwn,
        .suppressedByKnownAnswer: \.suppressedByKnownAnswer,
        .suppressedByDuplicateAnswer: \.suppressedByDuplicateAnswer,
        .suppressedByDuplicateQuestion: \.suppressedByDuplicateQuestion,
        .cacheRefused: \.cacheRefused,
        .cacheEvicted: \.cacheEvicted,
        .unwantedRecords: \.unwantedRecords,
    ]
}

extension NodeDriver {
    /// What the sockets and the driver have counted, both families together.
    var socketCounts: [NodeStatistics.Counter: Int] {
        let sum = socketStatistics.reduce(SocketStatistics(), +)
        return [
            .lostByKernel: Int(sum.lostByKernel), .oversizedDatagrams: sum.oversized,
            .receiveErrors: sum.receiveErrors, .sendErrors: sum.sendErrors,
            .droppedUnsent: sum.droppedUnsent, .sleeps: sleepCount,
        ]
    }
}
