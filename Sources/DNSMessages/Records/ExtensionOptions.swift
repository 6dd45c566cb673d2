/// The OPT pseudo-record (RFC 6891 §6.1): carried, not judged.
public struct ExtensionOptions: Hashable, Sendable {
    /// One option.
    public struct Option: Hashable, Sendable {
        /// The option's number.
        public var code: UInt16
        /// Its bytes.
        public var bytes: [UInt8]

        /// An option of that number.
        public init(code: UInt16, bytes: [UInt8]) {
            self.code = code
            self.bytes = bytes
        }
    }

    /// The largest UDP payload the sender takes, as written: all 16 bits of the class field.
    public var udpPayloadSize: UInt16
    /// The upper eight bits of the response code.
    public var extendedResponseCode: UInt8
    /// The version; 0 is the only one there is.
    public var version: UInt8
    /// DO and the bits to come.
    public var flags: UInt16
    /// The options in order.
    public var options: [Option]

    /// A pseudo-record.
    public init(
        udpPayloadSize: UInt16, extendedResponseCode: UInt8 = 0, version: UInt8 = 0,
        flags: UInt16 = 0, options: [Option] = []
    ) {
        self.udpPayloadSize = udpPayloadSize
        self.extendedResponseCode = extendedResponseCode
        self.version = version
        self.flags = flags
        self.options = options
    }
}
