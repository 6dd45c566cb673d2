/// What an engine has counted since it began.
package struct Statistics: Hashable, Sendable {
    /// Datagrams handed in.
    package var received = 0
    /// Datagrams handed out.
    package var sent = 0
    package var queriesReceived = 0
    package var responsesReceived = 0
    /// Under twelve bytes, or more records promised than could fit.
    package var malformedMessages = 0
    /// OPCODE or RCODE other than 0 (RFC 6762 §18.3, §18.11).
    package var unsupportedOpcodes = 0
    /// Messages of which a record or question was skipped.
    package var damaged = 0
    /// Records and questions skipped in them.
    package var skippedRecords = 0
    /// Messages with bytes after the last record.
    package var trailingBytes = 0
    /// From an impossible source, or by an unknown interface.
    package var badSource = 0
    /// Larger than any datagram may be (RFC 6762 §17).
    package var oversized = 0
    /// Responses from a port other than 5353 (RFC 6762 §6).
    package var wrongPort = 0
    /// Unicast from a source that is not on the link (RFC 6762 §5.5, §11).
    package var offLink = 0
    /// Unicast responses that nothing had asked for (RFC 6762 §6).
    package var unsolicitedUnicast = 0
    /// Queries with no question from hosts that had announced none to come.
    package var unmatchedKnownAnswers = 0
    /// Unicast answers not sent because their source had its share.
    package var unicastCapped = 0
    /// Unicast answers not sent because too many were waiting.
    package var unicastDropped = 0
    /// Records that are larger than any datagram and could not be sent.
    package var unsendable = 0
    /// Records that a limit kept out of the cache.
    package var cacheRefused = 0
    /// Records that made room for others.
    package var cacheEvicted = 0
    /// Records that nothing asked for, not cached.
    package var unwantedRecords = 0
    /// Conflicts with own records, real or apparent.
    package var conflicts = 0
    /// Probes of others for names of ours, with other data (RFC 6762 §8.2).
    package var rivalProbes = 0
    /// Ties with other hosts' probes that were lost.
    package var tiebreaksLost = 0
    /// Records of ours that another address sent: a bridge, a reflector, or a host that has the
    /// same.
    package var ownRecordsEchoed = 0
    /// Goodbyes of others for records of ours (RFC 6762 §10.1).
    package var goodbyesForOwn = 0
    /// Own answers that a known answer made needless.
    package var suppressedByKnownAnswer = 0
    /// Own answers that another host's answer made needless.
    package var suppressedByDuplicateAnswer = 0
    /// Own questions that another host's question made needless.
    package var suppressedByDuplicateQuestion = 0

    package init() {}
}
