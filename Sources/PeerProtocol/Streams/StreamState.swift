/// One stream, as this side sees it.
struct StreamState: Sendable {
    let kind: StreamClass
    /// How many frames it may send in its turn.
    let weight: Int

    /// Bytes that wait to be sent.
    var outgoing = ByteQueue()
    /// Up to which offset this side may send.
    var sendLimit: UInt64
    var sent: UInt64 = 0
    /// The application sends no more.
    var isFinished = false
    /// The end, or a reset, was sent.
    var isSendEnded = false
    /// A reset waits to be sent. The stream counts as open until it has left: else who opens and
    /// resets streams, and reads nothing, would fill the queue with answers.
    var isResetDue = false
    /// The application was told that there is no room.
    var isWaitingForRoom = false

    /// Bytes that wait to be read.
    var incoming = ByteQueue()
    var window: ReceiveWindow
    /// Whether the stream is among those whose window is due.
    var isWindowDue = false
    /// The end, or a reset, came.
    var isReceiveEnded = false
    /// This side has reset it: what still comes is thrown away.
    var isDiscarding = false
    /// The application has read the end.
    var isEndRead = false

    /// Whether the end still has to be sent, and nothing before it.
    var owesEnd: Bool { isFinished && outgoing.isEmpty && !isSendEnded && !isResetDue }

    /// Whether no frame of it may come or go any more, but for windows.
    var isClosedOnWire: Bool { isSendEnded && isReceiveEnded && !isResetDue }

    /// Whether nothing is left of it to be done.
    var isDone: Bool { isClosedOnWire && (isEndRead || isDiscarding) }

    /// How many bytes the stream's own window lets it send now.
    var sendable: Int { Int(clamping: min(sendLimit - sent, UInt64(outgoing.count))) }
}
