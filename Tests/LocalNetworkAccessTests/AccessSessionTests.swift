import LinuxNetworking
import NetworkPrimitives
import Testing

@testable import LocalNetworkAccess

@Suite("Requests for access", .timeLimit(.minutes(10)))
struct AccessSessionTests {
    private func wait(until condition: () async -> Bool) async {
        while !(await condition()) { await Task.yield() }
    }

    @Test("an answer is allowed, stored, and the status from then on")
    func answered() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(answered: true))
        let session = LocalNetworkAccessSession(environment: script.environment())
        #expect(await session.status() == .notDetermined)
        let report = await session.requestReport(timeout: .patient)
        #expect(report.assessment.status == .allowed)
        #expect(report.progress.isAnswered)
        #expect(script.openProbes == 0)
        #expect(await session.status() == .allowed)
        script.change {
            $0.network.interfaces = ["lan0 203.0.113.0/24"]
        }
        let elsewhere = await session.assessment()
        #expect(elsewhere.status == .notDetermined)
        #expect(elsewhere.reasons == [.recordedElsewhere])
    }

    @Test("a denial is stored with its reasons; a session after it knows them")
    func denied() async throws {
        let folder = "/tmp/vicinity-session-\(UInt64.random(in: 0 ... .max))"
        defer {
            try? SystemFile.remove("\(folder)/local-network-access")
            try? SystemFile.remove(folder)
        }
        let script = ScriptedEnvironment(ScriptedEnvironment.refused)
        let environment = script.environment(storeDirectory: folder)
        let session = LocalNetworkAccessSession(environment: environment)
        #expect(session.lastKnownStatus == nil)
        #expect(await session.request(timeout: .patient) == .denied)
        let other = LocalNetworkAccessSession(environment: environment)
        #expect(other.lastKnownStatus == .denied)
        let assessment = await other.assessment()
        #expect(assessment.status == .denied)
        #expect(assessment.reasons.map { $0.name } == ["sending-refused", "sending-refused"])
        #expect(assessment.reasons.allSatisfy { !$0.text.isEmpty && !$0.remedy.isEmpty })
        script.change { $0.network.bootID = "next" }
        #expect(await other.status() == .notDetermined)
        #expect(other.lastKnownStatus == .denied)
    }

    @Test("a store that can't be written is a finding beside the answer")
    func unwritable() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(answered: true))
        let session = LocalNetworkAccessSession(
            environment: script.environment(storeDirectory: "/proc/vicinity-test"))
        let report = await session.requestReport(timeout: .patient)
        #expect(report.assessment.status == .allowed)
        // That a busy machine held this process up is told too.
        func names(_ assessment: LocalNetworkAssessment) -> [String] {
            assessment.reasons.map { $0.name }.filter { $0 != "suspended" }
        }
        #expect(names(report.assessment) == ["record-not-stored"])
        let now = await session.assessment()
        #expect(now.status == .allowed)
        #expect(names(now) == ["record-not-stored"])
    }

    @Test("while it runs the status is not determined, for all who look")
    func running() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.refused)
        let session = LocalNetworkAccessSession(environment: script.environment())
        var updates = session.statusUpdates().makeAsyncIterator()
        #expect(await updates.next() == .notDetermined)
        let request = Task { await session.request(timeout: .patient) }
        await wait { script.openProbes == 1 }
        #expect(await session.status() == .notDetermined)
        #expect(await request.value == .denied)
        #expect(await updates.next() == .denied)
        // Asked again, it is not determined again, and then the same.
        let again = Task { await session.request(timeout: .patient) }
        #expect(await updates.next() == .notDetermined)
        #expect(await again.value == .denied)
        #expect(await updates.next() == .denied)
    }

    @Test("two callers share a request")
    func shared() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps())
        let session = LocalNetworkAccessSession(environment: script.environment())
        async let one = session.request(timeout: .patient)
        async let two = session.request(timeout: .patient)
        #expect(await [one, two] == [.allowed, .allowed])
        #expect(script.startedProbes == 1)
    }

    @Test("an answer after the caller's time still counts")
    func late() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(loopedBack: false))
        let session = LocalNetworkAccessSession(environment: script.environment())
        var updates = session.statusUpdates().makeAsyncIterator()
        #expect(await updates.next() == .notDetermined)
        #expect(await session.request(timeout: .milliseconds(50)) == .notDetermined)
        await wait { script.openProbes == 1 }
        for family in AddressFamily.allCases {
            script.report(.received(FactSamples.index, family, isResponse: true))
        }
        #expect(await updates.next() == .allowed)
        #expect(await session.status() == .allowed)
        #expect(script.openProbes == 0)
    }

    @Test("a cancelled request leaves nothing open, unless another caller waits")
    func cancelled() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(loopedBack: false))
        let session = LocalNetworkAccessSession(environment: script.environment())
        let one = Task { await session.request(timeout: .patient) }
        await wait { script.openProbes == 1 }
        one.cancel()
        #expect(await one.value == .notDetermined)
        #expect(script.openProbes == 0)
        #expect(script.openWatches == 0)
        #expect(await session.status() == .notDetermined)

        let two = Task { await session.request(timeout: .patient) }
        await wait { script.openProbes == 1 }
        let three = Task { await session.request(timeout: .patient) }
        await wait { await session.callerCount == 2 }
        two.cancel()
        #expect(await two.value == .notDetermined)
        #expect(script.openProbes == 1)
        #expect(await three.value == .denied)
        #expect(script.startedProbes == 2)
    }

    @Test("without an interface it waits for one; what was seen then is no denial")
    func waits() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(answered: true))
        let up = FactSamples.healthy
        script.change { $0 = FactSamples.host() }
        let session = LocalNetworkAccessSession(environment: script.environment())
        #expect(await session.request(timeout: .milliseconds(50)) == .unknown)
        #expect(script.startedProbes == 0)
        #expect(script.openWatches == 0)
        let request = Task { await session.request(timeout: .patient) }
        await wait { script.openWatches == 1 }
        script.change { $0 = up }
        #expect(await request.value == .allowed)
        script.change { $0 = FactSamples.host() }
        #expect(await session.status() == .unknown)
    }

    @Test("an interface whose multicast is switched on meanwhile is tried")
    func multicastOn() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(answered: true))
        let healthy = FactSamples.healthy
        script.change { $0.interfaces[1].interface.flags.remove(.multicast) }
        let session = LocalNetworkAccessSession(environment: script.environment())
        let request = Task { await session.request(timeout: .seconds(20)) }
        await wait { script.openWatches == 1 }
        script.change { $0 = healthy }
        #expect(await request.value == .allowed)
    }

    @Test("a network that changes meanwhile begins anew")
    func changes() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.steps(loopedBack: false))
        let session = LocalNetworkAccessSession(environment: script.environment())
        let request = Task { await session.request(timeout: .patient) }
        await wait { script.openProbes == 1 }
        script.change { $0.network.interfaces = ["lan0 203.0.113.0/24"] }
        await wait { script.startedProbes == 2 }
        for family in AddressFamily.allCases {
            script.report(.received(FactSamples.index, family, isResponse: true))
        }
        #expect(await request.value == .allowed)
        #expect(script.openProbes == 0)
    }

    @Test("updates follow the interfaces; without readers nothing is watched")
    func updates() async {
        let script = ScriptedEnvironment()
        let session = LocalNetworkAccessSession(environment: script.environment())
        let reader = Task {
            var seen: [LocalNetworkAccessStatus] = []
            for await status in session.statusUpdates() {
                seen.append(status)
                if seen.count == 1 { script.change { $0 = FactSamples.host() } }
                if seen.count == 2 { script.change { $0 = FactSamples.healthy } }
                if seen.count == 3 { break }
            }
            return seen
        }
        #expect(await reader.value == [.notDetermined, .unknown, .notDetermined])
        await wait { script.openWatches == 0 }
        for await assessment in session.assessments() {
            #expect(assessment.status == .notDetermined)
            break
        }
        await wait { script.openWatches == 0 }
    }

    @Test("a monitor shows the status and what helps")
    @MainActor
    func monitor() async {
        let script = ScriptedEnvironment(ScriptedEnvironment.refused)
        let session = LocalNetworkAccessSession(environment: script.environment())
        let monitor = LocalNetworkAccessMonitor(session: session)
        #expect(monitor.status == .notDetermined)
        #expect(await monitor.request() == .denied)
        await wait { monitor.status == .denied }
        #expect(monitor.openSettings().contains("5353"))
        #expect(!monitor.openSettings().contains("\n"))
    }
}

extension Duration {
    /// Until a request is given up: longer than any other test keeps the processor.
    static let patient = Duration.seconds(600)
}
