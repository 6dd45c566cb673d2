import LinuxNetworking
import MulticastDNS

extension MDNSNode {
    /// What the node has counted since it began, also when it has been closed.
    public func statistics() -> NodeStatistics {
        let engine = driver.discovery.statistics
        return NodeStatistics(
            counters: Self.fields.map { name, field, meaning in
                .init(name: name, count: engine[keyPath: field], meaning: meaning)
            } + driver.socketCounters)
    }

    private static var fields: [(String, KeyPath<Statistics, Int>, String)] {
        receiving + answering + caching
    }

    private static var receiving: [(String, KeyPath<Statistics, Int>, String)] {
        [
            ("received", \.received, "datagrams that came in"),
            ("sent", \.sent, "datagrams given to the sockets"),
            ("queriesReceived", \.queriesReceived, "queries among the received"),
            ("responsesReceived", \.responsesReceived, "responses among the received"),
            ("notMessages", \.notMessages, "too short, or promising more records than can fit"),
            (
                "foreignOperations", \.foreignOperations,
                "OPCODE or RCODE is not 0; ignored (RFC 6762 §18.3, §18.11)"
            ),
            ("damaged", \.damaged, "messages of which a part was skipped"),
            ("skippedRecords", \.skippedRecords, "records and questions skipped in those"),
            ("trailingBytes", \.trailingBytes, "messages with bytes after the last record"),
            ("badSource", \.badSource, "impossible source, or an interface not worked on"),
            ("oversized", \.oversized, "longer than a message may be (RFC 6762 §17)"),
            ("wrongPort", \.wrongPort, "responses not from port 5353; ignored (RFC 6762 §6)"),
            ("offLink", \.offLink, "unicast from outside the link; ignored (RFC 6762 §11)"),
            (
                "unsolicitedUnicast", \.unsolicitedUnicast,
                "unicast responses that nothing asked for; ignored"
            ),
            (
                "strayKnownAnswers", \.strayKnownAnswers,
                "known answers that follow no question (RFC 6762 §7.2)"
            ),
        ]
    }

    private static var answering: [(String, KeyPath<Statistics, Int>, String)] {
        [
            ("unicastCapped", \.unicastCapped, "unicast answers unsent: the asker had its share"),
            ("unicastDropped", \.unicastDropped, "unicast answers unsent: too many were waiting"),
            ("unsendable", \.unsendable, "own records larger than any datagram"),
            ("conflicts", \.conflicts, "others claimed own names (RFC 6762 §9)"),
            ("rivalProbes", \.rivalProbes, "others probed for own names (§8.2)"),
            ("tiebreaksLost", \.tiebreaksLost, "names lost to a simultaneous probe (§8.2)"),
            (
                "ownRecordsHeard", \.ownRecordsHeard,
                "own records that another address sent: a bridge, a reflector, a twin"
            ),
            ("goodbyesForOwn", \.goodbyesForOwn, "goodbyes of others for own records (§10.1)"),
            (
                "suppressedByKnownAnswer", \.suppressedByKnownAnswer,
                "own answers unsent: the asker knew them (§7.1)"
            ),
            (
                "suppressedByDuplicateAnswer", \.suppressedByDuplicateAnswer,
                "own answers unsent: another host gave them (§7.4)"
            ),
            (
                "suppressedByDuplicateQuestion", \.suppressedByDuplicateQuestion,
                "own questions unsent: another host asked them (§7.3)"
            ),
        ]
    }

    private static var caching: [(String, KeyPath<Statistics, Int>, String)] {
        [
            ("cacheRefused", \.cacheRefused, "records that a limit kept out of the cache"),
            ("cacheEvicted", \.cacheEvicted, "cached records that made room for others"),
            ("unwantedRecords", \.unwantedRecords, "records that nothing asked for; not cached"),
        ]
    }
}

extension NodeDriver {
    /// What the sockets and the driver have counted, both families together.
    var socketCounters: [NodeStatistics.Counter] {
        let sockets = socketStatistics
        func counter(
            _ name: String, _ meaning: String, _ count: (SocketStatistics) -> Int
        ) -> NodeStatistics.Counter {
            .init(name: name, count: sockets.reduce(0) { $0 + count($1) }, meaning: meaning)
        }
        return [
            counter("lostByKernel", "datagrams that were not read in time") {
                Int($0.lostByKernel)
            },
            counter("oversizedDatagrams", "longer than the receive buffer; not looked at") {
                $0.oversized
            },
            counter("receiveErrors", "receiving failed for a moment") { $0.receiveErrors },
            counter("sendErrors", "datagrams that the kernel refused to send") { $0.sendErrors },
            counter("droppedUnsent", "datagrams unsent: the send queue was full") {
                $0.droppedUnsent
            },
            .init(name: "sleeps", count: sleepCount, meaning: "the machine slept and woke"),
        ]
    }
}
