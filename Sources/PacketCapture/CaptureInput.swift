/// The bytes of the file that were given and not read yet.
struct CaptureInput: Sendable {
    /// The bytes that were given lately; those before `start` are read.
    private(set) var storage: [UInt8] = []
    /// Where the unread bytes begin in `storage`.
    private(set) var start = 0
    /// Where the unread bytes begin in the file.
    private(set) var fileOffset = 0

    /// The number of unread bytes.
    var count: Int { storage.count - start }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        storage.removeFirst(start)
        start = 0
        storage.append(contentsOf: bytes)
    }

    /// Passes over unread bytes.
    mutating func skip(_ count: Int) {
        start += count
        fileOffset += count
    }
}
