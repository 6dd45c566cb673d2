import NetworkPrimitives

/// What a request has reached on the interfaces that there are: a value with explicit time.
///
/// It has concluded when another host answered and every other interface and family is known
/// to work or not, or when the time for answers is over. If the process stood still
/// meanwhile, what did not arrive says nothing, and that time begins anew.
struct AccessAttempt {
    /// The facts, with what was reached so far.
    private(set) var facts: LocalNetworkFacts
    /// When the time for answers is over.
    private(set) var deadline: Instant
    private var lastTick: Instant
    private var timeSuspended: Duration

    /// Two queries a second apart (RFC 6762 §5.2), their delay, and the time for answers.
    static let answerTime: Duration = .milliseconds(1700)
    /// How often it is to be told the time.
    static let tickInterval: Duration = .milliseconds(100)
    /// So much later than that, the process stood still.
    static let leastSuspension: Duration = .seconds(1)

    init(_ facts: LocalNetworkFacts, timeSuspended: Duration, at now: Instant) {
        self.facts = facts
        self.timeSuspended = timeSuspended
        lastTick = now
        deadline = now.advanced(by: Self.answerTime)
    }

    /// What is known now.
    func assessment(isRunning: Bool) -> LocalNetworkAssessment {
        AccessJudge.assess(facts, isRunning: isRunning)
    }

    /// Notes that time has gone by.
    mutating func advance(to now: Instant, timeSuspended: Duration) {
        let elapsed = lastTick.duration(to: now)
        let stoodStill = elapsed > Self.tickInterval + Self.leastSuspension
        let slept = timeSuspended - self.timeSuspended > Self.leastSuspension
        lastTick = now
        self.timeSuspended = timeSuspended
        guard stoodStill || slept else { return settle(at: now) }
        facts.process.wasSuspended = true
        deadline = now.advanced(by: Self.answerTime)
        for place in facts.traffic.indices {
            // Their copies may have been dropped for want of room; those to come count.
            if facts.traffic[place].loopedBackCount == 0 { facts.traffic[place].sentCount = 0 }
            facts.traffic[place].isSettled = false
        }
    }

    private mutating func settle(at now: Instant) {
        guard now >= deadline else { return }
        facts.process.wasSuspended = false
        for place in facts.traffic.indices { facts.traffic[place].isSettled = true }
    }

    /// Notes a step.
    mutating func apply(_ step: LocalNetworkStep) {
        switch step {
        case .joined(let index, let family):
            change(index, family) { $0.isJoined = true }
        case .joinRefused(let index, let family, let number):
            change(index, family) { $0.joinError = number }
        case .sent(let index, let family):
            change(index, family) {
                $0.sentCount += 1
                $0.sendError = nil
            }
        case .sendRefused(let index, let family, let number, let isLoopbackRefused):
            change(index, family) {
                $0.sendError = number
                $0.isLoopbackRefused = isLoopbackRefused
            }
        case .loopedBack(let index, let family, let hopLimit):
            change(index, family) {
                $0.loopedBackCount += 1
                $0.loopedBackHopLimit = hopLimit ?? $0.loopedBackHopLimit
            }
        case .received(let index, let family, let isResponse):
            change(index, family) {
                $0.receivedCount += 1
                // What came before anything was sent answers somebody else.
                $0.answeredCount += isResponse && $0.sentCount > 0 ? 1 : 0
            }
        case .counted(let counters): facts.counters = counters
        }
    }

    private mutating func change(
        _ index: InterfaceIndex, _ family: AddressFamily, _ body: (inout TrafficFacts) -> Void
    ) {
        let known = facts.traffic.firstIndex { $0.interface == index && $0.family == family }
        guard let place = known else {
            // Only what the facts name is counted, whatever a probe reports.
            guard facts.interfaces.contains(where: { $0.interface.index == index }) else { return }
            facts.traffic.append(TrafficFacts(index, family))
            body(&facts.traffic[facts.traffic.count - 1])
            return
        }
        body(&facts.traffic[place])
    }

    /// Whether there is nothing more to wait for.
    func hasConcluded(at now: Instant) -> Bool {
        if now >= deadline { return true }
        guard facts.traffic.contains(where: { $0.answeredCount > 0 }) else { return false }
        return facts.traffic.allSatisfy {
            $0.sentCount > 0 && ($0.answeredCount > 0 || $0.loopedBackCount > 0)
                || $0.joinError != nil || $0.sendError != nil
        }
    }

    /// How far it got.
    var reached: LocalNetworkProgress {
        LocalNetworkProgress(
            hasJoined: facts.traffic.contains { $0.isJoined },
            hasSent: facts.traffic.contains { $0.sentCount > 0 },
            hasLoopedBack: facts.traffic.contains { $0.loopedBackCount > 0 },
            hasReceived: facts.traffic.contains { $0.receivedCount > 0 },
            isAnswered: facts.traffic.contains { $0.answeredCount > 0 })
    }
}

/// How far a request for access got on any of the interfaces.
public struct LocalNetworkProgress: Hashable, Sendable {
    /// The group was joined.
    public var hasJoined = false
    /// The kernel took a query.
    public var hasSent = false
    /// A datagram of this host came back from the group.
    public var hasLoopedBack = false
    /// A datagram of another host came to the group.
    public var hasReceived = false
    /// One of those was a response, after a query of ours.
    public var isAnswered = false

    /// Nothing reached, unless said otherwise.
    public init(
        hasJoined: Bool = false, hasSent: Bool = false, hasLoopedBack: Bool = false,
        hasReceived: Bool = false, isAnswered: Bool = false
    ) {
        self.hasJoined = hasJoined
        self.hasSent = hasSent
        self.hasLoopedBack = hasLoopedBack
        self.hasReceived = hasReceived
        self.isAnswered = isAnswered
    }
}

extension AccessAttempt {
    /// The names of the interfaces on which the group was reached.
    var workingInterfaces: Set<String> {
        let indexes = facts.traffic.filter {
            $0.sentCount > 0 && ($0.loopedBackCount > 0 || $0.receivedCount > 0)
        }.map { $0.interface }
        return Set(
            facts.interfaces.map { $0.interface }.filter { indexes.contains($0.index) }
                .map { $0.name })
    }
}
