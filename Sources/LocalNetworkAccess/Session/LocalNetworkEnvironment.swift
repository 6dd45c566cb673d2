public import NetworkPrimitives

/// What the access to the local network depends on; each can be replaced in a test.
public struct LocalNetworkEnvironment: Sendable {
    /// What can be seen without sending.
    public var facts: any LocalNetworkFactsSource
    /// What sends to the group to see whether that works.
    public var probe: any LocalNetworkProbe
    /// Whether the process runs.
    public var activity: any LocalNetworkActivity
    /// The time.
    public var clock: any LocalNetworkClock
    /// The folder that the status is stored in; `nil` if it is not stored. Only its user may
    /// enter it.
    public var storeDirectory: String?

    /// An environment.
    public init(
        facts: any LocalNetworkFactsSource, probe: any LocalNetworkProbe,
        activity: any LocalNetworkActivity, clock: any LocalNetworkClock,
        storeDirectory: String?
    ) {
        self.facts = facts
        self.probe = probe
        self.activity = activity
        self.clock = clock
        self.storeDirectory = storeDirectory
    }
}

/// Where facts come from.
public protocol LocalNetworkFactsSource: Sendable {
    /// What can be seen now, without sending anything.
    func facts() async -> LocalNetworkFacts
    /// Calls `onChange` at the beginning and each time that the interfaces may have changed, until
    /// the task is cancelled. Nothing is left open when it returns.
    func watch(_ onChange: @escaping @Sendable () -> Void) async
}

/// What sends to the group.
public protocol LocalNetworkProbe: Sendable {
    /// Joins the group and queries it on the interfaces that these facts name, and reports each
    /// step that is reached, until the task is cancelled. No socket is left open when it returns.
    func run(
        on facts: LocalNetworkFacts, report: @escaping @Sendable (LocalNetworkStep) -> Void
    ) async
}

/// Whether the process runs.
public protocol LocalNetworkActivity: Sendable {
    /// How long the machine has been suspended since it started.
    var timeSuspended: Duration { get }
}

/// The time.
public protocol LocalNetworkClock: Sendable {
    /// The time that goes on while the machine is suspended.
    var now: Instant { get }
    /// Waits until then.
    func sleep(until deadline: Instant) async throws
}

/// A step of a request for access.
public enum LocalNetworkStep: Hashable, Sendable {
    /// The group was joined.
    case joined(InterfaceIndex, AddressFamily)
    /// The system refused that, with this number (`errno`).
    case joinRefused(InterfaceIndex, AddressFamily, number: Int32)
    /// The kernel took a query.
    case sent(InterfaceIndex, AddressFamily)
    /// It did not; whether sending to this host itself is refused, too.
    case sendRefused(InterfaceIndex, AddressFamily, number: Int32, isLoopbackRefused: Bool)
    /// A datagram of this host came back from the group; with its hop limit if it was the query.
    case loopedBack(InterfaceIndex, AddressFamily, hopLimit: UInt8?)
    /// Another host's datagram came to the group.
    case received(InterfaceIndex, AddressFamily, isResponse: Bool)
    /// What the kernel has counted since the beginning.
    case counted(CounterFacts)
}
