extension Requirements6763 {
    /// RFC 6763 sections 4 to 6: instances, resolving, TXT records.
    static let naming: [Requirement] = [
        Requirement(
            "S4-1", "4.1", .rule, .both, .onWire,
            """
            Browsing asks for PTR at `<Service>.<Domain>`; each answer names one instance \
            `<Instance>.<Service>.<Domain>`.
            """),
        Requirement(
            "S4-2", "4.1.1", .mustNot, .both, .onWireAfterStimulus,
            "The instance label has no ASCII control characters (0x00-0x1F, 0x7F)."),
        Requirement(
            "S4-3", "4.1.1", .rule, .both, .onWireAfterStimulus,
            """
            Anything else is allowed in it: spaces, dots, capitals, punctuation, non-Latin text.
            """),
        Requirement(
            "S4-4", "4.1.1", .should, .api, .inAPI,
            "The user can set the instance name."),
        Requirement(
            "S4-5", "4.1.1", .shouldNot, .api, .onWireAfterStimulus,
            "The service does not need a user-given name before it works (a default exists)."),
        Requirement(
            "S4-6", "4.1.1", .shouldNot, .responder, .onWire,
            """
            The default name is short and descriptive and has no MAC address, serial number or hex \
            string.
            """),
        Requirement(
            "S4-7", "4.1.1", .shouldNot, .responder, .onWire,
            "Names are not made unique in the factory (conflict renaming does that)."),
        Requirement(
            "S4-8", "4.1.1", .rule, .codec, .onWireAfterStimulus,
            "The instance is exactly one label, UTF-8 in NFC, 1-63 bytes."),
        Requirement(
            "S4-9", "4.1.2", .rule, .codec, .onWireAfterStimulus,
            "The service part is two labels: underscore + service name, then `_tcp` or `_udp`."),
        Requirement(
            "S4-10", "4.1.3", .rule, .both, .inAPI,
            "The domain is `local.` or a unicast domain; its labels may be rich text too."),
        Requirement(
            "S4-11", "4.1.3", .proseRecommended, .codec, .onWireAfterStimulus,
            "Names are stored and sent as plain NFC UTF-8, in unicast domains as well."),
        Requirement(
            "S4-12", "4.1.3", .may, .querier, .onWireAfterStimulus,
            """
            After a negative unicast answer the client may retry with labels turned into IDNA \
            A-labels one after another, top label first, until all are converted.
            """),
        Requirement(
            "S4-13", "4.2", .proseShould, .querier, .onWireAfterStimulus,
            """
            A client must expect instances of another domain or (with subtypes) another service \
            part than it asked for.
            """),
        Requirement(
            "S4-14", "4.3", .must, .api, .inAPI,
            "If the three parts are joined in one string, label borders are kept intact."),
        Requirement(
            "S4-15", "4.3", .recommended, .api, .inAPI,
            "Dots in the instance part are escaped as `\\.` in such a string."),
        Requirement(
            "S4-16", "4.3", .proseShould, .api, .inAPI,
            "Backslashes are escaped as `\\\\`."),
        Requirement(
            "S5-1", "5", .rule, .querier, .onWireAfterStimulus,
            "Resolving an instance asks for both SRV and TXT of its name."),
        Requirement(
            "S5-2", "5", .must, .querier, .onWireAfterStimulus,
            """
            With several SRV records, priority and weight are obeyed: lowest priority first, \
            random by weight within a priority.
            """),
        Requirement(
            "S5-3", "5", .should, .responder, .onWire,
            "A single SRV has priority 0 and weight 0."),
        Requirement(
            "S6-1", "6", .must, .responder, .onWire,
            """
            Each service has a TXT record beside its SRV, same name, even if it only holds one \
            zero byte.
            """),
        Requirement(
            "S6-2", "6.1", .rule, .codec, .onWire,
            """
            TXT rdata = one or more strings, each a length byte and 0-255 bytes, with no gaps; at \
            most 65535 bytes, about 8900 in mDNS.
            """),
        Requirement(
            "S6-3", "6.1", .mustNot, .codec, .onWireAfterStimulus,
            "No zero-length TXT rdata is sent."),
        Requirement(
            "S6-4", "6.1", .must, .querier, .onWireAfterStimulus,
            """
            Zero-length TXT, a TXT of one zero byte, and no TXT at all mean the same: no \
            attributes.
            """),
        Requirement(
            "S6-5", "6.2", .rule, .responder, .onWire,
            """
            Typical size 200 bytes or less; under 400 to fit a 512-byte message; under 1300 to fit \
            an Ethernet frame.
            """),
        Requirement(
            "S6-6", "6.2", .notRecommended, .responder, .onWire,
            "TXT records over 1300 bytes."),
        Requirement(
            "S6-7", "6.3", .rule, .codec, .onWireAfterStimulus,
            """
            Each string is one `key=value`; the key ends at the first `=`, all after it (more `=` \
            too) is value.
            """),
        Requirement(
            "S6-8", "6.3", .must, .querier, .onWireAfterStimulus,
            "Unknown keys are ignored silently."),
        Requirement(
            "S6-9", "6.3", .mustNot, .responder, .onWire,
            "Host name and port of the SRV are not repeated as TXT attributes."),
        Requirement(
            "S6-10", "6.4", .must, .codec, .inAPI,
            "A key has at least one character."),
        Requirement(
            "S6-11", "6.4", .must, .querier, .onWireAfterStimulus,
            "Strings that begin with `=` are ignored silently."),
        Requirement(
            "S6-12", "6.4", .should, .responder, .onWire,
            "A key has at most nine characters."),
        Requirement(
            "S6-13", "6.4", .must, .codec, .onWireAfterStimulus,
            "Key characters are printable ASCII 0x20-0x7E without `=`."),
        Requirement(
            "S6-14", "6.4", .rule, .codec, .inAPI,
            "Spaces in a key count, wherever they stand."),
        Requirement(
            "S6-15", "6.4", .rule, .querier, .inAPI,
            "Keys are compared without regard to case."),
        Requirement(
            "S6-16", "6.4", .rule, .querier, .inAPI,
            "A string without `=` is a boolean attribute: present, no value."),
        Requirement(
            "S6-17", "6.4", .shouldNot, .responder, .onWire,
            "A key does not occur twice in a TXT record."),
        Requirement(
            "S6-18", "6.4", .must, .querier, .onWireAfterStimulus,
            "Of repeated keys only the first counts; the others are ignored silently."),
        Requirement(
            "S6-19", "6.4", .rule, .api, .inAPI,
            """
            Four results are told apart: absent; present without value; present with empty value; \
            present with value.
            """),
        Requirement(
            "S6-20", "6.5", .rule, .codec, .onWireAfterStimulus,
            "A value is opaque bytes, any of 0x00-0xFF."),
        Requirement(
            "S6-21", "6.5", .mustNot, .responder, .onWire,
            "Values are not wrapped in quotation marks or the like."),
        Requirement(
            "S6-22", "6.5", .rule, .querier, .inAPI,
            "Quotes and leading / trailing spaces in a value belong to it."),
        Requirement(
            "S6-23", "6.5", .proseShould, .api, .inAPI,
            "Generic tools show values as hex dump plus UTF-8 text."),
        Requirement(
            "S6-24", "6.5", .shouldNot, .responder, .inAPI,
            "Binary values are not turned into hex, Base64 or uuencode just to be readable."),
        Requirement(
            "S6-25", "6.7", .proseRecommended, .responder, .onWire,
            """
            Profiles define `txtvers=<decimal>` as the first string; `protovers` for the protocol \
            version.
            """),
        Requirement(
            "S6-26", "6.7", .should, .querier, .inAPI,
            "A TXT with a txtvers the client does not know (higher or lower) is ignored."),
        Requirement(
            "S6-27", "6.8", .rule, .both, .onWireAfterStimulus,
            """
            Normally one TXT per instance; a profile (LPR only) may allow several with `qtotal` \
            and `priority`.
            """),
    ]
}
