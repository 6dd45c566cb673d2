/// Whether this program can use the local network for multicast DNS.
///
/// The names are those of Apple's local network privacy. Linux has no such switch; here the
/// answer is what the system's interfaces, sockets, filters and limits let through, with a
/// reason and a remedy for what they do not.
public enum LocalNetworkAccess {
    /// What the static methods ask.
    public static let session = LocalNetworkAccessSession()

    /// The status now. Nothing is sent.
    public static func status() async -> LocalNetworkAccessStatus { await session.status() }

    /// The status now, with its reasons. Nothing is sent.
    public static func assessment() async -> LocalNetworkAssessment {
        await session.assessment()
    }

    /// Queries the group to find out whether the local network can be used.
    ///
    /// - Parameter timeout: How long to wait, above all for an interface.
    /// - Returns: The status: `notDetermined` if that was not enough time, or if the task was
    ///   cancelled.
    @discardableResult
    public static func request(
        timeout: Duration = .seconds(30)
    ) async -> LocalNetworkAccessStatus {
        await session.request(timeout: timeout)
    }

    /// The status now and each change of it; a slow reader gets the latest.
    public static func statusUpdates() -> AsyncStream<LocalNetworkAccessStatus> {
        session.statusUpdates()
    }

    /// The last answer of a request, wherever that was; `nil` if there was none.
    public static var lastKnownStatus: LocalNetworkAccessStatus? { session.lastKnownStatus }

    /// Does nothing: `status()` sends nothing here, whether access was requested before or not.
    /// On Apple's systems it notes that other code has made the system's question appear.
    public static func markAsRequested() {}
}
