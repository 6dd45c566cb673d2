import MDNS
import NetworkPrimitives

/// Reads what is to be published.
enum ServiceArguments {
    /// A service as it was written, not checked yet.
    struct Draft {
        var name: String?
        var type: String?
        var port: UInt16?
        var txt: [TXTRecord.Attribute] = []
        var subtypes: [String] = []
        var host: String?
        var addresses: [String] = []
        var publishesReverseMapping = true
        var interfaces = InterfaceSelection.all
        var isLenient = false

        /// The service that it describes.
        var service: ServiceDescription {
            get throws {
                guard let name else { throw UsageError("the name of the service is missing") }
                guard let type else { throw UsageError("the type of the service is missing") }
                guard let port else { throw UsageError("the port of the service is missing") }
                let browsed = try BrowsedType(type)
                if !isLenient, let error = brokenRule(of: browsed.type) { throw MDNSError(error) }
                var labels = try subtypes.map(subtype)
                if let subtype = browsed.subtype { labels.append(subtype) }
                return ServiceDescription(
                    name: name, type: browsed.type, port: port, txt: try record(txt),
                    subtypes: labels, host: try proxy, interfaces: interfaces,
                    allowsPortZero: port == 0, isLenient: isLenient)
            }
        }

        private var proxy: ServiceDescription.ProxyHost? {
            get throws {
                guard let host else {
                    guard addresses.isEmpty, publishesReverseMapping else {
                        throw UsageError("addresses belong to a host, whose name is missing")
                    }
                    return nil
                }
                var addresses: [IPAddress] = []
                for text in self.addresses {
                    guard let address = IPAddress(text) else {
                        throw UsageError("'\(text)' is not an IPv4 or IPv6 address")
                    }
                    addresses.append(address)
                }
                do throws(NameError) {
                    return ServiceDescription.ProxyHost(
                        name: try HostNaming.lookupName(host), addresses: addresses,
                        publishesReverseMapping: publishesReverseMapping)
                } catch {
                    throw MDNSError(error)
                }
            }
        }
    }

    /// The service that `NAME TYPE PORT [KEY=VALUE...]` and the options describe.
    static func description(_ arguments: ParsedArguments) throws -> ServiceDescription {
        let words = arguments.positionals
        var draft = Draft()
        draft.name = words[0]
        draft.type = words[1]
        draft.port = try ArgumentValues.port(words[2])
        draft.txt = try attributes(words.dropFirst(3))
        draft.subtypes = arguments.values(of: "subtype")
        draft.host = arguments.value(of: "host")
        draft.addresses = arguments.values(of: "address")
        draft.publishesReverseMapping = !arguments.has("no-reverse")
        draft.isLenient = arguments.has("lenient")
        for option in ["address", "no-reverse"] where draft.host == nil && arguments.has(option) {
            throw UsageError("--\(option) belongs to --host, which is missing")
        }
        return try draft.service
    }

    /// What the user should know of a service that is published as wanted all the same.
    static func notes(on service: ServiceDescription) -> [String] {
        var notes: [String] = []
        if let error = brokenRule(of: service.type) {
            notes.append("published all the same, but others may refuse the type: \(error)")
        }
        if service.port == 0 {
            notes.append(
                "port 0: the service is listed, but can't be reached "
                    + "(RFC 6763 §8)")
        }
        return notes
    }

    private static func brokenRule(of type: ServiceType) -> ServiceTypeError? {
        do throws(ServiceTypeError) {
            try type.checkRules()
            return nil
        } catch {
            return error
        }
    }

    /// A TXT record of `key`, `key=`, `key=value` and `key=hex:…`.
    static func txt(_ words: some Sequence<String>) throws -> TXTRecord {
        try record(try attributes(words))
    }

    private static func attributes(
        _ words: some Sequence<String>
    ) throws(UsageError) -> [TXTRecord.Attribute] {
        var attributes: [TXTRecord.Attribute] = []
        for word in words {
            guard let sign = word.firstIndex(of: "=") else {
                attributes.append(TXTRecord.Attribute(word, .none))
                continue
            }
            let value = word[word.index(after: sign)...]
            attributes.append(
                TXTRecord.Attribute(String(word[..<sign]), .bytes(try bytes(value))))
        }
        return attributes
    }

    private static func record(
        _ attributes: [TXTRecord.Attribute]
    ) throws(MDNSError) -> TXTRecord {
        do throws(TXTRecordError) {
            return try TXTRecord(attributes)
        } catch {
            throw MDNSError(error)
        }
    }

    private static func bytes(_ value: Substring) throws(UsageError) -> [UInt8] {
        guard value.hasPrefix("hex:") else { return Array(value.utf8) }
        guard let bytes = Hexadecimal.bytes(value.dropFirst(4)) else {
            throw UsageError("'\(value)' is not hexadecimal; write two digits for each byte")
        }
        return bytes
    }

    /// A subtype by its label; the underscore that most have may be left out.
    private static func subtype(_ text: String) throws -> ServiceSubtype {
        do throws(NameError) {
            return try ServiceSubtype(text.hasPrefix("_") ? text : "_" + text)
        } catch {
            throw MDNSError(error)
        }
    }
}
