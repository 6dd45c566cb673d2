import NetworkPrimitives

/// Bytes in the order in which they were put in, kept in the pieces in which they came.
struct ByteQueue: Sendable {
    private var pieces = Queue<[UInt8]>()
    /// How many bytes of the first piece were taken out.
    private var offset = 0

    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        pieces.append(bytes)
        count += bytes.count
    }

    /// The next bytes, `limit` at most.
    mutating func take(upTo limit: Int) -> [UInt8] {
        let wanted = min(limit, count)
        guard wanted > 0 else { return [] }
        count -= wanted
        if offset == 0, let first = pieces.first, first.count == wanted {
            _ = pieces.popFirst()
            return first
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(wanted)
        while bytes.count < wanted, let first = pieces.first {
            let end = min(offset + wanted - bytes.count, first.count)
            bytes += first[offset..<end]
            offset = end
            if offset == first.count {
                _ = pieces.popFirst()
                offset = 0
            }
        }
        return bytes
    }

    mutating func removeAll() { self = ByteQueue() }
}
