import LinuxNetworking

/// The messages of a corpus file: each a length of 16 bits, the first byte on top, and the bytes
/// of one message. `peers/corpus.py` makes such a file from captures.
struct Corpus {
    let messages: [[UInt8]]
    let byteCount: Int

    init(path: String) throws(SystemError) {
        let bytes = try SystemFile.read(path)
        var messages: [[UInt8]] = []
        var at = 0
        while at + 2 <= bytes.count {
            let end = at + 2 + (Int(bytes[at]) << 8 | Int(bytes[at + 1]))
            guard end <= bytes.count else { break }
            messages.append(Array(bytes[at + 2..<end]))
            at = end
        }
        self.messages = messages
        byteCount = messages.reduce(0) { $0 + $1.count }
    }
}
