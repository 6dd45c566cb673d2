import DNSMessages
import NetworkPrimitives

/// What the links share while the engine runs them.
struct Context: Sendable {
    var configuration: Configuration
    var generator: SeededGenerator
    var statistics = Statistics()
    /// The time of the call that is being served.
    var now = Instant.zero
    private var outputs: [Output] = []
    private var outputHead = 0
    /// Our records on all interfaces: how many interfaces have each. Whatever is in here is
    /// never a conflict, on whichever interface it is heard (RFC 6762 §9). For look-up only.
    private var ownRecords: [RecordIdentity: Int] = [:]
    /// When the last conflicts were, oldest first.
    private var conflictTimes: [Instant] = []
    /// Whether so many came within the window that attempts have to wait.
    private var brakeIsOn = false
    /// Publications that lost a name during this call.
    var lostNames: [(publication: PublicationID, name: DomainName)] = []
    /// Publications of which a link changed its mind during this call.
    var changedPublications: [PublicationID] = []
    var unicastLimiter = UnicastLimiter()

    init(configuration: Configuration, generator: SeededGenerator) {
        self.configuration = configuration
        self.generator = generator
    }

    var limits: Limits { configuration.limits }

    // MARK: Outputs

    mutating func emit(_ output: Output) {
        if case .transmit = output { statistics.sent += 1 }
        outputs.append(output)
    }

    mutating func nextOutput() -> Output? {
        guard outputHead < outputs.count else {
            if outputHead > 0 {
                outputs.removeAll(keepingCapacity: outputs.count < 1024)
                outputHead = 0
            }
            return nil
        }
        defer { outputHead += 1 }
        return outputs[outputHead]
    }

    /// Drops what is still to be said to a query that was stopped.
    mutating func silence(_ query: QueryID) {
        outputs = outputs[outputHead...].filter {
            if case .answer(query, _) = $0 { false } else { true }
        }
        outputHead = 0
    }

    // MARK: What is ours

    mutating func addOwn(_ record: ResourceRecord) {
        ownRecords[RecordIdentity(record), default: 0] += 1
    }

    mutating func removeOwn(_ record: ResourceRecord) {
        let identity = RecordIdentity(record)
        let count = (ownRecords[identity] ?? 0) - 1
        ownRecords[identity] = count > 0 ? count : nil
    }

    /// Whether the record is ours on any interface.
    func isOwn(_ record: ResourceRecord) -> Bool { ownRecords[RecordIdentity(record)] != nil }

    // MARK: Conflicts

    mutating func noteConflict() {
        statistics.conflicts += 1
        // Ten seconds of peace take the brake off (M8-16).
        if !isConflictRecent { brakeIsOn = false }
        conflictTimes.append(now)
        // The last fifteen tell (RFC 6762 §8.1, M8-16).
        if conflictTimes.count > Timing.conflictBrakeCount { conflictTimes.removeFirst() }
        // Fifteen within ten seconds put the brake on (M8-16).
        if conflictTimes.count == Timing.conflictBrakeCount, let first = conflictTimes.first,
            first.duration(to: now) <= Timing.conflictBrakeWindow
        {
            brakeIsOn = true
        }
    }

    /// When a new attempt at a name may begin: now, or later if conflicts were too many
    /// (RFC 6762 §8.1). That holds for each further attempt, and so until none has met a
    /// conflict for as long as conflicts are counted.
    var earliestProbe: Instant {
        // Five seconds' wait (M8-16).
        brakeIsOn && isConflictRecent ? now.advanced(by: Timing.conflictBrakeWait) : now
    }

    private var isConflictRecent: Bool {
        conflictTimes.last.map { $0.duration(to: now) <= Timing.conflictBrakeWindow } ?? false
    }
}
