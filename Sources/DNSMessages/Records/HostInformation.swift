/// The data of an HINFO record: two strings of up to 255 bytes (RFC 1035 §3.3.2).
public struct HostInformation: Hashable, Sendable {
    /// The kind of processor.
    public let processor: [UInt8]
    /// The operating system.
    public let operatingSystem: [UInt8]

    /// Host information; `nil` if a string has more than 255 bytes.
    public init?(processor: [UInt8], operatingSystem: [UInt8]) {
        guard processor.count <= 255, operatingSystem.count <= 255 else { return nil }
        self.processor = processor
        self.operatingSystem = operatingSystem
    }

    /// Strings that are known to be short enough.
    init(uncheckedProcessor processor: [UInt8], operatingSystem: [UInt8]) {
        self.processor = processor
        self.operatingSystem = operatingSystem
    }
}
