/// What a configuration file is, by its content and, where that says nothing, its name.
public enum ConfigurationKind: Hashable, Sendable {
    /// An `Info.plist`, in whatever form: one that is not XML is refused by its reader.
    case propertyList
    /// A unit of systemd.
    case unit

    /// Recognises a file; `nil` if it is neither.
    public init?(of bytes: [UInt8], name: String) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
        let content = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        if content.starts(with: "<".utf8) || bytes.starts(with: "bplist".utf8)
            || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        {
            self = .propertyList
        } else if name.hasSuffix(".plist") || name.hasSuffix(".entitlements") {
            self = .propertyList
        } else if name.hasSuffix(".service") || name.hasSuffix(".socket")
            || content.starts(with: "[".utf8)
        {
            self = .unit
        } else if content.first == UInt8(ascii: "#") || content.first == UInt8(ascii: ";"),
            let unit = try? UnitFile(bytes), !unit.sections.isEmpty
        {
            self = .unit
        } else {
            return nil
        }
    }
}
