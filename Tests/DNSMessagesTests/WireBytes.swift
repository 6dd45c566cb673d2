import DNSMessages
import NetworkPrimitives

/// Bytes for a test, written by hand: hexadecimal digits, and text between quotes as a name.
///
/// `"a.local"` is a name with its final zero, `'abc'` are plain bytes; white space is free.
func wire(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Substring(text)
    var digits = ""
    while let next = rest.popFirst() {
        switch next {
        case "\"":
            let name = rest.prefix { $0 != "\"" }
            rest = rest.dropFirst(name.count + 1)
            bytes += ((try? DomainName(String(name)))?.wireBytes ?? []) + [0]
        case "'":
            let plain = rest.prefix { $0 != "'" }
            rest = rest.dropFirst(plain.count + 1)
            bytes += Array(plain.utf8)
        case " ", "\n": continue
        default:
            digits.append(next)
            if digits.count == 2 {
                bytes.append(UInt8(digits, radix: 16) ?? 0)
                digits = ""
            }
        }
    }
    precondition(digits.isEmpty, "an odd number of digits")
    return bytes
}

/// A response's header with these counts.
func responseHeader(
    _ questions: Int = 0, _ answers: Int = 0, _ authorities: Int = 0, _ additionals: Int = 0
) -> [UInt8] {
    [0, 0, 0x84, 0] + [questions, answers, authorities, additionals].flatMap { [0, UInt8($0)] }
}

/// A name in a test's own words.
func name(_ text: String) -> DomainName {
    guard let name = try? DomainName(text) else { preconditionFailure("no name: \(text)") }
    return name
}
