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
        if let mapped = mappedIPv4 { return "::ffff:\(mapped)" }
        let groups = self.groups
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > best.count, end - start > 1 { best = start..<end }
            start = max(end, start + 1)
        }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !best.isEmpty else { return text(0..<8) }
        return text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
    }
}
