public import DNSMessages

/// The name of one service on the network: instance, type and domain (RFC 6763 §4.1).
///
/// A name that came from the network keeps its bytes. Names compare without regard to the case
/// of ASCII letters.
public struct ServiceInstanceName: Hashable, Sendable {
    /// The whole name, `My\.Printer._ipp._tcp.local`.
    public let domainName: DomainName

    /// The name of `instance`, which is what the user reads: any text of 1 to 63 bytes without
    /// control characters; it is brought into Unicode's composed form.
    ///
    /// - Throws: `InstanceNameError`.
    public init(
        _ instance: String, type: ServiceType, domain: DomainName = .local
    ) throws(InstanceNameError) {
        let text = instance.composed
        // RFC 6763 §4.1.1: no ASCII control characters (S4-2).
        for (position, byte) in text.utf8.enumerated() where byte < 0x20 || byte == 0x7F {
            throw .controlCharacter(byte, position: position + 1)
        }
        // One label of 1 to 63 bytes (S4-8).
        guard !text.isEmpty else { throw .empty }
        guard let label = try? Label(text) else { throw .tooLong(bytes: text.utf8.count) }
        guard let parent = try? type.domainName(in: domain),
            let name = try? parent.prepending(label)
        else {
            let service = type.nameLabel.bytes.count + type.transportLabel.bytes.count + 2
            throw .nameTooLong(bytes: label.bytes.count + 1 + service + domain.byteCount)
        }
        domainName = name
    }

    /// A name of that label, as bytes; nothing is checked but the length.
    ///
    /// - Throws: `NameError.nameTooLong`.
    public init(
        label: Label, type: ServiceType, domain: DomainName = .local
    ) throws(NameError) {
        domainName = try type.domainName(in: domain).prepending(label)
    }

    /// Takes a whole name apart; `nil` if it has not an instance, then a service type, in front.
    ///
    /// The instance is one label by the rules; several are accepted, see `instanceLabels`.
    public init?(_ name: DomainName) {
        guard Parts(name) != nil else { return nil }
        domainName = name
    }

    /// A name taken apart at the first service type behind its first label.
    private struct Parts {
        var instance: [Label]
        var type: ServiceType

        init?(_ name: DomainName) {
            var labels = name.labels
            guard let first = labels.next(), var service = labels.next() else { return nil }
            instance = [first]
            while let transport = labels.next() {
                if let type = ServiceType(service, transport) {
                    // A subtype's name (RFC 6763 §7.1) lists instances and is none.
                    guard instance.count == 1 || instance.last?.text.lowercased() != "_sub" else {
                        return nil
                    }
                    self.type = type
                    return
                }
                instance.append(service)
                service = transport
            }
            return nil
        }
    }

    private var parts: Parts {
        guard let parts = Parts(domainName) else { preconditionFailure("checked by every init") }
        return parts
    }

    /// Reads the text form with its escapes, `a\.b._http._tcp.local` (RFC 6763 §4.3).
    ///
    /// - Throws: `InstanceNameError`.
    public init(parsing text: String) throws(InstanceNameError) {
        let name: DomainName
        do {
            name = try DomainName(text)
        } catch {
            throw .unreadable(error)
        }
        guard let instance = ServiceInstanceName(name) else { throw .notAnInstance(text) }
        self = instance
    }

    /// The labels before the service type: one by the rules (RFC 6763 §4.1), more in the names
    /// of some devices that do not escape the dots of an instance.
    public var instanceLabels: [Label] {
        parts.instance
    }

    /// The instance's label as bytes, the first one where there are several.
    public var label: Label {
        guard let label = domainName.firstLabel else {
            preconditionFailure("checked by every init")
        }
        return label
    }

    /// The instance as the user reads it: spaces, dots and backslashes as they are
    /// (RFC 6763 §13.1).
    ///
    /// Where it has several labels, which no user can have meant, it is the whole name in the
    /// text form, so that it is not taken for one label with dots in it.
    public var instance: String {
        parts.instance.count == 1 ? label.text : description
    }

    /// The service type, as this name has it.
    public var type: ServiceType { parts.type }

    /// The domain, as this name has it.
    public var domain: DomainName {
        var domain = domainName
        for _ in 0..<(parts.instance.count + 2) { domain = domain.parent ?? .root }
        return domain
    }
}

extension ServiceInstanceName: CustomStringConvertible {
    /// The text form: dots and backslashes of the instance escaped (RFC 6763 §4.3).
    public var description: String { domainName.description }
}

extension ServiceInstanceName: Comparable {
    /// The order of the whole names.
    public static func < (left: ServiceInstanceName, right: ServiceInstanceName) -> Bool {
        left.domainName < right.domainName
    }
}

/// Why text names no service instance.
public enum InstanceNameError: Error, Hashable, Sendable {
    /// There is no text at all.
    case empty
    /// That control character stands at that byte, counted from 1 (RFC 6763 §4.1.1).
    case controlCharacter(UInt8, position: Int)
    /// The instance has more than 63 bytes of UTF-8 (RFC 6763 §4.1.1).
    case tooLong(bytes: Int)
    /// Instance, type and domain have more than 255 bytes together.
    case nameTooLong(bytes: Int)
    /// The text is no domain name.
    case unreadable(NameError)
    /// The name has not the parts instance, service type, domain.
    case notAnInstance(String)
}

extension InstanceNameError: CustomStringConvertible {
    /// The reason as a sentence with what to do.
    public var description: String {
        switch self {
        case .empty:
            "the instance name is empty: give 1 to 63 bytes of text, or none for the default"
        case .controlCharacter(let byte, let position):
            "the instance name has the control character 0x"
                + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                + " at byte \(position): leave it out (RFC 6763 §4.1.1)"
        case .tooLong(let bytes):
            "the instance name has \(bytes) bytes: at most 63 are allowed (RFC 6763 §4.1.1)"
        case .nameTooLong(let bytes):
            "instance, type and domain take \(bytes) bytes together: at most 255 are allowed"
        case .unreadable(let error):
            error.description
        case .notAnInstance(let text):
            "'\(text)' is no service instance: write it as instance._service._tcp.local, "
                + "with \\. for a dot inside the instance"
        }
    }
}
