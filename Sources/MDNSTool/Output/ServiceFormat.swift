import MDNS

/// How services are shown.
enum ServiceFormat {
    /// An address, link-local ones with the interface that gives them a meaning.
    static func text(_ address: IPAddress, interface: String) -> String {
        address.family == .ipv6 && address.isLinkLocal
            ? "\(address)%\(interface)" : address.description
    }

    /// `key=value` of each attribute, with a space between, in quotes where it holds one.
    static func text(_ record: TXTRecord) -> String {
        record.attributes.map { attribute in
            guard let bytes = attribute.value.bytes else { return attribute.key }
            let text = attribute.key + "=" + SafeText.escaped(bytes)
            return text.contains(" ") ? "\"\(text)\"" : text
        }.joined(separator: " ")
    }

    /// An object of the keys: text, null for a key without value, `{"hex": …}` for other bytes.
    static func write(_ record: TXTRecord, to writer: inout JSONWriter) {
        writer.beginObject()
        for attribute in record.attributes {
            writer.key(attribute.key)
            guard let bytes = attribute.value.bytes else {
                writer.null()
                continue
            }
            if let text = attribute.value.text {
                writer.string(text)
            } else {
                writer.beginObject()
                writer.member("hex", Hexadecimal.text(bytes))
                writer.endObject()
            }
        }
        writer.endObject()
    }

    /// The members that name an instance.
    static func write(
        _ name: ServiceInstanceName, interface: String, to writer: inout JSONWriter
    ) {
        writer.member("instance", name.instance)
        writer.member("type", name.type.description)
        writer.member("domain", name.domain.description)
        writer.member("interface", interface)
    }

    /// The members that say where a service is and what it says of itself.
    static func write(
        _ service: ResolvedService, interface: String, to writer: inout JSONWriter
    ) {
        writer.member("host", service.host.description)
        writer.member("port", service.port)
        writer.key("addresses")
        writer.beginArray()
        for address in service.addresses {
            writer.string(text(address, interface: interface))
        }
        writer.endArray()
        writer.key("txt")
        write(service.txt, to: &writer)
    }

    /// The cells that say where a service is and what it says of itself.
    static func cells(_ service: ResolvedService, interface: String) -> [Cell] {
        [
            Cell("\(service.host):\(service.port)"),
            Cell(
                service.addresses.map { text($0, interface: interface) }.joined(separator: ", ")),
            Cell(text(service.txt), .faint),
        ]
    }
}
