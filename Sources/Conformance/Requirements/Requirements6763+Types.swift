extension Requirements6763 {
    /// RFC 6763 sections 7 to 15 and appendices: types, enumeration, additional records.
    static let types: [Requirement] = [
        Requirement(
            "S7-1", "7", .rule, .codec, .inAPI,
            "`_tcp` for TCP, `_udp` for every other transport."),
        Requirement(
            "S7-2", "7", .proseMust, .codec, .onWireAfterStimulus,
            """
            Service name: 1-15 characters, letters, digits, hyphens; starts and ends with letter \
            or digit; no two hyphens in a row; at least one letter.
            """),
        Requirement(
            "S7-3", "7", .rule, .both, .onWire,
            "Service names are compared without case."),
        Requirement(
            "S7-4", "7.1", .rule, .both, .onWire,
            "Subtype browsing uses PTR at `<sub>._sub.<Service>.<Domain>`."),
        Requirement(
            "S7-5", "7.1", .rule, .responder, .onWire,
            """
            A subtype PTR points to the ordinary instance name (no subtype in it) and the ordinary \
            PTR exists too.
            """),
        Requirement(
            "S7-6", "7.1", .rule, .codec, .onWireAfterStimulus,
            """
            Subtype labels: any bytes, need not begin with underscore, up to 63 bytes; compared \
            without ASCII case.
            """),
        Requirement(
            "S7-7", "7.2", .rule, .codec, .onWireAfterStimulus,
            """
            Budget: service part 22 bytes at most, instance 64, subtype + `_sub` 69 (length bytes \
            counted), whole name 255 + zero.
            """),
        Requirement(
            "S8-1", "8", .proseShould, .querier, .inAPI,
            "A client that browses several related types shows one entry per instance name."),
        Requirement(
            "S8-2", "8", .rule, .responder, .onWireAfterStimulus,
            """
            Flagship naming: a device without the flagship protocol reserves the name with an SRV \
            (priority 0, weight 0, port 0, target = own host).
            """),
        Requirement(
            "S8-3", "8", .mustNot, .responder, .onWireAfterStimulus,
            "In mDNS the target of that SRV is not the root name."),
        Requirement(
            "S8-4", "8", .rule, .responder, .onWire,
            "No PTR is made for a name that is only reserved."),
        Requirement(
            "S8-5", "8", .proseMust, .responder, .onWireAfterStimulus,
            "If the flagship name is taken, another name is chosen."),
        Requirement(
            "S9-1", "9", .rule, .responder, .onWire,
            """
            PTR query for `_services._dns-sd._udp.<Domain>` gives one PTR per service type \
            offered, rdata `<Service>.<Domain>`.
            """),
        Requirement(
            "S9-2", "9", .rule, .querier, .inAPI,
            "Only the first two labels of that rdata matter."),
        Requirement(
            "S11-1", "11", .rule, .querier, .onWireAfterStimulus,
            """
            Domain enumeration by PTR at `b.`, `db.`, `r.`, `dr.`, `lb._dns-sd._udp.<domain>`: \
            browse list, default browse, register list, default register, automatic browse.
            """),
        Requirement(
            "S11-2", "11", .rule, .querier, .inAPI,
            """
            Results are advice only; the domain may be `local.`, from DHCP (15, 119), or from RA \
            options.
            """),
        Requirement(
            "S11-3", "11", .rule, .querier, .onWireAfterStimulus,
            """
            Address-derived form: address AND mask, reversed, e.g. \
            `lb._dns-sd._udp.0.0.168.192.in-addr.arpa`.
            """),
        Requirement(
            "S11-4", "11", .proseShould, .querier, .onWireAfterStimulus,
            "The same is done for IPv6 addresses."),
        Requirement(
            "S11-5", "11", .shouldNot, .querier, .onWireAfterStimulus,
            "Not for link-local IPv4 or IPv6 addresses."),
        Requirement(
            "S12-1", "12", .should, .responder, .onWire,
            "The additional records of 12.1 and 12.2 are added (unicast and multicast)."),
        Requirement(
            "S12-2", "12", .must, .querier, .onWireAfterStimulus,
            "Clients work with responders that add none of them, by asking further queries."),
        Requirement(
            "S12-3", "12", .rule, .querier, .onWireAfterStimulus,
            "The client decides which additionals to trust."),
        Requirement(
            "S12-4", "12.1", .should, .responder, .onWire,
            """
            With a browse or subtype PTR: the SRV and TXT it names and all A/AAAA of the SRV \
            target.
            """),
        Requirement(
            "S12-5", "12.2", .should, .responder, .onWire,
            "With an SRV: all A/AAAA of its target."),
        Requirement(
            "S12-6", "12.3", .rule, .responder, .onWire,
            "With a TXT: none needed."),
        Requirement(
            "S12-7", "12.4", .rule, .responder, .onWire,
            "With address and other types: none by this RFC (but see M6-41, M6-42)."),
        Requirement(
            "S13-1", "13.1", .proseShould, .api, .inAPI,
            "User-facing browsers show a space as a space, not as `\\032`."),
        Requirement(
            "S14-1", "14", .rule, .querier, .onWireAfterStimulus,
            "SRV targets are resolved to AAAA as well as (or instead of) A."),
        Requirement(
            "S15-1", "15", .proseShould, .both, .inAPI,
            "DNSSEC for important queries and secure DNS Update in unicast domains."),
        Requirement(
            "SD-1", "D", .proseShould, .responder, .onWireAfterStimulus,
            "On a conflict: rename by number, try again, keep the name after success."),
        Requirement(
            "SF-1", "F", .rule, .api, .onWireAfterStimulus,
            """
            Browsing is live: results at once (order of 0.1 s), later adds and removes without \
            refresh, survives network changes.
            """),
    ]
}
