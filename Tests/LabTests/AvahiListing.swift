/// What `avahi-browse -p` prints: a line a service, parts separated by semicolons.
struct AvahiListing {
    /// A line that begins with `=`: a service that was resolved.
    struct Entry: Equatable {
        var interface: String
        var family: String
        var instance: String
        var type: String
        var host: String
        var address: String
        var port: String
        /// As Avahi shows them: each in quotes, its own order.
        var txt: Set<String>
    }

    let entries: [Entry]

    init(_ text: String) {
        entries = text.split(separator: "\n").filter { $0.hasPrefix("=") }.compactMap(Self.entry)
    }

    /// The entries of one family.
    func entries(_ family: Family) -> [Entry] { entries.filter { $0.family == family.name } }

    static func entry(_ line: Substring) -> Entry? {
        let parts = line.split(
            separator: ";", maxSplits: 9, omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 10 else { return nil }
        return Entry(
            interface: parts[1], family: parts[2], instance: unescaped(parts[3]), type: parts[4],
            host: parts[6], address: parts[7], port: parts[8], txt: strings(parts[9]))
    }

    /// Undoes the escapes of a label: `\032` is a space, `\.` a dot.
    static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(3), as: UTF8.self)
            if digits.utf8.count == 3, let value = UInt8(digits) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else if let next = rest.popFirst() {
                bytes.append(next)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The strings of `"a=b" "c=\"d\""`, quotes taken off, escapes kept.
    private static func strings(_ text: String) -> Set<String> {
        var strings: Set<String> = []
        var current: String?
        var isEscaped = false
        for character in text {
            guard let string = current else {
                if character == "\"" { current = "" }
                continue
            }
            if character == "\"", !isEscaped {
                strings.insert(string)
                current = nil
            } else {
                current = string + String(character)
                isEscaped = character == "\\" && !isEscaped
            }
        }
        return strings
    }
}
