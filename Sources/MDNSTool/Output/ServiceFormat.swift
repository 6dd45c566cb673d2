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

    /// The instance as a person reads it; what is no text, or not one label, in the text form of
    /// names, which can be given to `mdns resolve`: `B\252ro`, `Two.Labels._x._tcp.local`.
    static func text(_ name: ServiceInstanceName) -> String {
        name.instanceLabels.count == 1 && utf8(name.label) == nil
            ? name.label.description : name.instance
    }

    /// The members for the instance of a name: its text, `{"hex": …}` for other bytes, an array
    /// where it has several labels; and the whole name in the text form.
    static func write(_ name: ServiceInstanceName, to writer: inout JSONWriter) {
        writer.key("instance")
        let labels = name.instanceLabels
        if labels.count > 1 { writer.beginArray() }
        for label in labels {
            if let text = utf8(label) {
                writer.string(text)
            } else {
                writer.beginObject()
                writer.member("hex", Hexadecimal.text(label.bytes))
                writer.endObject()
            }
        }
        if labels.count > 1 { writer.endArray() }
        writer.member("name", name.description)
    }

    private static func utf8(_ label: Label) -> String? {
        String(validating: label.bytes, as: UTF8.self)
    }

    /// The members that name an instance.
    static func write(
        _ name: ServiceInstanceName, interface: String, to writer: inout JSONWriter
    ) {
        write(name, to: &writer)
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
