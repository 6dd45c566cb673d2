import MDNS

/// `mdns publish`.
enum Publish {
    static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
        var options = try NetworkCommand.options(arguments)
        if let suffix = arguments.value(of: "host-suffix") {
            options.hostName = .automatic(suffix: suffix)
        }
        options.limitsAmplification = !arguments.has("no-amplification-limit")
        let service = try ServiceArguments.description(arguments)
        let timeout = try NetworkCommand.timeout(arguments, otherwise: nil)
        let printer = Printer(isJSON: arguments.has("json"), widths: [11, 32])
        for note in ServiceArguments.notes(on: service) { Printer.printError(note) }
        return try await NetworkCommand.run(options) { node in
            if let host = service.host, host.addresses.isEmpty {
                guard try await isPublished(host.name, node) else {
                    Printer.printError(
                        "no host on the link is called '\(host.name)', so nobody could reach the "
                            + "service: give its addresses with --address")
                    return .nothingFound
                }
            }
            let registration = try await node.register(service)
            if let timeout { registration.events.end(after: timeout) }
            var isEstablished = false
            var instance: DomainName?
            var proxy = service.host?.name
            for await status in registration.events {
                if case .established = status { isEstablished = true }
                if let name = serviceName(in: status) { instance = name }
                if case .hostRenamed(_, let name) = status, proxy != nil { proxy = name }
                let host = if let proxy { proxy } else { await node.hostName }
                try print(status, of: service, called: instance, on: host, by: printer)
                if case .blocked(_, let failure) = status {
                    Printer.printError(failure.description)
                    // One that was established waits for the network to be as it was.
                    guard isEstablished else { return .network }
                }
            }
            // Closing the node says goodbye.
            return isEstablished ? .success : .nothingFound
        }
    }

    /// Whether the host is this one, or another that answers for its addresses.
    private static func isPublished(
        _ host: DomainName, _ node: MDNSNode
    ) async throws -> Bool {
        if await node.hostName == host { return true }
        return try await !node.addresses(of: host).isEmpty
    }

    /// The service's own name, if the event is about it.
    private static func serviceName(in status: RegistrationStatus) -> DomainName? {
        switch status {
        case .probing(let name), .established(let name), .renamed(_, let name),
            .conflicted(let name), .blocked(let name, _):
            name
        case .failing(let name, _): ServiceInstanceName(name)?.domainName
        case .hostRenamed: nil
        }
    }

    private static func print(
        _ status: RegistrationStatus, of service: ServiceDescription,
        called instance: DomainName?, on host: DomainName, by printer: Printer
    ) throws(OutputClosed) {
        let (word, style, name, remark) = words(for: status)
        if printer.isJSON {
            let instance = instance.flatMap(ServiceInstanceName.init)
            try printer.object { writer in
                writer.member("event", word)
                if let instance {
                    ServiceFormat.write(instance, to: &writer)
                } else {
                    writer.member("instance", name.description)
                }
                writer.member("type", service.type.description)
                writer.member("domain", service.domain.description)
                writer.member("host", host.description)
                writer.member("port", service.port)
            }
        } else {
            try printer.line([
                Cell(word, style), Cell(name.description, .strong),
                Cell("\(host):\(service.port)"), Cell(remark, .faint),
            ])
        }
    }

    private static func words(
        for status: RegistrationStatus
    ) -> (word: String, style: TextStyle, name: DomainName, remark: String) {
        switch status {
        case .probing(let name):
            ("probing", .plain, name, "asking whether the name is free")
        case .established(let name):
            ("established", .good, name, "")
        case .renamed(let from, let to):
            ("renamed", .warning, to, "another host has \(from)")
        case .hostRenamed(let from, let to):
            ("hostRenamed", .warning, to, "another host is called \(from)")
        case .failing(let name, let attempts):
            ("failing", .bad, name, "no free name after \(attempts) attempts; still trying")
        case .blocked(let name, _):
            ("blocked", .bad, name, "nothing can be sent")
        case .conflicted(let name):
            ("failed", .bad, name, "the name is taken")
        }
    }
}

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
