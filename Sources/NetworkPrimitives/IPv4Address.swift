/// An IPv4 address.
public struct IPv4Address: Hashable, Sendable, Comparable, RawRepresentable {
    /// The address as a number, its first byte on top.
    public var rawValue: UInt32

    /// The address with that number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The address `a.b.c.d`.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        rawValue = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
    }

    /// Reads the dotted form with four decimal parts and no leading zeros; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        var value: UInt32 = 0
        var parts = 0
        var digits = 0
        var part: UInt32 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, parts < 3 else { return nil }
                value = value << 8 | part
                parts += 1
                digits = 0
                part = 0
                continue
            }
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            if digits > 0, part == 0 { return nil }
            part = part * 10 + UInt32(byte - UInt8(ascii: "0"))
            digits += 1
            guard part <= 255 else { return nil }
        }
        guard parts == 3, digits > 0 else { return nil }
        rawValue = value << 8 | part
    }

    /// The four bytes in network order.
    public var bytes: [UInt8] {
        [
            UInt8(truncatingIfNeeded: rawValue >> 24), UInt8(truncatingIfNeeded: rawValue >> 16),
            UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue),
        ]
    }

    /// 0.0.0.0.
    public static let unspecified = IPv4Address(rawValue: 0)
    /// 127.0.0.1.
    public static let loopback = IPv4Address(127, 0, 0, 1)
    /// 224.0.0.251, the group of multicast DNS (RFC 6762 §3).
    public static let multicastDNS = IPv4Address(224, 0, 0, 251)

    /// Whether it is in 169.254.0.0/16.
    public var isLinkLocal: Bool { rawValue >> 16 == 0xA9FE }
    /// Whether it is in 127.0.0.0/8.
    public var isLoopback: Bool { rawValue >> 24 == 127 }
    /// Whether it is in 224.0.0.0/4.
    public var isMulticast: Bool { rawValue >> 28 == 0xE }
    /// Whether it is 255.255.255.255.
    public var isBroadcast: Bool { rawValue == .max }
    /// Whether it is 0.0.0.0.
    public var isUnspecified: Bool { rawValue == 0 }

    public static func < (left: IPv4Address, right: IPv4Address) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension IPv4Address: CustomStringConvertible {
    /// The dotted form, `192.0.2.1`.
    public var description: String {
        var bytes: [UInt8] = []
        appendText(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the dotted form to `bytes`.
    package func appendText(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 15) { (text: inout OutputSpan<UInt8>) in
            appendText(to: &text)
        }
    }

    /// Appends the dotted form to `bytes`, which has room for 15 more.
    package func appendText(to bytes: inout OutputSpan<UInt8>) {
        for index in 0..<4 as Range<UInt32> {
            let part = UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * index))
            if index > 0 { bytes.append(UInt8(ascii: ".")) }
            if part >= 100 { bytes.append(UInt8(ascii: "0") + part / 100) }
            if part >= 10 { bytes.append(UInt8(ascii: "0") + part / 10 % 10) }
            bytes.append(UInt8(ascii: "0") + part % 10)
        }
    }
}
