/// Why something could not be done.
///
/// There is one error type at the door of this module. `description` is one whole sentence that
/// says what to do about it; `code` is for programs.
public struct MDNSError: Error, Hashable, Sendable {
    /// The kind of error; open to growth.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name, stable between versions.
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A name or a label that is too long, empty or badly written.
        public static let invalidName = Code(rawValue: "invalid-name")
        /// A name that belongs to unicast DNS.
        public static let unicastName = Code(rawValue: "unicast-name")
        /// A service type that RFC 6335 and RFC 6763 do not allow.
        public static let invalidServiceType = Code(rawValue: "invalid-service-type")
        /// A key or a value that a TXT record can't hold.
        public static let invalidTXTRecord = Code(rawValue: "invalid-txt-record")
        /// An invalid port.
        public static let invalidPort = Code(rawValue: "invalid-port")
        /// A registration that contradicts itself.
        public static let invalidRegistration = Code(rawValue: "invalid-registration")
        /// Another host has the name.
        public static let nameTaken = Code(rawValue: "name-taken")
        /// No interface has that name.
        public static let unknownInterface = Code(rawValue: "unknown-interface")
        /// No interface can be used for multicast DNS.
        public static let noUsableInterface = Code(rawValue: "no-usable-interface")
        /// Another program holds port 5353 for itself.
        public static let portInUse = Code(rawValue: "port-in-use")
        /// The system forbids it.
        public static let permissionDenied = Code(rawValue: "permission-denied")
        /// Nothing can be sent on any interface that it concerns.
        public static let sendingFailed = Code(rawValue: "sending-failed")
        /// The registration was withdrawn.
        public static let withdrawn = Code(rawValue: "withdrawn")
        /// The task that waited was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The node has been closed.
        public static let nodeClosed = Code(rawValue: "node-closed")
        /// The system failed in some other way.
        public static let systemFailure = Code(rawValue: "system-failure")
    }

    /// What the system said.
    public struct SystemFailure: Hashable, Sendable {
        /// What was tried, a system call's name as a rule.
        public var operation: String
        /// The number the system gave (`errno`).
        public var number: Int32
        /// Whether it concerned a destination in a subnet of one of this host's interfaces.
        public var isOnLink: Bool

        /// A failure of a system call.
        public init(operation: String, number: Int32, isOnLink: Bool = false) {
            self.operation = operation
            self.number = number
            self.isOnLink = isOnLink
        }
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do about it.
    public let description: String
    /// What the system said, if it was the system.
    public let systemFailure: SystemFailure?

    /// An error of that kind.
    package init(_ code: Code, _ description: String, systemFailure: SystemFailure? = nil) {
        self.code = code
        self.description = description
        self.systemFailure = systemFailure
    }
}

extension MDNSError: CustomStringConvertible {}
