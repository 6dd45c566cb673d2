/// The files that the check reads, all in one piece: each begins with a line of its path and its
/// length.
struct InputFiles {
    private let bytes: [UInt8]
    private var places: [(path: String, range: Range<Int>)] = []

    /// `nil` if the bytes are no such files.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        var at = 0
        while at < bytes.count {
            guard let end = bytes[at...].firstIndex(of: 0x0A) else { return nil }
            let line = String(decoding: bytes[at..<end], as: UTF8.self)
            guard let space = line.lastIndex(of: " "),
                let length = Int(line[line.index(after: space)...]),
                length >= 0, length < bytes.count - end
            else { return nil }
            at = end + 1 + length
            places.append((String(line[..<space]), end + 1..<at))
        }
    }

    /// The paths that begin so, in the order given.
    func paths(in folder: String) -> [String] {
        places.map { $0.path }.filter { $0.hasPrefix(folder) }
    }

    func file(_ path: String) -> [UInt8]? {
        places.first { $0.path == path }.map { Array(bytes[$0.range]) }
    }
}
