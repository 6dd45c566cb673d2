public import Observation

/// The status for a user interface to observe.
@MainActor
@Observable
public final class LocalNetworkAccessMonitor {
    /// The status: the last known one until the first look is over.
    public private(set) var status: LocalNetworkAccessStatus
    /// Why it is so.
    public private(set) var reasons: [LocalNetworkReason] = []

    @ObservationIgnored private let session: LocalNetworkAccessSession
    @ObservationIgnored private var updates: Task<Void, Never>?

    /// Begins to observe.
    ///
    /// - Parameter session: Whose status; the program's own if nothing is said.
    public init(session: LocalNetworkAccessSession = LocalNetworkAccess.session) {
        self.session = session
        status = session.lastKnownStatus ?? .notDetermined
        let assessments = session.assessments()
        updates = Task { [weak self] in
            for await assessment in assessments {
                guard let self else { return }
                self.status = assessment.status
                self.reasons = assessment.reasons
            }
        }
    }

    isolated deinit {
        updates?.cancel()
    }

    /// Queries the group to find out whether the local network can be used.
    @discardableResult
    public func request(
        timeout: Duration = .seconds(30)
    ) async -> LocalNetworkAccessStatus {
        await session.request(timeout: timeout)
    }

    /// What to do to get access, one remedy a line: there are no settings to open here. Empty if
    /// nothing is to be done.
    @discardableResult
    public func openSettings() -> String {
        var remedies: [String] = []
        for reason in reasons where !reason.remedy.isEmpty && !remedies.contains(reason.remedy) {
            remedies.append(reason.remedy)
        }
        return remedies.joined(separator: "\n")
    }
}
