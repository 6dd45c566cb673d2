/// The one text form of names: labels joined by dots without a final dot, `.` for the root,
/// inside a label `\.` and `\\`, and `\DDD` for control bytes and bytes that are not UTF-8.
enum NameText {
    static func text(of name: DomainName) -> String {
        var text: [UInt8] = []
        append(name, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    static func append(_ name: DomainName, to text: inout [UInt8]) {
        var isPlain = false
        text.append(addingCapacity: 255) { (text: inout OutputSpan<UInt8>) in
            isPlain = appendPlain(name, to: &text)
        }
        if isPlain { return }
        let wire = name.slice
        var at = wire.startIndex
        while at < wire.endIndex {
            let end = at + 1 + Int(wire[at])
            if at > wire.startIndex { text.append(0x2E) }
            append(escaping: wire[at + 1..<end], to: &text)
            at = end
        }
    }

    /// Appends a name all of whose labels are plain: nearly every name is. False, and nothing
    /// appended, for any other. Needs room for 255 bytes.
    static func appendPlain(_ name: DomainName, to text: inout OutputSpan<UInt8>) -> Bool {
        if name.isRoot { text.append(0x2E) }
        let bytes = name.storage.span
        let before = text.count
        var at = Int(name.start)
        let nameEnd = at + name.byteCount
        while at < nameEnd {
            if text.count > before { text.append(0x2E) }
            let labelEnd = at + 1 + Int(bytes[at])
            at += 1
            while at < labelEnd {
                let byte = bytes[at]
                guard isPlain(byte) else {
                    text.removeLast(text.count - before)
                    return false
                }
                text.append(byte)
                at += 1
            }
        }
        return true
    }

    /// ASCII that stands for itself.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != 0x2E && byte != 0x5C
    }

    /// One label's bytes as text.
    static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        append(escaping: bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// A character string's bytes as text between quotes, escaped as in a label, but with a
    /// backslash before quotes in place of dots.
    static func quoted(_ bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = [0x22]
        append(escaping: bytes, mark: 0x22, to: &text)
        text.append(0x22)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends bytes as text, with a backslash before backslashes and that `mark`: the dot.
    private static func append(
        escaping bytes: ArraySlice<UInt8>, mark: UInt8 = 0x2E, to text: inout [UInt8]
    ) {
        // Nearly all labels are plain ASCII.
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != mark && $0 != 0x5C }) {
            return text.append(contentsOf: bytes)
        }
        var rest = bytes
        while let byte = rest.first {
            let length = scalarLength(at: rest)
            if length == 0 {
                appendDecimalEscape(byte, to: &text)
                rest = rest.dropFirst()
            } else {
                if byte == mark || byte == 0x5C { text.append(0x5C) }
                text.append(contentsOf: rest.prefix(length))
                rest = rest.dropFirst(length)
            }
        }
    }

    /// The bytes of the printable UTF-8 character in front; 0 for a control character or
    /// a byte that is not UTF-8. The C1 controls count as controls: terminals obey them.
    private static func scalarLength(at bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        if first < 0x80 { return first < 0x20 || first == 0x7F ? 0 : 1 }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
        guard length > 0, bytes.count >= length else { return 0 }
        var decoder = UTF8()
        var iterator = bytes.prefix(length).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator), scalar.value >= 0xA0,
            scalar.utf8.count == length
        else { return 0 }
        return length
    }

    private static func appendDecimalEscape(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(0x5C)
        text.append(0x30 + byte / 100)
        text.append(0x30 + byte / 10 % 10)
        text.append(0x30 + byte % 10)
    }

    /// The wire form, without the final zero, of a name's text.
    static func parse(_ text: String) throws(NameError) -> [UInt8] {
        let bytes = Array(text.utf8)
        if bytes == [0x2E] || bytes.isEmpty { return [] }
        var wire: [UInt8] = []
        var label: [UInt8] = []
        var labelStart = 0
        var at = 0
        while at < bytes.count {
            if bytes[at] == 0x2E {
                try close(&label, into: &wire, startedAt: labelStart)
                at += 1
                labelStart = at
            } else if bytes[at] == 0x5C {
                let (byte, length) = try unescape(bytes, at: at)
                label.append(byte)
                at += length
            } else {
                label.append(bytes[at])
                at += 1
            }
        }
        if labelStart < bytes.count { try close(&label, into: &wire, startedAt: labelStart) }
        guard wire.count <= 255 else { throw .nameTooLong(bytes: wire.count) }
        return wire
    }

    private static func close(
        _ label: inout [UInt8], into wire: inout [UInt8], startedAt position: Int
    ) throws(NameError) {
        guard !label.isEmpty else { throw .emptyLabel(position: position) }
        guard label.count <= 63 else {
            throw .labelTooLong(label: escaped(label[...]), bytes: label.count)
        }
        wire.append(UInt8(label.count))
        wire.append(contentsOf: label)
        label.removeAll(keepingCapacity: true)
    }

    private static func unescape(
        _ bytes: [UInt8], at position: Int
    ) throws(NameError) -> (byte: UInt8, length: Int) {
        guard position + 1 < bytes.count else { throw .badEscape(position: position) }
        let next = bytes[position + 1]
        guard (0x30...0x39).contains(next) else { return (next, 2) }
        guard position + 3 < bytes.count,
            let value = UInt8(
                String(decoding: bytes[position + 1...position + 3], as: UTF8.self), radix: 10)
        else { throw .badEscape(position: position) }
        return (value, 4)
    }
}
