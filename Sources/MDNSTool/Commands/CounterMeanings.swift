import MDNS

// What `mdns monitor --stats` says of each counter.
extension NodeStatistics.Counter {
    /// What the number says, in a few words.
    var meaning: String {
        switch self {
        case .received: "datagrams that came in"
        case .sent: "datagrams given to the sockets"
        case .queriesReceived: "queries among the received"
        case .responsesReceived: "responses among the received"
        case .malformedMessages: "too short, or promising more records than can fit"
        case .unsupportedOpcodes: "OPCODE or RCODE is not 0; ignored (RFC 6762 §18.3, §18.11)"
        case .damaged: "messages of which a part was skipped"
        case .skippedRecords: "records and questions skipped in those"
        case .trailingBytes: "messages with bytes after the last record"
        case .badSource: "impossible source, or an interface not worked on"
        case .oversized: "longer than a message may be (RFC 6762 §17)"
        case .wrongPort: "responses not from port 5353; ignored (RFC 6762 §6)"
        case .offLink: "unicast from outside the link; ignored (RFC 6762 §11)"
        case .unsolicitedUnicast: "unicast responses that nothing asked for; ignored"
        case .unmatchedKnownAnswers: "known answers that follow no question (RFC 6762 §7.2)"
        case .unicastCapped: "unicast answers unsent: the asker had its share"
        case .unicastDropped: "unicast answers unsent: too many were waiting"
        case .unsendable: "own records larger than any datagram"
        case .conflicts: "others claimed own names (RFC 6762 §9)"
        case .rivalProbes: "others probed for own names (§8.2)"
        case .tiebreaksLost: "names lost to a simultaneous probe (§8.2)"
        case .ownRecordsEchoed: "own records echoed by another address"
        case .goodbyesForOwn: "goodbyes of others for own records (§10.1)"
        case .suppressedByKnownAnswer: "own answers unsent: the asker knew them (§7.1)"
        case .suppressedByDuplicateAnswer: "own answers unsent: another host gave them (§7.4)"
        case .suppressedByDuplicateQuestion: "own questions unsent: another host asked them (§7.3)"
        case .cacheRefused: "records that a limit kept out of the cache"
        case .cacheEvicted: "cached records that made room for others"
        case .unwantedRecords: "records that nothing asked for; not cached"
        case .lostByKernel: "datagrams that were not read in time"
        case .oversizedDatagrams: "longer than the receive buffer; not looked at"
        case .receiveErrors: "receiving failed for a moment"
        case .sendErrors: "datagrams that the kernel refused to send"
        case .droppedUnsent: "datagrams unsent: the send queue was full"
        case .sleeps: "the machine slept and woke"
        }
    }
}
