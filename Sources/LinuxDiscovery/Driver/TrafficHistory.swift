import DNSSD
import LinuxNetworking
import NetworkPrimitives

/// What became of the datagrams sent on one interface over one family since it came up, and
/// whether what was multicast came back, as the kernel sees to unless something drops it.
struct TrafficHistory {
    /// Why the kernel does not take a datagram.
    enum SendError: Hashable {
        case refused(SystemError.Code)
        /// The send queue had no room.
        case queueFull
    }

    /// What does not work.
    enum Fault: Hashable {
        case sending(SendError)
        case receiving
    }

    /// So many failures one after another, after a success, are more than a bad moment.
    private static let lastingFailures = 4
    /// So many own multicasts without any datagram from the group are more than a bad moment.
    private static let lastingSilence = 3
    /// Own multicasts count as one within this time: all but the first may be on their way.
    private static let arrivalTime: Duration = .milliseconds(200)

    private(set) var sentCount = 0
    private(set) var failedCount = 0
    private(set) var lastError: SendError?
    private var failuresInARow = 0
    private var missingCopies = 0
    private var lastMissingCopy: Instant?

    /// Notes that the kernel took a datagram.
    mutating func noteSent(isMulticast: Bool, at now: Instant) {
        sentCount += 1
        failuresInARow = 0
        guard isMulticast else { return }
        if let last = lastMissingCopy, last.duration(to: now) < Self.arrivalTime { return }
        missingCopies += 1
        lastMissingCopy = now
    }

    /// Notes that it did not.
    mutating func noteFailure(_ error: SendError) {
        failedCount += 1
        failuresInARow += 1
        lastError = error
    }

    /// Notes that a datagram to the group arrived.
    mutating func noteReceived() {
        missingCopies = 0
        lastMissingCopy = nil
    }

    /// Whether anything was to be sent.
    var wasTried: Bool { sentCount + failedCount > 0 }

    /// Whether nothing has arrived since an own multicast was sent.
    var awaitsCopy: Bool { missingCopies > 0 }

    /// Whether nothing can be sent, as far as is known.
    var isBlocked: Bool {
        failuresInARow > 0 && (sentCount == 0 || failuresInARow >= Self.lastingFailures)
    }

    /// Whether something was sent, and nothing says that it can't be any more.
    var isWorking: Bool { sentCount > 0 && !isBlocked }

    /// What does not work, as far as is known.
    var fault: Fault? {
        if isBlocked, let lastError { return .sending(lastError) }
        return missingCopies >= Self.lastingSilence ? .receiving : nil
    }
}

/// Whether a registration can be found by others.
enum Reachability: Equatable {
    /// Nothing was tried yet.
    case untried
    /// Somewhere at least; but not where something fails.
    case reachable(except: [InterfaceFailure])
    /// Nothing can be sent anywhere: one of the reasons.
    case blocked(InterfaceFailure)
    /// Each interface is unusable: why one of them is.
    case noInterface(InterfaceFailure)
}
