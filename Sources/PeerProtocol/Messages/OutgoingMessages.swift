import NetworkPrimitives

/// The messages of a channel that wait to be sent, cut in pieces as there is room for them: what
/// is not begun can still be replaced, and nothing waits behind more than a piece.
struct OutgoingMessages: Sendable {
    private struct Begun: Sendable {
        let number: UInt64
        let message: PeerMessage
        var sent = 0
    }

    private let delivery: MessageDelivery
    private let limits: MessageLimits
    private var waiting = LatestQueue<PeerMessage>()
    private var begun = Queue<Begun>()
    private var begunSize = 0
    /// Whether the next piece is one of a message that is begun, so that new ones and those that
    /// are on their way take turns.
    private var continues = false
    private var nextKey: UInt64 = 0
    private var nextNumber: UInt64 = 1

    /// Bytes that were not sent, without headers.
    private(set) var waitingSize = 0
    /// Messages that were replaced before they were sent.
    private(set) var replacedCount = 0
    /// Whether the application was told that there is no room.
    private(set) var isWaitingForRoom = false

    init(_ delivery: MessageDelivery, limits: MessageLimits) {
        self.delivery = delivery
        self.limits = limits
    }

    var isEmpty: Bool { waiting.isEmpty && begun.isEmpty }

    mutating func add(_ message: PeerMessage) throws(MessageError) {
        let limit = delivery == .latest ? MessageLimits.latestSize : MessageLimits.size
        let size = message.bytes.count
        guard size <= limit else { throw .tooLong(bytes: size, limit: limit) }
        let former = delivery == .latest ? waiting[message.key] : nil
        guard hasRoom(for: size - (former?.bytes.count ?? 0)) || former != nil else {
            isWaitingForRoom = true
            throw .noRoom
        }
        nextKey += 1
        let key = delivery == .latest ? message.key : nextKey
        if let replaced = waiting.put(message, for: key) {
            waitingSize -= replaced.bytes.count
            replacedCount += 1
        }
        waitingSize += size
    }

    private func hasRoom(for size: Int) -> Bool {
        if isEmpty { return true }
        let count = delivery == .latest ? MessageLimits.keys : limits.outgoingCount
        return waiting.count < count && waitingSize + size <= limits.outgoing
    }

    /// Whether there is room again, after there was none.
    mutating func takeRoom() -> Bool {
        guard isWaitingForRoom,
            isEmpty
                || waitingSize <= limits.outgoing / 2
                    && waiting.count <= limits.outgoingCount / 2
        else { return false }
        isWaitingForRoom = false
        return true
    }

    /// The next piece, with `MessageLimits.chunk` bytes of the message at most.
    mutating func nextChunk() -> MessageChunk? {
        if let first = waiting.first, canBegin(first), !continues || begun.isEmpty {
            continues = true
            return begin()
        }
        continues = false
        guard let message = begun.popFirst() else { return nil }
        return chunk(of: message, opening: nil)
    }

    private func canBegin(_ message: PeerMessage) -> Bool {
        guard delivery == .unordered else { return begun.isEmpty }
        // What fits one piece is never on its way together with others.
        if message.bytes.count <= MessageLimits.chunk { return true }
        return begun.count < MessageLimits.concurrent
            && begunSize + message.bytes.count <= MessageLimits.size
    }

    private mutating func begin() -> MessageChunk? {
        guard let message = waiting.popFirst() else { return nil }
        defer { nextNumber += 1 }
        begunSize += message.bytes.count
        return chunk(
            of: Begun(number: nextNumber, message: message),
            opening: MessageChunk.Opening(
                key: message.key, type: message.type, size: UInt64(message.bytes.count)))
    }

    private mutating func chunk(
        of message: Begun, opening: MessageChunk.Opening?
    ) -> MessageChunk {
        var message = message
        let bytes = message.message.bytes
        let end = min(message.sent + MessageLimits.chunk, bytes.count)
        let chunk = MessageChunk(
            number: message.number, opening: opening, bytes: Array(bytes[message.sent..<end]))
        waitingSize -= end - message.sent
        message.sent = end
        if end == bytes.count { begunSize -= end } else { begun.append(message) }
        return chunk
    }
}
