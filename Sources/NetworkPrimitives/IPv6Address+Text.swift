extension IPv6Address: CustomStringConvertible {
    /// Reads the forms of RFC 4291 §2.2 (with `::` and a dotted tail); `nil` for other text.
    public init?(_ text: some StringProtocol) {
        let utf8 = Array(text.utf8)
        guard !utf8.isEmpty, utf8.count <= 45 else { return nil }
        let parts = Self.split(utf8)
        switch parts.count {
        case 1:
            guard let groups = Self.groups(in: parts[0]), groups.count == 8 else { return nil }
            self.init(groups: groups)
        case 2:
            guard let front = Self.groups(in: parts[0], endsText: false),
                let back = Self.groups(in: parts[1]),
                front.count + back.count <= 7
            else { return nil }
            let gap = [UInt16](repeating: 0, count: 8 - front.count - back.count)
            self.init(groups: front + gap + back)
        default:
            return nil
        }
    }

    /// The halves around each `::`.
    private static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var halves: [ArraySlice<UInt8>] = []
        var start = 0
        var index = 0
        while index + 1 < text.count {
            if text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: ":") {
                halves.append(text[start..<index])
                index += 2
                start = index
            } else {
                index += 1
            }
        }
        halves.append(text[start...])
        return halves
    }

    private static func groups(in text: ArraySlice<UInt8>, endsText: Bool = true) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.contains(UInt8(ascii: ".")) {
                guard endsText, index == parts.count - 1,
                    let tail = IPv4Address(String(decoding: part, as: UTF8.self))
                else { return nil }
                groups.append(UInt16(truncatingIfNeeded: tail.rawValue >> 16))
                groups.append(UInt16(truncatingIfNeeded: tail.rawValue))
                continue
            }
            guard (1...4).contains(part.count), part.allSatisfy(isHexadecimalDigit),
                let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups.count <= 8 ? groups : nil
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            return true
        default:
            return false
        }
    }

    /// The canonical text of RFC 5952: lower case, the first longest run of zeros as `::`.
    public var description: String {
        var bytes: [UInt8] = []
        appendText(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the canonical text to `bytes`.
    package func appendText(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 39) { (text: inout OutputSpan<UInt8>) in
            appendText(to: &text)
        }
    }

    /// Appends the canonical text to `bytes`, which has room for 39 more.
    package func appendText(to bytes: inout OutputSpan<UInt8>) {
        if let mapped = mappedIPv4 {
            for byte in "::ffff:".utf8 { bytes.append(byte) }
            return mapped.appendText(to: &bytes)
        }
        let zeros = longestRunOfZeros
        var index = 0
        while index < 8 {
            if index == zeros.lowerBound, !zeros.isEmpty {
                bytes.append(UInt8(ascii: ":"))
                bytes.append(UInt8(ascii: ":"))
                index = zeros.upperBound
                continue
            }
            if index > 0, index != zeros.upperBound || zeros.isEmpty {
                bytes.append(UInt8(ascii: ":"))
            }
            Self.appendHexadecimal(group(index), to: &bytes)
            index += 1
        }
    }

    /// The first longest run of two or more groups that are zero; empty if there is none.
    private var longestRunOfZeros: Range<Int> {
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, group(end) == 0 { end += 1 }
            if end - start > max(best.count, 1) { best = start..<end }
            start = max(end, start + 1)
        }
        return best
    }

    private static func appendHexadecimal(
        _ value: UInt16, to bytes: inout OutputSpan<UInt8>
    ) {
        var isLeading = true
        for index in 0..<4 as Range<UInt16> {
            let digit = UInt8(truncatingIfNeeded: value >> (12 - 4 * index) & 0xF)
            if isLeading, digit == 0, index < 3 { continue }
            isLeading = false
            bytes.append(
                digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
