/// Reads the elements of a property list; what is read is bounded by the limits of
/// `PropertyList`, and nothing is ever expanded.
struct PropertyListReader {
    private var cursor: XMLCursor
    private var elements = 0

    init(_ bytes: [UInt8]) {
        cursor = XMLCursor(bytes)
    }

    /// The value of the whole document.
    mutating func document() throws(PropertyListError) -> PropertyListValue {
        try declaration()
        try skipRemarks()
        if cursor.starts(with: "<!DOCTYPE") {
            try documentType()
            try skipRemarks()
        }
        let root = try openTag()
        guard root.name == "plist" else {
            throw error("the outermost element is '\(root.name)', not 'plist'", at: root.position)
        }
        guard !root.isEmpty else { throw error("the property list is empty", at: root.position) }
        try skipRemarks()
        let value = try value(depth: 0)
        try skipRemarks()
        try closeTag("plist")
        try skipRemarks()
        guard cursor.isAtEnd else { throw error("something follows '</plist>'") }
        return value
    }

    // MARK: Around the elements

    private mutating func declaration() throws(PropertyListError) {
        let position = cursor.position
        guard cursor.skip("<?xml") else { return }
        guard let text = cursor.skipPast("?>") else {
            throw error("the XML declaration has no end", at: position)
        }
        let words = String(decoding: text, as: UTF8.self).lowercased()
            .split { "= \t\r\n\"'".contains($0) }
        guard let key = words.firstIndex(of: "encoding") else { return }
        let name = words[(key + 1)...].first ?? ""
        guard ["utf-8", "us-ascii", "ascii"].contains(name) else {
            throw PropertyListError(
                .encoding, "the file names '\(name)' as its encoding", at: position,
                fix: "save it as UTF-8 and write encoding=\"UTF-8\" there")
        }
    }

    /// The type as Apple writes it: a name and where it is described, which is never fetched.
    private mutating func documentType() throws(PropertyListError) {
        let position = cursor.position
        _ = cursor.skip("<!DOCTYPE")
        var quote: UInt8?
        while let byte = cursor.byte {
            if let mark = quote {
                if byte == mark { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                throw PropertyListError(
                    .internalSubset, "the document type has declarations of its own",
                    at: cursor.position, fix: "remove what stands in the brackets")
            } else if byte == UInt8(ascii: ">") {
                cursor.advance()
                return
            }
            cursor.advance()
        }
        throw error("the document type has no end", at: position)
    }

    /// Space, comments and processing instructions.
    private mutating func skipRemarks() throws(PropertyListError) {
        while true {
            cursor.skipSpace()
            let position = cursor.position
            if cursor.starts(with: "<!--") {
                try skipComment()
            } else if cursor.skip("<?") {
                guard cursor.skipPast("?>") != nil else {
                    throw error("the processing instruction has no end", at: position)
                }
            } else {
                return
            }
        }
    }

    // MARK: Tags

    private struct Tag {
        var name: String
        var isEmpty: Bool
        var position: SourcePosition
    }

    private mutating func openTag() throws(PropertyListError) -> Tag {
        let position = cursor.position
        guard !cursor.isAtEnd else { throw error("the file ends too early") }
        guard cursor.skip("<") else { throw error("there is text where an element must begin") }
        if cursor.starts(with: "!ENTITY") || cursor.starts(with: "!DOCTYPE") {
            throw PropertyListError(
                .internalSubset, "a declaration stands among the elements", at: position,
                fix: "remove it")
        }
        let name = cursor.word()
        guard !name.isEmpty else { throw error("there is no element's name", at: position) }
        while true {
            cursor.skipSpace()
            if cursor.skip("/>") { return Tag(name: name, isEmpty: true, position: position) }
            if cursor.skip(">") { return Tag(name: name, isEmpty: false, position: position) }
            try attribute(of: name)
        }
    }

    /// Only `plist` has one, its version.
    private mutating func attribute(of element: String) throws(PropertyListError) {
        let position = cursor.position
        guard !cursor.isAtEnd else { throw error("the file ends inside a tag") }
        let name = cursor.word()
        guard !name.isEmpty, element == "plist" else {
            throw error("'\(element)' takes no attributes", at: position)
        }
        cursor.skipSpace()
        guard cursor.skip("=") else { throw error("the attribute has no value", at: position) }
        cursor.skipSpace()
        let value = cursor.skip("\"") ? cursor.skipPast("\"") : nil
        guard value != nil || (cursor.skip("'") && cursor.skipPast("'") != nil) else {
            throw error("the attribute's value is not in quotes", at: position)
        }
    }

    private mutating func closeTag(_ name: String) throws(PropertyListError) {
        let position = cursor.position
        guard !cursor.isAtEnd else { throw error("the file ends before '</\(name)>'") }
        guard cursor.skip("</") else { throw error("'</\(name)>' must stand here") }
        let found = cursor.word()
        cursor.skipSpace()
        guard found == name, cursor.skip(">") else {
            throw error("'</\(name)>' must stand here", at: position)
        }
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(PropertyListError) -> PropertyListValue {
        let tag = try openTag()
        try count(tag)
        let content: PropertyListValue.Content
        switch tag.name {
        case "dict": content = .dictionary(try entries(tag, depth: depth + 1))
        case "array": content = .array(try values(tag, depth: depth + 1))
        case "true", "false":
            if !tag.isEmpty {
                cursor.skipSpace()
                try closeTag(tag.name)
            }
            content = .boolean(tag.name == "true")
        case "string", "integer", "real", "date", "data":
            content = try PropertyListScalar.content(
                tag.name, try text(tag), at: tag.position)
        default:
            throw error("there is no value '\(tag.name)' in property lists", at: tag.position)
        }
        return PropertyListValue(content: content, position: tag.position)
    }

    private mutating func entries(
        _ tag: Tag, depth: Int
    ) throws(PropertyListError) -> [PropertyListEntry] {
        try checkDepth(depth, tag)
        var entries: [PropertyListEntry] = []
        guard !tag.isEmpty else { return entries }
        while true {
            try skipRemarks()
            if cursor.starts(with: "</") {
                try closeTag("dict")
                return entries
            }
            let key = try openTag()
            guard key.name == "key" else {
                throw error("a '<key>' must stand here, not '\(key.name)'", at: key.position)
            }
            try count(key)
            let name = try text(key)
            try skipRemarks()
            if cursor.starts(with: "</") || cursor.starts(with: "<key>") {
                throw error("the key '\(name)' has no value", at: key.position)
            }
            let value = try value(depth: depth)
            entries.append(PropertyListEntry(key: name, position: key.position, value: value))
        }
    }

    private mutating func values(
        _ tag: Tag, depth: Int
    ) throws(PropertyListError) -> [PropertyListValue] {
        try checkDepth(depth, tag)
        var values: [PropertyListValue] = []
        guard !tag.isEmpty else { return values }
        while true {
            try skipRemarks()
            if cursor.starts(with: "</") {
                try closeTag("array")
                return values
            }
            values.append(try value(depth: depth))
        }
    }

    /// The text up to the element's end, which is read too.
    private mutating func text(_ tag: Tag) throws(PropertyListError) -> String {
        var bytes: [UInt8] = []
        guard !tag.isEmpty else { return "" }
        while let byte = cursor.byte {
            switch byte {
            case UInt8(ascii: "&"):
                bytes.append(contentsOf: try reference())
            case UInt8(ascii: "<"):
                let position = cursor.position
                if cursor.skip("<![CDATA[") {
                    guard let part = cursor.skipPast("]]>") else {
                        throw error("the CDATA section has no end", at: position)
                    }
                    bytes.append(contentsOf: part)
                } else if cursor.starts(with: "<!--") {
                    try skipComment()
                } else {
                    try closeTag(tag.name)
                    return String(decoding: bytes, as: UTF8.self)
                }
            default:
                // XML 1.0 §2.11: CR LF is one line's end.
                if byte != UInt8(ascii: "\r") { bytes.append(byte) }
                cursor.advance()
            }
        }
        throw error("the file ends before '</\(tag.name)>'")
    }

    private mutating func skipComment() throws(PropertyListError) {
        let position = cursor.position
        _ = cursor.skip("<!--")
        guard cursor.skipPast("-->") != nil else {
            throw error("the comment has no end", at: position)
        }
    }

    /// `&amp;` and the other four, or a character by its number.
    private mutating func reference() throws(PropertyListError) -> [UInt8] {
        let position = cursor.position
        cursor.advance()
        let isNumber = cursor.skip("#")
        let name = cursor.word()
        guard cursor.skip(";"), !name.isEmpty else {
            throw PropertyListError(
                .entity, "an ampersand stands alone", at: position, fix: "write '&amp;'")
        }
        let named: [String: UInt8] = [
            "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
            "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
        ]
        if !isNumber, let byte = named[name] { return [byte] }
        let number =
            name.hasPrefix("x") ? UInt32(name.dropFirst(), radix: 16) : UInt32(name, radix: 10)
        guard isNumber, let scalar = number.flatMap({ Unicode.Scalar($0) }),
            PropertyListEncoding.isAllowed(scalar)
        else {
            throw PropertyListError(
                .entity, "there is no entity '&\(isNumber ? "#" : "")\(name);'", at: position,
                fix: "write the character itself")
        }
        return Array(String(Character(scalar)).utf8)
    }

    // MARK: Bounds

    private mutating func count(_ tag: Tag) throws(PropertyListError) {
        elements += 1
        guard elements <= PropertyList.maximumElements else {
            throw PropertyListError(
                .tooManyElements, "there are more than \(PropertyList.maximumElements) elements",
                at: tag.position, fix: "give the Info.plist itself")
        }
    }

    private func checkDepth(_ depth: Int, _ tag: Tag) throws(PropertyListError) {
        guard depth <= PropertyList.maximumDepth else {
            throw PropertyListError(
                .tooDeep, "elements are nested more than \(PropertyList.maximumDepth) deep",
                at: tag.position, fix: "give the Info.plist itself")
        }
    }

    private func error(_ what: String, at position: SourcePosition? = nil) -> PropertyListError {
        PropertyListError(.syntax, what, at: position ?? cursor.position)
    }
}
