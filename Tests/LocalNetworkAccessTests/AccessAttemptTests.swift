import LinuxNetworking
import NetworkPrimitives
import Testing

@testable import LocalNetworkAccess

@Suite("A request's progress")
struct AccessAttemptTests {
    typealias Sample = FactSamples

    private func attempt() -> AccessAttempt {
        AccessAttempt(Sample.healthy, timeSuspended: .zero, at: .zero)
    }

    private func time(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    /// Applies steps over both families, or these.
    private func apply(
        _ attempt: inout AccessAttempt, _ families: [AddressFamily] = AddressFamily.allCases,
        _ steps: (InterfaceIndex, AddressFamily) -> LocalNetworkStep...
    ) {
        for family in families {
            for step in steps { attempt.apply(step(Sample.index, family)) }
        }
    }

    /// Goes on to that time in ticks.
    private func advance(
        _ attempt: inout AccessAttempt, from start: Int64 = 0, to end: Int64
    ) {
        for now in stride(from: start, through: end, by: 100) {
            attempt.advance(to: time(now), timeSuspended: .zero)
        }
    }

    @Test("an answer concludes it once every interface and family is known")
    func answered() {
        var attempt = attempt()
        apply(&attempt, AddressFamily.allCases, { .joined($0, $1) }, { .sent($0, $1) })
        apply(&attempt, [.ipv4], { .received($0, $1, isResponse: true) })
        #expect(!attempt.hasConcluded(at: time(100)))
        #expect(attempt.assessment(isRunning: true).status == .notDetermined)
        apply(&attempt, [.ipv6], { .loopedBack($0, $1, hopLimit: 255) })
        #expect(attempt.hasConcluded(at: time(100)))
        #expect(attempt.assessment(isRunning: false) == .init(.allowed, [], on: Sample.network))
        #expect(
            attempt.reached
                == LocalNetworkProgress(
                    hasJoined: true, hasSent: true, hasLoopedBack: true, hasReceived: true,
                    isAnswered: true))
        #expect(attempt.workingInterfaces == ["lan0"])
    }

    @Test("an answer to others, before we have sent, concludes nothing")
    func answeredBeforeSending() {
        var attempt = attempt()
        apply(
            &attempt, AddressFamily.allCases, { .joined($0, $1) },
            { .received($0, $1, isResponse: true) })
        #expect(!attempt.hasConcluded(at: time(100)))
        apply(&attempt, AddressFamily.allCases, { .sent($0, $1) })
        #expect(!attempt.hasConcluded(at: time(100)))
        #expect(attempt.reached.hasReceived && !attempt.reached.isAnswered)
        apply(&attempt, [.ipv4], { .loopedBack($0, $1, hopLimit: 255) })
        #expect(!attempt.hasConcluded(at: time(100)))
        apply(&attempt, [.ipv6], { .received($0, $1, isResponse: true) })
        #expect(attempt.hasConcluded(at: time(100)))
        #expect(attempt.reached.isAnswered)
        #expect(attempt.assessment(isRunning: false).status == .allowed)
    }

    @Test("a query of another host is no answer, and shows that the network works")
    func query() {
        var attempt = attempt()
        apply(
            &attempt, AddressFamily.allCases, { .sent($0, $1) },
            { .received($0, $1, isResponse: false) })
        #expect(!attempt.hasConcluded(at: time(100)))
        advance(&attempt, to: 1700)
        #expect(attempt.hasConcluded(at: time(1700)))
        #expect(attempt.assessment(isRunning: false).status == .allowed)
        #expect(attempt.reached.hasReceived && !attempt.reached.isAnswered)
    }

    @Test("silence is a denial only when the time for answers is over, a late answer counts")
    func silence() {
        var attempt = attempt()
        apply(&attempt, AddressFamily.allCases, { .joined($0, $1) }, { .sent($0, $1) })
        advance(&attempt, to: 1600)
        #expect(!attempt.hasConcluded(at: time(1600)))
        #expect(attempt.assessment(isRunning: false).status == .notDetermined)
        advance(&attempt, from: 1700, to: 1700)
        #expect(attempt.hasConcluded(at: time(1700)))
        #expect(attempt.assessment(isRunning: true).status == .notDetermined)
        #expect(attempt.assessment(isRunning: false).status == .denied)
        #expect(attempt.workingInterfaces == [])
        apply(&attempt, [.ipv6], { .received($0, $1, isResponse: true) })
        #expect(attempt.assessment(isRunning: false).status == .allowed)
    }

    @Test("what a frozen process missed is no denial", arguments: [true, false])
    func frozen(bySleep: Bool) {
        var attempt = attempt()
        apply(&attempt, AddressFamily.allCases, { .sent($0, $1) })
        if bySleep {
            attempt.advance(to: time(200), timeSuspended: .seconds(60))
        } else {
            attempt.advance(to: time(60_200), timeSuspended: .zero)
        }
        let woken: Int64 = bySleep ? 200 : 60_200
        #expect(!attempt.hasConcluded(at: time(woken)))
        let assessment = attempt.assessment(isRunning: false)
        #expect(assessment.status == .notDetermined)
        #expect(assessment.reasons.contains(.suspended))
        // With nothing sent since, there is nothing to be missed.
        for now in stride(from: woken + 100, through: woken + 1700, by: 100) {
            attempt.advance(to: time(now), timeSuspended: bySleep ? .seconds(60) : .zero)
        }
        #expect(attempt.hasConcluded(at: time(woken + 1700)))
        #expect(attempt.assessment(isRunning: false).status == .notDetermined)
        // Sent while awake, and silent to the end.
        apply(&attempt, AddressFamily.allCases, { .sent($0, $1) })
        #expect(attempt.assessment(isRunning: false).status == .denied)
    }

    @Test("a tick that is merely late is no freeze")
    func lateTick() {
        var attempt = attempt()
        attempt.advance(to: time(1100), timeSuspended: .milliseconds(900))
        #expect(!attempt.assessment(isRunning: false).reasons.contains(.suspended))
        attempt.advance(to: time(2201), timeSuspended: .milliseconds(900))
        #expect(attempt.assessment(isRunning: false).reasons.contains(.suspended))
    }

    @Test("a refusal that passes is forgotten; steps on other interfaces are left out")
    func steps() {
        var attempt = attempt()
        let number = SystemError.Code.notPermitted.rawValue
        apply(
            &attempt, AddressFamily.allCases,
            { .sendRefused($0, $1, number: number, isLoopbackRefused: false) })
        #expect(attempt.assessment(isRunning: false).status == .denied)
        apply(
            &attempt, AddressFamily.allCases, { .sent($0, $1) },
            { .loopedBack($0, $1, hopLimit: nil) })
        #expect(attempt.assessment(isRunning: false).status == .allowed)
        let before = attempt.facts
        attempt.apply(.received(InterfaceIndex(rawValue: 99), .ipv4, isResponse: true))
        #expect(attempt.facts == before)
        for _ in 0..<10_000 { attempt.apply(.received(Sample.index, .ipv4, isResponse: true)) }
        #expect(attempt.facts.traffic.count == 2)
    }
}

extension FactSamples {
    static var network: NetworkIdentity { healthy.network }
}
