import DNSSD

/// What became of the datagrams sent on one interface over one family since it came up.
struct SendHistory {
    /// So many failures one after another, after a success, are more than a bad moment.
    private static let lastingFailures = 4

    private(set) var sentCount = 0
    private(set) var failedCount = 0
    private(set) var lastFailure: SendFailure?
    private var failuresInARow = 0

    /// Notes that the kernel took a datagram.
    mutating func noteSent() {
        sentCount += 1
        failuresInARow = 0
    }

    /// Notes that it did not.
    mutating func noteFailure(_ failure: SendFailure) {
        failedCount += 1
        failuresInARow += 1
        lastFailure = failure
    }

    /// Whether nothing can be sent, as far as is known.
    var isBlocked: Bool {
        failuresInARow > 0 && (sentCount == 0 || failuresInARow >= Self.lastingFailures)
    }

    /// Whether something was sent, and nothing says that it can't be any more.
    var isWorking: Bool { sentCount > 0 && !isBlocked }
}

/// Whether what is sent on some interfaces leaves the machine.
enum SendState: Equatable {
    /// On one of them at least.
    case working
    /// Nothing was tried yet.
    case untried
    /// On none: the reason of one of them.
    case blocked(SendFailure)
}
