import MDNS
import NetworkPrimitives

/// The services of `mdns publish --from`: a JSON object a line.
struct ServiceList: Sendable {
    /// What is wrong with a line, and that line's number.
    struct Problem: Hashable, Sendable {
        var line: Int
        var reason: String
    }

    /// A service and the line that describes it.
    struct Entry: Hashable, Sendable {
        var line: Int
        var service: ServiceDescription
    }

    /// More bytes than any service takes: a name of 63, a TXT record of 8,900.
    static let lineLimit = 1 << 16
    /// More lines than anybody can publish at once.
    static let countLimit = 10_000

    private(set) var entries: [Entry] = []
    private(set) var problems: [Problem] = []

    /// Reads all lines; empty ones are left out, and of a bad one only what is wrong is kept.
    init(_ bytes: [UInt8]) {
        var known: [ServiceKey: Int] = [:]
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            do {
                let service = try Self.service(line)
                guard entries.count < Self.countLimit else {
                    throw UsageError("more than \(Self.countLimit) services")
                }
                let key = ServiceKey(service)
                if let other = known[key] {
                    throw UsageError("the service of line \(other) once more")
                }
                known[key] = number
                entries.append(Entry(line: number, service: service))
            } catch {
                problems.append(Problem(line: number, reason: Self.words(for: error)))
            }
        }
    }

    /// What is wrong, in words.
    static func words(for error: any Error) -> String {
        switch error {
        case let error as JSONError: "no JSON at column \(error.column): \(error.reason)"
        case let error as UsageError: error.description
        case let error as MDNSError: error.description
        default: "\(error)"
        }
    }

    private static func service(_ line: ArraySlice<UInt8>) throws -> ServiceDescription {
        guard line.count <= lineLimit else {
            throw UsageError("the line has \(line.count) bytes; \(lineLimit) are the most")
        }
        guard case .object(let members) = try JSONReader.value(of: line) else {
            throw UsageError("a service is an object: {\"instance\": …, \"type\": …, \"port\": …}")
        }
        var draft = ServiceArguments.Draft()
        for member in members { try draft.set(member) }
        return try draft.service
    }
}

/// What makes a service the same one when the list is read again.
struct ServiceKey: Hashable, Sendable {
    private let name: String?
    private let type: ServiceType
    private let interfaces: InterfaceSelection

    init(_ service: ServiceDescription) {
        name = service.name
        type = service.type
        interfaces = service.interfaces
    }
}

/// What is to be done to have what a list says instead of what is published.
struct ServiceListChange: Hashable, Sendable {
    /// To be withdrawn, also where another port or host is to be published anew.
    var withdrawn: [ServiceKey] = []
    /// To be published.
    var added: [ServiceList.Entry] = []
    /// To have other attributes or subtypes, and nothing else.
    var updated: [ServiceList.Entry] = []

    /// While a line is bad nothing is withdrawn for want of a line: it may be the bad one.
    init(from published: [ServiceKey: ServiceDescription], to list: ServiceList) {
        var wanted: Set<ServiceKey> = []
        for entry in list.entries {
            let key = ServiceKey(entry.service)
            wanted.insert(key)
            guard let before = published[key] else {
                added.append(entry)
                continue
            }
            guard before != entry.service else { continue }
            var same = before
            same.txt = entry.service.txt
            same.subtypes = entry.service.subtypes
            if same == entry.service {
                updated.append(entry)
            } else {
                withdrawn.append(key)
                added.append(entry)
            }
        }
        guard list.problems.isEmpty else { return }
        withdrawn += published.keys.filter { !wanted.contains($0) }
    }
}

extension ServiceArguments.Draft {
    /// Keeps what a member of a line says.
    fileprivate mutating func set(_ member: JSONInput.Member) throws {
        let value = member.value
        switch member.key {
        case "instance": name = try Self.text(value, of: member.key)
        case "type": type = try Self.text(value, of: member.key)
        case "port":
            guard case .number(let text) = value, let port = UInt16(text) else {
                throw Self.mismatch(value, of: member.key, "a number from 0 to 65535")
            }
            self.port = port
        case "txt": txt = try Self.attributes(value)
        case "subtypes": subtypes = try Self.texts(value, of: member.key)
        case "host": host = try Self.text(value, of: member.key)
        case "addresses": addresses = try Self.texts(value, of: member.key)
        case "reverse": publishesReverseMapping = try Self.boolean(value, of: member.key)
        case "lenient": isLenient = try Self.boolean(value, of: member.key)
        case "interfaces":
            let names = try Self.texts(value, of: member.key)
            guard !names.isEmpty else { throw UsageError("'interfaces' names none") }
            interfaces = .named(names)
        default:
            throw UsageError(
                "there is no key '\(member.key)'; there are instance, type, port, txt, subtypes, "
                    + "host, addresses, reverse, interfaces and lenient")
        }
    }

    private static func mismatch(
        _ value: JSONInput, of key: String, _ expected: String
    ) -> UsageError {
        UsageError("'\(key)' is \(value.kind) where \(expected) belongs")
    }

    private static func text(_ value: JSONInput, of key: String) throws(UsageError) -> String {
        guard case .string(let text) = value else { throw mismatch(value, of: key, "a text") }
        return text
    }

    private static func boolean(_ value: JSONInput, of key: String) throws(UsageError) -> Bool {
        guard case .boolean(let flag) = value else {
            throw mismatch(value, of: key, "true or false")
        }
        return flag
    }

    private static func texts(
        _ value: JSONInput, of key: String
    ) throws(UsageError) -> [String] {
        guard case .array(let elements) = value else {
            throw mismatch(value, of: key, "an array of texts")
        }
        var texts: [String] = []
        for element in elements { texts.append(try text(element, of: key)) }
        return texts
    }

    /// An object of keys, each with its text, null where there is no value, or `{"hex": …}`: as
    /// `mdns browse --json` writes it.
    private static func attributes(_ value: JSONInput) throws -> [TXTRecord.Attribute] {
        guard case .object(let members) = value else {
            throw mismatch(value, of: "txt", "an object")
        }
        return try members.map { member in
            switch member.value {
            case .null: return TXTRecord.Attribute(member.key, .none)
            case .string(let text): return TXTRecord.Attribute(member.key, .text(text))
            case .object(let parts):
                guard parts.count == 1, parts[0].key == "hex",
                    case .string(let digits) = parts[0].value,
                    let bytes = Hexadecimal.bytes(digits)
                else { break }
                return TXTRecord.Attribute(member.key, .bytes(bytes))
            default: break
            }
            throw mismatch(
                member.value, of: member.key, "a text, null or {\"hex\": \"00ff\"}")
        }
    }
}
