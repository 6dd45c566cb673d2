import MDNS
import NetworkPrimitives

/// Reads what is to be published.
enum ServiceArguments {
    /// The service that `NAME TYPE PORT [KEY=VALUE...]` and the options describe.
    static func description(_ arguments: ParsedArguments) throws -> ServiceDescription {
        let words = arguments.positionals
        let browsed = try BrowsedType(words[1])
        let isLenient = arguments.has("lenient")
        if !isLenient, let error = brokenRule(of: browsed.type) { throw MDNSError(error) }
        let port = try ArgumentValues.port(words[2])
        var subtypes = try arguments.values(of: "subtype").map(subtype)
        if let subtype = browsed.subtype { subtypes.append(subtype) }
        return ServiceDescription(
            name: words[0], type: browsed.type, port: port,
            txt: try txt(words.dropFirst(3)), subtypes: subtypes, host: try host(arguments),
            allowsPortZero: port == 0, isLenient: isLenient)
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

    private static func host(_ arguments: ParsedArguments) throws -> ServiceDescription.ProxyHost? {
        let texts = arguments.values(of: "address")
        guard let name = arguments.value(of: "host") else {
            for option in ["address", "no-reverse"] where arguments.has(option) {
                throw UsageError("--\(option) belongs to --host, which is missing")
            }
            return nil
        }
        var addresses: [IPAddress] = []
        for text in texts {
            guard let address = IPAddress(text) else {
                throw UsageError("'\(text)' is not an IPv4 or IPv6 address")
            }
            addresses.append(address)
        }
        do throws(NameError) {
            return ServiceDescription.ProxyHost(
                name: try HostNaming.lookupName(name), addresses: addresses,
                publishesReverseMapping: !arguments.has("no-reverse"))
        } catch {
            throw MDNSError(error)
        }
    }
}
