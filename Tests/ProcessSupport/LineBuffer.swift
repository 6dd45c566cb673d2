/// Collects bytes and hands them out line by line.
struct LineBuffer {
    /// Bytes beyond this are dropped, so that a program that never stops can't fill the memory.
    let limit: Int
    /// Whether something was dropped.
    private(set) var isTruncated = false
    private var bytes: [UInt8] = []
    private var start = 0
    /// Up to where no line end was found.
    private var searched = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ more: [UInt8]) {
        let room = limit - (bytes.count - start)
        guard more.count <= room else {
            isTruncated = true
            bytes.append(contentsOf: more.prefix(max(room, 0)))
            return
        }
        bytes.append(contentsOf: more)
    }

    /// Whether something came since the last line was looked for.
    var hasUnseenLine: Bool {
        searched < bytes.count
    }

    /// The next line without its end; with `atEnd`, also one that has none.
    mutating func nextLine(atEnd: Bool) -> String? {
        while searched < bytes.count, bytes[searched] != UInt8(ascii: "\n") { searched += 1 }
        guard searched < bytes.count || (atEnd && start < bytes.count) else { return nil }
        let line = String(decoding: bytes[start..<searched], as: UTF8.self)
        searched = min(searched + 1, bytes.count)
        start = searched
        // Moved to the front now and then, so that the cost of that is spread.
        if start > 1 << 16, start * 2 > bytes.count {
            bytes.removeFirst(start)
            start = 0
            searched = 0
        }
        return line
    }

    /// All that was not handed out.
    mutating func takeAll() -> [UInt8] {
        defer {
            bytes = []
            start = 0
            searched = 0
        }
        return Array(bytes[start...])
    }
}
