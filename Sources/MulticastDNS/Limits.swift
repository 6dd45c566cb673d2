/// Every bound on memory and work, each with its reason.
package struct Limits: Hashable, Sendable {
    /// Cached records on one interface, in all: a browse of 10,000 services with SRV, TXT and
    /// address of each. At some 300 bytes each this is 12 MB (D-28).
    package var cachedRecords = 40_000
    /// Cached records that one source address may hold: a host that publishes 10,000 services
    /// fits, and whatever one host sends a quarter is left to others (D-28).
    package var cachedRecordsPerSource = 30_000
    /// Of these, records that no running query uses: what comes along in additional sections
    /// (D-28).
    package var unusedRecordsPerSource = 256
    /// Cached records of one name: instances of one service type are the largest such set, and
    /// 10,000 of them fit (D-28).
    package var cachedRecordsPerName = 12_000
    /// What the known answers of one query may take: 10,000 instances with names of 30 bytes, 300
    /// packets (D-28).
    package var knownAnswerBytes = 600_000
    /// Replies by unicast that wait for their random delay; more are dropped and counted (D-28).
    package var waitingUnicastReplies = 256
    /// Queriers whose known answers are still coming in (D-28).
    package var truncatedQueriers = 64
    /// Source addresses for which a budget of unicast bytes is kept (D-28).
    package var budgetedSources = 1_024
    /// Sets with more members than this are not watched for the failures of others' queries:
    /// the walk would cost more than it finds (D-28).
    package var observedSetSize = 64
    /// Names with more records than this are not flushed: no unique set has so many, and a flood
    /// would have each of its packets cost a walk over all of it (D-28).
    package var flushedSetSize = 256
    /// Records withdrawn a moment ago that are remembered: as many as a host of 1,000 services
    /// takes back at once (D-28).
    package var rememberedRecords = 4_096
    /// The largest datagram, IP and UDP headers included (RFC 6762 §17, M17-6, D-22).
    package var datagramSize = 9_000
    /// The payload that we accept, stated to legacy queriers that state theirs
    /// (RFC 6891 §6.2.3, A-16).
    package var legacyPayloadSize: UInt16 = 1_440
    /// The reply to a legacy query without EDNS (RFC 1035 §4.2.1, M18-19).
    package var legacyReplySize = 512

    package init() {}
}
