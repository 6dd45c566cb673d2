package import DNSMessages
import NetworkPrimitives

/// Every interval of RFC 6762, each with its section.
package enum Timing {
    /// The random wait before the first query of a series (§5.2, M5-8).
    package static let firstQueryDelay: ClosedRange<Duration> =
        .milliseconds(20)...(.milliseconds(120))
    /// The interval between the first and the second query; each later one doubles (§5.2, M5-4).
    package static let initialQueryInterval: Duration = .seconds(1)
    /// Where intervals stop growing (§5.2, M5-7).
    package static let longestQueryInterval: Duration = .seconds(3600)
    /// The same for a question whose answers find no room in the cache: each query makes their
    /// owner send them all, in vain.
    package static let longestIncompleteInterval: Duration = .seconds(86_400)
    /// Two queries for one question are never closer than this, whatever asks for them, so that
    /// tiny times to live make no storm (§5.2, M5-4, A-18).
    package static let minimumQueryInterval: Duration = .seconds(1)
    /// When in its lifetime a record is asked for again, in percent (§5.2, M5-12).
    package static let refreshPercentages: [Int64] = [80, 85, 90, 95]
    /// The random extra of each refresh, in percent of the lifetime (§5.2, M5-16).
    package static let refreshJitterPercent: Int64 = 2
    /// What is asked within so long of an interface's start belongs to the first batch of
    /// questions, which asks for unicast: a program that starts asks a moment later
    /// (§5.4, M5-22, M5-26).
    package static let activationWindow: Duration = .milliseconds(250)
    /// How long after a query a response counts as its answer (§6, M6-19): the longest wait for
    /// known answers and time for large sets.
    package static let answerWindow: Duration = .seconds(2)
    /// The share of its lifetime within which a record must have been multicast for a QU
    /// question to be answered by unicast alone: one in so many (§5.4, M5-28).
    package static let unicastFreshnessDivisor: Int64 = 4

    /// The random wait of answers that others may give too (§6, M6-13).
    package static let sharedAnswerDelay: ClosedRange<Duration> =
        .milliseconds(20)...(.milliseconds(120))
    /// The random wait after a query with TC set (§6, §7.2, M6-14).
    package static let truncatedQueryDelay: ClosedRange<Duration> =
        .milliseconds(400)...(.milliseconds(500))
    /// How long an answer that is due may wait for others to leave in the same packet
    /// (§6.4, M6-48).
    package static let aggregationWindow: Duration = .milliseconds(500)
    /// The least interval between two multicasts of one record on an interface (§6, M6-21).
    package static let multicastInterval: Duration = .seconds(1)
    /// The same when a name is defended against a probe (§6, M6-23).
    package static let defenceInterval: Duration = .milliseconds(250)

    /// The random wait before the first probe (§8.1, M8-6).
    package static let firstProbeDelay: ClosedRange<Duration> = .zero...(.milliseconds(250))
    /// The interval between probes, and from the last one to the announcement (§8.1, M8-7, M8-8).
    package static let probeInterval: Duration = .milliseconds(250)
    /// How many probes make a series (§8.1, M8-7).
    package static let probeCount = 3
    /// From the third probe to a fourth, where answers can come by multicast only: it leaves more
    /// than a second after the first, since a holder that multicast the name just before that one,
    /// as mDNSResponder, may be silent for a second (§6, M8-12).
    package static let lateProbeDelay: Duration = .milliseconds(550)
    /// How long the loser of a tie-break waits before it probes again (§8.2, M8-23).
    package static let tiebreakWait: Duration = .seconds(1)
    /// How long earlier data of ours may come back, by a bridge or a reflector, without being
    /// taken for another host's (§9).
    package static let earlierDataLifetime: Duration = .seconds(10)
    /// So many conflicts within the window limit the rate of further attempts (§8.1, M8-16).
    package static let conflictLimit = 15
    /// The window in which conflicts are counted (§8.1, M8-16).
    package static let conflictWindow: Duration = .seconds(10)
    /// The wait before each further attempt while the rate is limited (§8.1, M8-16).
    package static let conflictDelay: Duration = .seconds(5)
    /// How many announcements are made (§8.3, M8-33).
    package static let announcementCount = 2
    /// The interval between the first two announcements (§8.3, M8-33).
    package static let announcementInterval: Duration = .seconds(1)
    /// So many updates of one publication may be announced one after the other; with one more for
    /// each interval that makes ten in a minute (§8.4, M8-43).
    package static let updateBurst = 4
    /// How long it takes until one more update may be announced (§8.4, M8-43).
    package static let updateInterval: Duration = .seconds(10)

    /// The longest lifetime of a cached record, whatever its sender says. The longest that
    /// RFC 6762 proposes is 75 minutes; a day leaves room for records copied from unicast zones,
    /// and bounds how long a forged or forgotten record can stay (§10, D-28).
    package static let longestTimeToLive = TimeToLive.seconds(86_400)
    /// How long a record lives on after a goodbye (§10.1, M10-4).
    package static let goodbyeGrace: Duration = .seconds(1)
    /// How long other members of a unique set live on after a cache flush; members younger than
    /// this stay (§10.2, M10-8).
    package static let flushGrace: Duration = .seconds(1)
    /// How long a record that is being reconfirmed has to be received again (§10.4, §10.5, M10-23,
    /// M10-25).
    package static let reconfirmationTimeout: Duration = .seconds(10)
    /// So many unanswered queries of others have a record expire (§10.5, M10-25).
    package static let unansweredQueryCount = 2
    /// The longest time to live in a legacy unicast reply, in seconds (§6.7, M6-57).
    package static let legacyTimeToLive: UInt32 = 10
}
