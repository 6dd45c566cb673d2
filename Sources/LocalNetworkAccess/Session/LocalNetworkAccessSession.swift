import NetworkPrimitives

/// Finds out whether the local network can be used, and keeps the answer.
///
/// At most one request runs at a time; further ones wait for the same answer. An answer that
/// comes after a caller's time is over still counts: the request goes on until it has concluded,
/// which takes less than two seconds once there is an interface, and its result is stored and
/// published. When the last caller is cancelled it ends, and its sockets are closed.
public actor LocalNetworkAccessSession {
    nonisolated let environment: LocalNetworkEnvironment
    private nonisolated let store: AccessStore
    /// The request that runs.
    private var request: RunningRequest?
    /// The last answer where it can't be stored.
    private var unstored: AccessRecord?
    private var storeFinding: LocalNetworkReason?
    var subscribers: [UInt64: Subscriber] = [:]
    var watch: Task<Void, Never>?

    private struct RunningRequest {
        let task: Task<Void, Never>
        var attempt: AccessAttempt?
        var callers: [UInt64: AsyncStream<LocalNetworkReport>.Continuation] = [:]
    }

    /// A session.
    ///
    /// - Parameter environment: What it depends on.
    public init(environment: LocalNetworkEnvironment = .system) {
        self.environment = environment
        store = AccessStore(directory: environment.storeDirectory)
    }

    deinit {
        watch?.cancel()
    }

    // MARK: The status

    /// The status now. Nothing is sent.
    public func status() async -> LocalNetworkAccessStatus { await assessment().status }

    /// The status now, with its reasons. Nothing is sent.
    public func assessment() async -> LocalNetworkAssessment {
        let facts = await environment.facts.facts()
        if request != nil { return AccessJudge.assess(facts, isRunning: true) }
        var assessment = AccessJudge.assess(facts)
        guard assessment.status == .notDetermined else { return assessment }
        let (stored, finding) = store.load()
        if let record = unstored ?? stored {
            if record.holds(on: facts.network) {
                let names = Set(record.reasons.map { $0.name })
                assessment.status = record.status
                assessment.reasons =
                    record.reasons.map { .recorded($0) }
                    + assessment.reasons.filter { !names.contains($0.name) }
            } else {
                assessment.reasons.append(.recordedElsewhere)
            }
        }
        assessment.reasons += [finding, storeFinding].compactMap { $0 }
        return assessment
    }

    /// The last answer of a request, wherever that was; `nil` if there was none.
    public nonisolated var lastKnownStatus: LocalNetworkAccessStatus? {
        store.load().record?.status
    }

    // MARK: Requests

    /// Queries the group to find out whether the local network can be used.
    ///
    /// - Parameter timeout: How long to wait, above all for an interface.
    /// - Returns: The status: `notDetermined` if that was not enough time, or if the task was
    ///   cancelled, `unknown` if there was no interface.
    @discardableResult
    public func request(
        timeout: Duration = .seconds(30)
    ) async -> LocalNetworkAccessStatus {
        await requestReport(timeout: timeout).assessment.status
    }

    /// Queries the group to find out whether the local network can be used, and says how far
    /// that got.
    public func requestReport(
        timeout: Duration = .seconds(30)
    ) async -> LocalNetworkReport {
        let clock = environment.clock
        let deadline = clock.now.advanced(by: timeout)
        let (reports, continuation) = AsyncStream<LocalNetworkReport>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let caller = UInt64.random(in: 0 ... .max)
        join(caller, continuation)
        let report = await withTaskGroup(of: LocalNetworkReport?.self) { group in
            group.addTask {
                for await report in reports { return report }
                return nil
            }
            group.addTask {
                try? await clock.sleep(until: deadline)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        return if let report { report } else { await leave(caller) }
    }

    private func join(
        _ caller: UInt64, _ continuation: AsyncStream<LocalNetworkReport>.Continuation
    ) {
        if request == nil {
            request = RunningRequest(task: Task { await self.run() })
        }
        request?.callers[caller] = continuation
    }

    /// A caller's time is over, or it was cancelled. The request goes on only if somebody waits,
    /// or if it is merely late.
    private func leave(_ caller: UInt64) async -> LocalNetworkReport {
        request?.callers.removeValue(forKey: caller)?.finish()
        let attempt = request?.attempt
        let assessment =
            attempt?.assessment(isRunning: true) ?? LocalNetworkAssessment(.notDetermined)
        if let running = request, running.callers.isEmpty,
            Task.isCancelled || assessment.status == .unknown
        {
            running.task.cancel()
            await running.task.value
        }
        return LocalNetworkReport(
            assessment: assessment, progress: attempt?.reached ?? LocalNetworkProgress(),
            facts: attempt?.facts ?? LocalNetworkFacts())
    }

    /// Tries until there is an answer; each change of the network begins anew.
    private func run() async {
        var concluded: AccessAttempt?
        while !Task.isCancelled, concluded == nil {
            let facts = await environment.facts.facts()
            let attempt = AccessAttempt(
                facts, timeSuspended: environment.activity.timeSuspended,
                at: environment.clock.now)
            request?.attempt = attempt
            publish(attempt.assessment(isRunning: true))
            switch attempt.assessment(isRunning: false).status {
            case .denied, .notRequired: concluded = attempt
            case .unknown: _ = await observe(attempt, sends: false)
            case .allowed, .notDetermined: concluded = await observe(attempt, sends: true)
            }
        }
        finish(concluded)
    }

    private func finish(_ attempt: AccessAttempt?) {
        let callers = request?.callers ?? [:]
        request = nil
        defer { for caller in callers.values { caller.finish() } }
        guard let attempt else { return }
        var assessment = attempt.assessment(isRunning: false)
        if let record = AccessRecord(assessment, working: attempt.workingInterfaces) {
            storeFinding = store.save(record)
            unstored = store.directory == nil || storeFinding != nil ? record : nil
            if let storeFinding { assessment.reasons.append(storeFinding) }
        }
        let report = LocalNetworkReport(
            assessment: assessment, progress: attempt.reached, facts: attempt.facts)
        publish(assessment)
        for caller in callers.values { caller.yield(report) }
    }

    /// How many callers wait for the request that runs.
    var callerCount: Int { request?.callers.count ?? 0 }

    private enum Input: Sendable {
        case step(LocalNetworkStep)
        case tick
        case networkMayHaveChanged
    }

    /// Watches what happens until the attempt has concluded; `nil` if the network has changed, or
    /// the task was cancelled. All that was opened for it is closed when it returns.
    private func observe(_ attempt: AccessAttempt, sends: Bool) async -> AccessAttempt? {
        let environment = environment
        let facts = attempt.facts
        // A flood only pushes out what says nothing new.
        let (inputs, continuation) = AsyncStream<Input>.makeStream(
            bufferingPolicy: .bufferingNewest(4096))
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await environment.facts.watch { continuation.yield(.networkMayHaveChanged) }
            }
            if sends {
                group.addTask {
                    await environment.probe.run(on: facts) { continuation.yield(.step($0)) }
                }
                group.addTask { await Self.tick(environment.clock) { continuation.yield(.tick) } }
            }
            var attempt = attempt
            var concluded: AccessAttempt?
            for await input in inputs {
                if case .networkMayHaveChanged = input,
                    await environment.facts.facts().differs(from: facts)
                {
                    break
                }
                let now = environment.clock.now
                attempt.advance(to: now, timeSuspended: environment.activity.timeSuspended)
                if case .step(let step) = input { attempt.apply(step) }
                request?.attempt = attempt
                guard sends, attempt.hasConcluded(at: now) else { continue }
                concluded = attempt
                break
            }
            group.cancelAll()
            await group.waitForAll()
            return Task.isCancelled ? nil : concluded
        }
    }

    private static func tick(
        _ clock: any LocalNetworkClock, _ onTick: @Sendable () -> Void
    ) async {
        while !Task.isCancelled {
            try? await clock.sleep(until: clock.now.advanced(by: AccessAttempt.tickInterval))
            onTick()
        }
    }
}

/// What a request has found.
public struct LocalNetworkReport: Hashable, Sendable {
    /// The status with its reasons.
    public var assessment: LocalNetworkAssessment
    /// How far it got.
    public var progress: LocalNetworkProgress
    /// What that was found from.
    public var facts: LocalNetworkFacts
}
