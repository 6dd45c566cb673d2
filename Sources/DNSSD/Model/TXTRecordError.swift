public import DNSMessages

/// Why attributes make no TXT record.
public enum TXTRecordError: Error, Hashable, Sendable {
    /// A key has no character (RFC 6763 §6.4).
    case emptyKey
    /// A key has that byte, counted from 1, which is no printable ASCII (RFC 6763 §6.4).
    case badKeyCharacter(UInt8, key: String, position: Int)
    /// Key, `=` and value take more than 255 bytes together (RFC 6763 §6.1).
    case attributeTooLong(key: String, bytes: Int)
    /// The whole record is larger than a packet carries: 8900 bytes (RFC 6763 §6.1).
    case tooLarge(bytes: Int)
    /// A key occurs twice, the case of letters left out (RFC 6763 §6.4).
    case repeatedKey(String)
}

extension TXTRecordError: CustomStringConvertible {
    /// The reason as a sentence with what to do.
    public var description: String {
        switch self {
        case .emptyKey:
            "an attribute has no key: write key=value, key= or key (RFC 6763 §6.4)"
        case .badKeyCharacter(let byte, let key, let position):
            "the key of an attribute has the byte 0x" + (byte < 16 ? "0" : "")
                + String(byte, radix: 16) + " at place \(position) of \(key.utf8.count): "
                + "keys are printable ASCII without '=' (RFC 6763 §6.4)"
        case .attributeTooLong(let key, let bytes):
            "the attribute '\(key)' has \(bytes) bytes: "
                + "key, '=' and value have at most 255 together (RFC 6763 §6.1)"
        case .tooLarge(let bytes):
            "the attributes take \(bytes) bytes: "
                + "at most \(DiscoveryLimits.textRecordBytes) fit a packet, and "
                + "under \(DiscoveryLimits.smallTextRecordBytes) is better (RFC 6763 §6.1, §6.2)"
        case .repeatedKey(let key):
            "the key '\(key)' occurs twice: only the first would count (RFC 6763 §6.4)"
        }
    }
}

/// What is allowed in a TXT record and yet not wise.
public enum TXTRecordWarning: Hashable, Sendable {
    /// The record is over that many bytes: 200 is usual, 400 fits a small message, over 1300 is
    /// not recommended (RFC 6763 §6.2).
    case large(bytes: Int, over: Int)
    /// A key has more than nine characters (RFC 6763 §6.4).
    case longKey(String)
    /// A value stands in quotation marks, which belong to it then (RFC 6763 §6.5).
    case quotedValue(key: String)
    /// `txtvers` is there and not in front (RFC 6763 §6.7).
    case versionNotFirst
    /// A value repeats the port or the host that the SRV record gives (RFC 6763 §6.3).
    case repeatsLocation(key: String)
}

extension TXTRecordWarning: CustomStringConvertible {
    /// The advice as a sentence.
    public var description: String {
        switch self {
        case .large(let bytes, let over):
            "the TXT record has \(bytes) bytes, over \(over) (RFC 6763 §6.2)"
        case .longKey(let key):
            "the key '\(key)' has more than nine characters (RFC 6763 §6.4)"
        case .quotedValue(let key):
            "the value of '\(key)' stands in quotation marks, which are part of it "
                + "(RFC 6763 §6.5)"
        case .versionNotFirst:
            "txtvers should be the first attribute (RFC 6763 §6.7)"
        case .repeatsLocation(let key):
            "the value of '\(key)' repeats what the SRV record says (RFC 6763 §6.3)"
        }
    }
}

extension TXTRecord {
    /// What is not wise in this record, for a service at that port and host where they are known.
    public func warnings(port: UInt16? = nil, host: DomainName? = nil) -> [TXTRecordWarning] {
        var warnings: [TXTRecordWarning] = []
        let steps = [
            DiscoveryLimits.recommendedTextRecordBytes, DiscoveryLimits.smallTextRecordBytes,
            DiscoveryLimits.usualTextRecordBytes,
        ]
        if let step = steps.first(where: { byteCount > $0 }) {
            warnings.append(.large(bytes: byteCount, over: step))
        }
        for (place, attribute) in attributes.enumerated() {
            if attribute.key.utf8.count > DiscoveryLimits.keyCharacters {
                warnings.append(.longKey(attribute.key))
            }
            if place > 0, attribute.key.lowercased() == "txtvers" {
                warnings.append(.versionNotFirst)
            }
            guard let bytes = attribute.value.bytes else { continue }
            let quote = UInt8(ascii: "\"")
            if bytes.count > 1, bytes.first == quote, bytes.last == quote {
                warnings.append(.quotedValue(key: attribute.key))
            }
            guard let text = attribute.value.text else { continue }
            let keyNamesPort = attribute.key.lowercased().hasSuffix("port")
            let samePort = port.map { keyNamesPort && text == String($0) } ?? false
            let sameHost = host.map { (try? DomainName(text)) == $0 && !text.isEmpty } ?? false
            if samePort || sameHost { warnings.append(.repeatsLocation(key: attribute.key)) }
        }
        return warnings
    }
}
