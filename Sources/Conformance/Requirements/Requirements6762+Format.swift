extension Requirements6762 {
    /// RFC 6762 sections 16 to 22 and appendices: text, sizes, format, IPv6, security.
    static let format: [Requirement] = [
        Requirement(
            "M16-1", "16", .must, .codec, .onWireAfterStimulus,
            "All names are precomposed UTF-8 in Net-Unicode form (RFC 5198, NFC)."),
        Requirement(
            "M16-2", "16", .mustNot, .codec, .onWireAfterStimulus,
            "Names have no byte order mark."),
        Requirement(
            "M16-3", "16", .must, .codec, .onWireAfterStimulus,
            "A received U+FEFF anywhere in a name is a literal character of that name."),
        Requirement(
            "M16-4", "16", .mustNot, .codec, .onWireAfterStimulus,
            "No other encoding is used (no Punycode, Latin-1, UTF-16)."),
        Requirement(
            "M16-5", "16", .rule, .codec, .onWire,
            """
            Comparison folds only ASCII A-Z / a-z; bytes of 0x80 and above compare as they are.
            """),
        Requirement(
            "M16-6", "16", .proseShould, .responder, .onWire,
            "A query in other ASCII case is answered."),
        Requirement(
            "M16-7", "16", .rule, .responder, .onWire,
            """
            Equivalences beyond that (without accents) may be offered by CNAME: CNAME plus target \
            record in the response.
            """),
        Requirement(
            "M17-1", "17", .rule, .codec, .onWire,
            """
            Messages may fill the interface MTU less IP (20 / 40) and UDP (8) headers; the \
            512-byte limit does not apply.
            """),
        Requirement(
            "M17-2", "17", .should, .responder, .onWireAfterStimulus,
            """
            A single record too big for one MTU is sent alone, in one datagram, with IP fragments.
            """),
        Requirement(
            "M17-3", "17", .should, .responder, .inAPI,
            "Such large records are avoided."),
        Requirement(
            "M17-4", "17", .shouldNot, .responder, .inAPI,
            "Not used unless all receivers are known to reassemble, or the record is optional."),
        Requirement(
            "M17-5", "17", .mustNot, .responder, .onWireAfterStimulus,
            "A packet sent in fragments has only one resource record."),
        Requirement(
            "M17-6", "17", .mustNot, .responder, .onWireAfterStimulus,
            "No packet exceeds 9000 bytes, headers counted (so 8972 / 8952 bytes of message)."),
        Requirement(
            "M17-7", "17", .rule, .responder, .onWire,
            "Better under 1500 bytes."),
        Requirement(
            "M18-1", "18.1", .should, .querier, .onWireAfterStimulus,
            "Unsolicited responses are listened to."),
        Requirement(
            "M18-2", "18.1", .should, .querier, .onWireAfterStimulus,
            "Every response is searched for useful answers, whatever its ID or questions."),
        Requirement(
            "M18-3", "18.1", .may, .querier, .onWireAfterStimulus,
            "Data of any response may be cached under normal TTL ageing."),
        Requirement(
            "M18-4", "18.1", .should, .querier, .onWireAfterStimulus,
            "Multicast queries have ID 0."),
        Requirement(
            "M18-5", "18.1", .must, .responder, .onWire,
            "Multicast responses have ID 0."),
        Requirement(
            "M18-6", "18.1", .must, .querier, .onWireAfterStimulus,
            "The ID of received multicast responses is ignored."),
        Requirement(
            "M18-7", "18.1", .must, .responder, .onWire,
            "Legacy unicast replies repeat the query's ID."),
        Requirement(
            "M18-8", "18.2", .must, .codec, .onWireAfterStimulus,
            "QR is 0 in queries."),
        Requirement(
            "M18-9", "18.2", .must, .codec, .onWire,
            "QR is 1 in responses."),
        Requirement(
            "M18-10", "18.3", .must, .codec, .onWire,
            "OPCODE 0 on sending."),
        Requirement(
            "M18-11", "18.3", .must, .both, .onWire,
            "Messages with another OPCODE are dropped silently."),
        Requirement(
            "M18-12", "18.4", .must, .querier, .onWireAfterStimulus,
            "AA is 0 in queries."),
        Requirement(
            "M18-13", "18.4", .must, .responder, .onWire,
            "AA in a received query is ignored."),
        Requirement(
            "M18-14", "18.4", .must, .responder, .onWire,
            "AA is 1 in responses."),
        Requirement(
            "M18-15", "18.4", .must, .querier, .onWireAfterStimulus,
            "AA in a received response is ignored."),
        Requirement(
            "M18-16", "18.5", .should, .responder, .onWire,
            "TC in a query is noted and further known answers waited for."),
        Requirement(
            "M18-17", "18.5", .must, .responder, .onWire,
            "TC is 0 in multicast responses."),
        Requirement(
            "M18-18", "18.5", .must, .querier, .onWireAfterStimulus,
            "TC in a received multicast response is ignored."),
        Requirement(
            "M18-19", "18.5", .should, .querier, .onWireAfterStimulus,
            "TC in a legacy unicast reply means: ask again by TCP (conventional DNS meaning)."),
        Requirement(
            "M18-20", "18.6", .should, .both, .onWire,
            "RD is 0 on sending."),
        Requirement(
            "M18-21", "18.6", .must, .both, .onWire,
            "RD is ignored on receipt."),
        Requirement(
            "M18-22", "18.7", .must, .both, .onWire,
            "RA is 0 on sending."),
        Requirement(
            "M18-23", "18.7", .must, .both, .onWire,
            "RA is ignored on receipt."),
        Requirement(
            "M18-24", "18.8", .must, .both, .onWire,
            "Z is 0 on sending."),
        Requirement(
            "M18-25", "18.8", .must, .both, .onWire,
            "Z is ignored on receipt."),
        Requirement(
            "M18-26", "18.9", .must, .both, .onWire,
            "AD is 0 on sending."),
        Requirement(
            "M18-27", "18.9", .must, .both, .onWire,
            "AD is ignored on receipt."),
        Requirement(
            "M18-28", "18.10", .must, .both, .onWire,
            "CD is 0 on sending."),
        Requirement(
            "M18-29", "18.10", .must, .both, .onWire,
            "CD is ignored on receipt."),
        Requirement(
            "M18-30", "18.11", .must, .both, .onWire,
            "RCODE is 0 on sending."),
        Requirement(
            "M18-31", "18.11", .must, .both, .onWire,
            "Messages with RCODE other than 0 are dropped silently."),
        Requirement(
            "M18-32", "18.12", .rule, .codec, .onWire,
            "Top bit of qclass = unicast response preferred, per question."),
        Requirement(
            "M18-33", "18.13", .rule, .codec, .onWire,
            "Top bit of rrclass in a response = member of a unique set that is sent completely."),
        Requirement(
            "M18-34", "18.14", .should, .codec, .onWire,
            "Owner names are compressed wherever possible."),
        Requirement(
            "M18-35", "18.14", .should, .codec, .onWireAfterStimulus,
            "Questions are compressed as well."),
        Requirement(
            "M18-36", "18.14", .should, .codec, .onWireAfterStimulus,
            "Names in known answers and in probe authority records are compressed too."),
        Requirement(
            "M18-37", "18.14", .should, .codec, .onWire,
            """
            Names in rdata of NS, CNAME, PTR, DNAME, SOA, MX, AFSDB, RT, KX, RP, PX, SRV, NSEC are \
            compressed.
            """),
        Requirement(
            "M18-38", "18.14", .mustNot, .codec, .onWireAfterStimulus,
            "Names in rdata of any other type are not compressed."),
        Requirement(
            "M18-39", "18.14", .must, .codec, .onWire,
            "Compressed names are decoded in questions and as owner names in every section."),
        Requirement(
            "M18-40", "18.14", .must, .codec, .onWireAfterStimulus,
            "Compressed names are decoded in the rdata of the types listed."),
        Requirement(
            "M18-41", "18.14", .should, .codec, .internally,
            "Compressed names in rdata of other known types are decoded too."),
        Requirement(
            "M18-42", "18.14", .required, .codec, .onWireAfterStimulus,
            "Compressed SRV targets are decoded by all."),
        Requirement(
            "M18-43", "18.14", .mustNot, .responder, .onWire,
            "In legacy unicast replies the SRV target is not compressed."),
        Requirement(
            "M20-1", "20", .proseShould, .both, .onWireAfterStimulus,
            "A dual-stack host registers and looks up over both IPv4 and IPv6."),
        Requirement(
            "M20-2", "20", .proseShould, .responder, .onWire,
            "If one name is used for both families, its NSEC shows both A and AAAA."),
        Requirement(
            "M21-1", "21", .mustNot, .api, .onWireAfterStimulus,
            "`.local` is not appended to a relative name of two or more labels."),
        Requirement(
            "M21-2", "21", .rule, .api, .onWireAfterStimulus,
            "Appending to single-label names is fine."),
        Requirement(
            "M21-3", "21", .proseShould, .both, .internally,
            """
            Where hosts on the link are hostile, messages need IPsec or DNSSEC; mDNS itself \
            authenticates nothing.
            """),
        Requirement(
            "M22-1", "22", .rule, .codec, .inAPI,
            """
            Only classes 0-32767 can be carried, since the top class bit is taken; only FF02::FB \
            of the FF0x::FB set is in use.
            """),
        Requirement(
            "M22-2", "22.1", .should, .api, .onWireAfterStimulus,
            """
            Resolver libraries know the six special domains and do not send them to unicast \
            servers.
            """),
        Requirement(
            "M22-3", "22.1", .should, .api, .inAPI,
            """
            Caching and authoritative servers answer NXDOMAIN at once for them (only if the \
            project ships such a server, e.g. a discovery proxy).
            """),
        Requirement(
            "MC-1", "C", .must, .codec, .onWire,
            """
            Names up to 255 bytes plus the zero byte are supported, although many unicast stacks \
            stop at 254 plus zero.
            """),
        Requirement(
            "MF-1", "F", .proseMust, .codec, .onWireAfterStimulus,
            """
            Text kept in any other form is turned into precomposed UTF-8 before it goes on the \
            wire; no ASCII-compatible encodings.
            """),
    ]
}
