package import LinuxEventLoop
import LinuxNetworking
package import NetworkPrimitives

extension LocalNetworkEnvironment {
    /// The system's own, with the status stored for its user: in `$XDG_STATE_HOME/vicinity`, else
    /// in `~/.local/state/vicinity`.
    public static var system: LocalNetworkEnvironment {
        do throws(SystemError) {
            return system(on: try EventLoop.shared, storeDirectory: AccessStore.userDirectory)
        } catch {
            let unavailable = UnavailableSystem(error)
            return LocalNetworkEnvironment(
                facts: unavailable, probe: unavailable, activity: SystemActivity(),
                clock: SystemSessionClock(), storeDirectory: AccessStore.userDirectory)
        }
    }

    /// The system as the loop's thread sees it, which can be in a network of its own.
    package static func system(
        on loop: EventLoop, selection: InterfaceSelection = .all,
        families: Set<AddressFamily> = [.ipv4, .ipv6], storeDirectory: String?
    ) -> LocalNetworkEnvironment {
        LocalNetworkEnvironment(
            facts: SystemFacts(loop: loop, selection: selection, families: families),
            probe: GroupProbe(loop: loop), activity: SystemActivity(),
            clock: SystemSessionClock(), storeDirectory: storeDirectory)
    }
}

/// The machine's sleep.
struct SystemActivity: LocalNetworkActivity {
    var timeSuspended: Duration { SystemClock.timeAsleep }
}

/// The clock that counts from boot.
struct SystemSessionClock: LocalNetworkClock {
    var now: Instant { SystemClock.now }

    func sleep(until deadline: Instant) async throws {
        let remaining = now.duration(to: deadline)
        try await Task.sleep(for: remaining)
    }
}

/// A system that has no room for an event loop.
struct UnavailableSystem: LocalNetworkFactsSource, LocalNetworkProbe {
    private let error: SystemError

    init(_ error: SystemError) {
        self.error = error
    }

    func facts() async -> LocalNetworkFacts {
        var facts = LocalNetworkFacts()
        facts.refusals = AddressFamily.allCases.map {
            Refusal(.socket, $0, number: error.code.rawValue)
        }
        facts.interfaces = ((try? InterfaceMonitor.snapshot()) ?? []).map { InterfaceFacts($0) }
        facts.process.openFileLimit = ProcessLimits.openFileLimit
        return facts
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) async {
        onChange()
        await Cancellation.wait()
    }

    func run(
        on facts: LocalNetworkFacts, report: @escaping @Sendable (LocalNetworkStep) -> Void
    ) async {
        await Cancellation.wait()
    }
}
