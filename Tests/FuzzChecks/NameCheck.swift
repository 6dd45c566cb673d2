import DNSMessages

/// Parses text as a name, prints it, and parses it again: it must be the same name.
package func checkName(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let name = try? DomainName(text) else { return nil }
    guard name.byteCount <= 255 else { return "a name of \(name.byteCount) bytes" }
    let printed = name.description
    guard printed.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        return "a control character was printed"
    }
    guard let again = try? DomainName(printed) else { return "what was printed can't be read" }
    guard again.wireBytes == name.wireBytes else { return "it is not the same when read again" }
    guard again.description == printed else { return "it is printed in two ways" }
    guard let joined = try? DomainName(labels: name.labels), joined == name else {
        return "its labels make another name"
    }
    return nil
}
