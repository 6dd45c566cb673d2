/// What can be said of a file before a character of it is read.
enum PropertyListEncoding {
    /// Refuses what is not XML in UTF-8.
    static func check(_ bytes: [UInt8]) throws(PropertyListError) {
        guard !bytes.isEmpty else {
            throw PropertyListError(
                .empty, "the file is empty", at: .start, fix: "write a property list")
        }
        if bytes.starts(with: "bplist".utf8) {
            throw PropertyListError(
                .binary, "this is a binary property list", at: .start,
                fix: "convert it with 'plutil -convert xml1 FILE'")
        }
        guard bytes.count <= PropertyList.maximumBytes else {
            throw PropertyListError(
                .tooLarge, "the file has more than \(PropertyList.maximumBytes) bytes", at: .start,
                fix: "give the Info.plist itself, which has a few thousand")
        }
        if isUTF16(bytes) {
            throw PropertyListError(
                .encoding, "the file is encoded in UTF-16", at: .start,
                fix: "convert it with 'iconv -f UTF-16 -t UTF-8' and name UTF-8 in its first line")
        }
        try checkCharacters(bytes)
    }

    /// By its mark, or by the first character, which is `<`.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1 else { return false }
        switch (bytes[0], bytes[1]) {
        case (0xFF, 0xFE), (0xFE, 0xFF), (0x3C, 0), (0, 0x3C): return true
        default: return false
        }
    }

    private static func checkCharacters(_ bytes: [UInt8]) throws(PropertyListError) {
        var position = SourcePosition.start
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput:
                return
            case .error:
                throw PropertyListError(
                    .encoding, "the bytes here are not UTF-8", at: position,
                    fix: "save the file as UTF-8")
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                guard isAllowed(scalar) else {
                    throw PropertyListError(
                        .encoding,
                        "XML does not allow the character U+\(String(scalar.value, radix: 16))",
                        at: position, fix: "remove it")
                }
                if scalar == "\n" {
                    position = SourcePosition(line: position.line + 1, column: 1)
                } else {
                    position.column += 1
                }
            }
        }
    }

    /// The characters of XML 1.0 §2.2.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case ..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }
}
