import LinuxNetworking
import MulticastDNS

/// What a node has counted since it began.
public struct NodeStatistics: Hashable, Sendable {
    private let engine: Statistics
    private let sockets: SocketStatistics
    private let sleepCount: Int

    init(engine: Statistics, sockets: SocketStatistics, sleepCount: Int) {
        self.engine = engine
        self.sockets = sockets
        self.sleepCount = sleepCount
    }

    /// How often it happened.
    ///
    /// - Parameter counter: What is counted.
    public subscript(counter: Counter) -> Int {
        switch counter {
        case .received: engine.received
        case .sent: engine.sent
        case .queriesReceived: engine.queriesReceived
        case .responsesReceived: engine.responsesReceived
        case .malformedMessages: engine.malformedMessages
        case .unsupportedOpcodes: engine.unsupportedOpcodes
        case .damaged: engine.damaged
        case .skippedRecords: engine.skippedRecords
        case .trailingBytes: engine.trailingBytes
        case .badSource: engine.badSource
        case .oversized: engine.oversized
        case .wrongPort: engine.wrongPort
        case .offLink: engine.offLink
        case .unsolicitedUnicast: engine.unsolicitedUnicast
        case .unmatchedKnownAnswers: engine.unmatchedKnownAnswers
        case .unicastCapped: engine.unicastCapped
        case .unicastDropped: engine.unicastDropped
        case .unsendable: engine.unsendable
        case .conflicts: engine.conflicts
        case .rivalProbes: engine.rivalProbes
        case .tiebreaksLost: engine.tiebreaksLost
        case .ownRecordsEchoed: engine.ownRecordsEchoed
        case .goodbyesForOwn: engine.goodbyesForOwn
        case .suppressedByKnownAnswer: engine.suppressedByKnownAnswer
        case .suppressedByDuplicateAnswer: engine.suppressedByDuplicateAnswer
        case .suppressedByDuplicateQuestion: engine.suppressedByDuplicateQuestion
        case .cacheRefused: engine.cacheRefused
        case .cacheEvicted: engine.cacheEvicted
        case .unwantedRecords: engine.unwantedRecords
        case .lostByKernel: Int(clamping: sockets.lostByKernel)
        case .oversizedDatagrams: sockets.oversized
        case .receiveErrors: sockets.receiveErrors
        case .sendErrors: sockets.sendErrors
        case .droppedUnsent: sockets.droppedUnsent
        case .sleeps: sleepCount
        }
    }

    /// What is counted. The raw value is the counter's name in `mdns monitor --stats`.
    public enum Counter: String, Hashable, Sendable, CaseIterable {
        /// Datagrams that came in.
        case received
        /// Datagrams given to the sockets.
        case sent
        /// Queries among the received.
        case queriesReceived
        /// Responses among the received.
        case responsesReceived
        /// Too short, or promising more records than can fit.
        case malformedMessages
        /// OPCODE or RCODE is not 0; ignored (RFC 6762 §18.3, §18.11).
        case unsupportedOpcodes
        /// Messages of which a part was skipped.
        case damaged
        /// Records and questions skipped in those.
        case skippedRecords
        /// Messages with bytes after the last record.
        case trailingBytes
        /// Impossible source, or an interface not worked on.
        case badSource
        /// Longer than a message may be (RFC 6762 §17).
        case oversized
        /// Responses not from port 5353; ignored (RFC 6762 §6).
        case wrongPort
        /// Unicast from outside the link; ignored (RFC 6762 §11).
        case offLink
        /// Unicast responses that nothing asked for; ignored.
        case unsolicitedUnicast
        /// Known answers that follow no question (RFC 6762 §7.2).
        case unmatchedKnownAnswers
        /// Unicast answers unsent: the asker had its share.
        case unicastCapped
        /// Unicast answers unsent: too many were waiting.
        case unicastDropped
        /// Own records larger than any datagram.
        case unsendable
        /// Others claimed own names (RFC 6762 §9).
        case conflicts
        /// Others probed for own names (§8.2).
        case rivalProbes
        /// Names lost to a simultaneous probe (§8.2).
        case tiebreaksLost
        /// Own records echoed by another address.
        case ownRecordsEchoed
        /// Goodbyes of others for own records (§10.1).
        case goodbyesForOwn
        /// Own answers unsent: the asker knew them (§7.1).
        case suppressedByKnownAnswer
        /// Own answers unsent: another host gave them (§7.4).
        case suppressedByDuplicateAnswer
        /// Own questions unsent: another host asked them (§7.3).
        case suppressedByDuplicateQuestion
        /// Records that a limit kept out of the cache.
        case cacheRefused
        /// Cached records that made room for others.
        case cacheEvicted
        /// Records that nothing asked for; not cached.
        case unwantedRecords
        /// Datagrams that were not read in time.
        case lostByKernel
        /// Longer than the receive buffer; not looked at.
        case oversizedDatagrams
        /// Receiving failed for a moment.
        case receiveErrors
        /// Datagrams that the kernel refused to send.
        case sendErrors
        /// Datagrams unsent: the send queue was full.
        case droppedUnsent
        /// The machine slept and woke.
        case sleeps
    }
}
