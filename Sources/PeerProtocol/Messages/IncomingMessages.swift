import NetworkPrimitives

/// Puts the messages of a channel together from what its stream carries.
struct IncomingMessages: Sendable {
    private struct Partial: Sendable {
        let number: UInt64
        let opening: MessageChunk.Opening
        var bytes: [UInt8]
    }

    /// What stopped the reading.
    enum Pause {
        /// More bytes of the stream are needed.
        case bytes
        /// The application has to read.
        case application
        /// Large messages of other channels have to be whole and read.
        case others
    }

    private let id: StreamID
    private let delivery: MessageDelivery
    private var buffer = UnreadBytes()
    private var partials: [Partial] = []
    private var ready = LatestQueue<ReceivedMessage>()
    private var readySize = 0
    /// Bytes of ready messages that came in more than a piece.
    private var readyLargeSize = 0
    private var lastNumber: UInt64 = 0

    /// Messages that a later one replaced before the application read them.
    private(set) var replacedCount = 0

    init(_ id: StreamID, _ delivery: MessageDelivery) {
        self.id = id
        self.delivery = delivery
    }

    var hasReady: Bool { !ready.isEmpty }

    /// How many bytes it occupies.
    var bufferedSize: Int {
        partials.reduce(buffer.count + readySize) { $0 + $1.bytes.count }
    }

    /// What counts as occupied by large messages: of an unordered channel with some on their way,
    /// all that it may keep, those included that are whole and were not read.
    var reservedSize: Int {
        guard !partials.isEmpty else { return readyLargeSize }
        let partial = partials.reduce(0) { $0 + Int(clamping: $1.opening.size) }
        return delivery == .unordered ? MessageLimits.size : readyLargeSize + partial
    }

    mutating func append(_ bytes: [UInt8]) { buffer.append(bytes) }

    /// Whether the stream may end here.
    var isWhole: Bool { buffer.count == 0 && partials.isEmpty }

    mutating func popFirst() -> ReceivedMessage? {
        guard let message = ready.popFirst() else { return nil }
        count(message, -1)
        return message
    }

    private mutating func count(_ message: ReceivedMessage, _ sign: Int) {
        let size = message.message.bytes.count
        readySize += sign * size
        if size > MessageLimits.chunk { readyLargeSize += sign * size }
    }

    /// Reads what is in the buffer, as far as it is whole and may be kept.
    ///
    /// - Parameter room: How many bytes large messages may still occupy.
    mutating func read(room: Int) throws(MessageViolation) -> Pause {
        while true {
            guard ready.count < MessageLimits.readyCount, readySize < MessageLimits.readySize
            else { return .application }
            var reader = WireReader(buffer.bytes, from: buffer.position)
            let chunk: MessageChunk
            do throws(ChunkError) {
                chunk = try MessageChunk(&reader, limit: UInt64(MessageLimits.chunk))
            } catch {
                switch error {
                case .incomplete: return .bytes
                case .frame(let error): throw .chunk(id, error)
                case .tooLong(let bytes): throw .chunkTooLong(id, bytes: bytes)
                }
            }
            if let opening = chunk.opening {
                try check(opening, of: chunk)
                if let pause = pause(before: opening, chunk, room) { return pause }
                begin(opening, chunk)
            } else {
                try proceed(chunk)
            }
            buffer.position = reader.position
        }
    }

    private func check(
        _ opening: MessageChunk.Opening, of chunk: MessageChunk
    ) throws(MessageViolation) {
        let number = chunk.number
        guard number == lastNumber + 1 else { throw .unexpectedNumber(id, number) }
        let limit = delivery == .latest ? MessageLimits.latestSize : MessageLimits.size
        guard opening.size <= UInt64(limit) else { throw .messageTooLong(id, bytes: opening.size) }
        let length = UInt64(chunk.bytes.count)
        guard length <= opening.size else { throw .tooManyBytes(id, number) }
        guard length > 0 || opening.size == 0 else { throw .emptyChunk(id, number) }
        guard delivery == .unordered else {
            guard partials.isEmpty else { throw .tooManyAtOnce(id, number) }
            return
        }
        guard length < opening.size else { return }
        let sum = partials.reduce(opening.size) { $0 + $1.opening.size }
        guard partials.count < MessageLimits.concurrent, sum <= UInt64(MessageLimits.size) else {
            throw .tooManyAtOnce(id, number)
        }
    }

    /// What a message has to wait for before it begins.
    ///
    /// A channel that is in the middle of a message never waits for other channels, which could
    /// wait for it: its large messages have the room that was kept for them, and where those that
    /// were not read are in the way, its own application has to read.
    private func pause(
        before opening: MessageChunk.Opening, _ chunk: MessageChunk, _ room: Int
    ) -> Pause? {
        let size = Int(clamping: opening.size)
        guard size > chunk.bytes.count else { return nil }
        guard delivery == .unordered else { return size <= room ? nil : .others }
        let begun = partials.reduce(readyLargeSize) { $0 + Int(clamping: $1.opening.size) }
        guard begun + size <= MessageLimits.size else { return .application }
        return !partials.isEmpty || MessageLimits.size - readyLargeSize <= room ? nil : .others
    }

    private mutating func begin(_ opening: MessageChunk.Opening, _ chunk: MessageChunk) {
        lastNumber = chunk.number
        let partial = Partial(number: chunk.number, opening: opening, bytes: chunk.bytes)
        if UInt64(chunk.bytes.count) == opening.size {
            complete(partial)
        } else {
            partials.append(partial)
        }
    }

    private mutating func proceed(_ chunk: MessageChunk) throws(MessageViolation) {
        let number = chunk.number
        guard let index = partials.firstIndex(where: { $0.number == number }) else {
            throw .unknownMessage(id, number)
        }
        guard !chunk.bytes.isEmpty else { throw .emptyChunk(id, number) }
        let count = UInt64(partials[index].bytes.count + chunk.bytes.count)
        guard count <= partials[index].opening.size else { throw .tooManyBytes(id, number) }
        partials[index].bytes.append(contentsOf: chunk.bytes)
        if count == partials[index].opening.size { complete(partials.remove(at: index)) }
    }

    private mutating func complete(_ partial: Partial) {
        let message = ReceivedMessage(
            number: partial.number,
            message: PeerMessage(received: partial.opening, bytes: partial.bytes))
        count(message, 1)
        let key = delivery == .latest ? partial.opening.key : partial.number
        if let replaced = ready.put(message, for: key) {
            count(replaced, -1)
            replacedCount += 1
        }
    }
}

extension PeerMessage {
    /// From what was checked when it was read.
    init(received opening: MessageChunk.Opening, bytes: [UInt8]) {
        type = opening.type
        key = opening.key
        self.bytes = bytes
    }
}
