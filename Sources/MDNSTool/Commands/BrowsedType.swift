import MDNS

/// The type that a command was given: `_http._tcp`, `_sub._sub._http._tcp`, with or without
/// `.local` behind.
struct BrowsedType: Hashable {
    var type: ServiceType
    var subtype: ServiceSubtype?

    init(type: ServiceType, subtype: ServiceSubtype?) {
        self.type = type
        self.subtype = subtype
    }

    init(_ text: String) throws {
        var text = text
        for ending in [".local.", ".local", "."] where text.lowercased().hasSuffix(ending) {
            text.removeLast(ending.count)
            break
        }
        guard let range = Self.separator(in: text) else {
            type = try Self.type(text)
            return
        }
        do throws(NameError) {
            // A subtype is a label in the text form of names, its dots escaped.
            let name = try DomainName(String(text[..<range.lowerBound]))
            guard name.labelCount == 1, let label = name.firstLabel else {
                throw .emptyLabel(position: 0)
            }
            subtype = ServiceSubtype(label)
        } catch {
            throw MDNSError(error)
        }
        type = try Self.type(String(text[range.upperBound...]))
    }

    private static func type(_ text: String) throws(MDNSError) -> ServiceType {
        do throws(ServiceTypeError) {
            return try ServiceType(lenient: text)
        } catch {
            throw MDNSError(error)
        }
    }

    /// Where `._sub.` stands.
    private static func separator(in text: String) -> Range<String.Index>? {
        let wanted = Array("._sub.".utf8)
        let bytes = text.utf8
        var start = bytes.startIndex
        while let end = bytes.index(start, offsetBy: wanted.count, limitedBy: bytes.endIndex) {
            if bytes[start..<end].elementsEqual(wanted) { return start..<end }
            start = bytes.index(after: start)
        }
        return nil
    }
}
