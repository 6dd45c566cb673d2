import MDNS
import NetworkPrimitives

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

    /// The members that say where a service is and what it says of itself; what is not known is
    /// null, and `state` says why.
    static func write(
        _ resolution: Resolution?, interface: String, to writer: inout JSONWriter
    ) {
        let (location, addresses, txt) = parts(of: resolution)
        writer.member("state", word(for: resolution))
        writer.key("host")
        if let location { writer.string(location.target.description) } else { writer.null() }
        writer.key("port")
        if let location { writer.integer(location.port) } else { writer.null() }
        writer.key("addresses")
        writer.beginArray()
        for address in addresses { writer.string(text(address, interface: interface)) }
        writer.endArray()
        writer.key("txt")
        if let txt { write(txt, to: &writer) } else { writer.null() }
    }

    /// The cells that say where a service is and what it says of itself.
    static func cells(_ resolution: Resolution, interface: String) -> [Cell] {
        let (location, addresses, txt) = parts(of: resolution)
        let list = addresses.map { text($0, interface: interface) }.joined(separator: ", ")
        return [
            Cell(location.map { "\($0.target):\($0.port)" } ?? "-"),
            missing(in: resolution).map { Cell("(\($0))", .warning) } ?? Cell(list),
            Cell(txt.map { text($0) } ?? "", .faint),
        ]
    }

    /// Which part of a service is missing, as a clause; `nil` if none is.
    static func missing(in resolution: Resolution) -> String? {
        switch resolution {
        case .resolved: return nil
        case .unavailable: return "not offered"
        case .lost: return "nobody answers for it any more"
        case .partial(let service):
            guard let host = service.location?.target else { return "nobody says where it is" }
            return service.missing == .unicastAddresses
                ? "\(host) belongs to unicast DNS" : "nobody answers for \(host)"
        }
    }

    private static func parts(
        of resolution: Resolution?
    ) -> (ServiceLocation?, [IPAddress], TXTRecord?) {
        switch resolution {
        case .resolved(let service): (service.location, service.addresses, service.txt)
        case .partial(let service): (service.location, [], service.txt)
        case .unavailable, .lost, nil: (nil, [], nil)
        }
    }

    private static func word(for resolution: Resolution?) -> String {
        switch resolution {
        case .resolved: return "resolved"
        case .unavailable: return "notOffered"
        case .lost, nil: return "unknown"
        case .partial(let service):
            switch service.missing {
            case .location: return "noLocation"
            case .addresses: return "noAddress"
            case .unicastAddresses: return "unicastHost"
            }
        }
    }
}
