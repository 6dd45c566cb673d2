extension Requirements6762 {
    /// RFC 6762 sections 9 to 15: conflicts, caches, source addresses, interfaces, sharing.
    static let coherency: [Requirement] = [
        Requirement(
            "M9-1", "9", .rule, .responder, .onWire,
            """
            Conflict = own unique record vs received response record of same name/type/class with \
            other rdata; identical rdata is never one.
            """),
        Requirement(
            "M9-2", "9", .must, .responder, .onWire,
            """
            A conflicting record in any resource record section of any response sends the own \
            record back to probing at once.
            """),
        Requirement(
            "M9-3", "9", .must, .responder, .onWire,
            "The loser of that probing stops using the name and reconfigures."),
        Requirement(
            "M9-4", "9", .must, .responder, .onWire,
            "The host acts on the conflict even if the other side does not see one."),
        Requirement(
            "M9-5", "9", .proseRecommended, .responder, .onWireAfterStimulus,
            """
            New name made from the old: add model info, append "2", or increment a trailing \
            number.
            """),
        Requirement(
            "M9-6", "9", .proseRecommended, .responder, .onWireAfterStimulus,
            "Probe again until a free name is found."),
        Requirement(
            "M9-7", "9", .proseRecommended, .responder, .onWireAfterStimulus,
            "Keep the chosen name in persistent storage."),
        Requirement(
            "M9-8", "9", .proseRecommended, .api, .inAPI,
            "Tell the user or operator of the rename."),
        Requirement(
            "M9-9", "9", .proseShould, .api, .inAPI,
            "After one minute of failing to find a name, log an error."),
        Requirement(
            "M10-1", "10", .should, .responder, .onWire,
            """
            TTL 120 s for records whose name is a host name (A, AAAA, HINFO) or whose rdata holds \
            one (SRV, reverse PTR).
            """),
        Requirement(
            "M10-2", "10", .proseRecommended, .responder, .onWire,
            "TTL 75 minutes (4500 s) for all others (PTR, TXT)."),
        Requirement(
            "M10-3", "10.1", .should, .responder, .onWireAfterStimulus,
            """
            Records about to become invalid (clean shutdown) are sent unsolicited with TTL 0, same \
            name, type, class, rdata.
            """),
        Requirement(
            "M10-4", "10.1", .shouldNot, .querier, .onWireAfterStimulus,
            """
            A received TTL 0 is not an instant delete: it is stored as TTL 1 and the record goes 1 \
            s later.
            """),
        Requirement(
            "M10-5", "10.1", .rule, .responder, .onWire,
            "Another cooperating responder has that second to send the record again."),
        Requirement(
            "M10-6", "10.2", .must, .responder, .onWireAfterStimulus,
            "A host not continuously on the link first probes again for its unique records."),
        Requirement(
            "M10-7", "10.2", .must, .responder, .onWireAfterStimulus,
            "Then it sends the announcement series."),
        Requirement(
            "M10-8", "10.2", .rule, .querier, .onWireAfterStimulus,
            """
            On a flush-bit record, cached records of that name/type/class older than 1 s are set \
            to expire in 1 s; younger ones stay.
            """),
        Requirement(
            "M10-9", "10.2", .must, .responder, .onWire,
            """
            Any response with members of a unique set has the whole set, in one packet if \
            possible, else in a quick burst.
            """),
        Requirement(
            "M10-10", "10.2", .must, .responder, .onWire,
            "All members of a unique set have the flush bit."),
        Requirement(
            "M10-11", "10.2", .rule, .responder, .onWire,
            "These rules hold for announcements and for answers alike."),
        Requirement(
            "M10-12", "10.2", .rule, .responder, .onWire,
            "The flush bit occurs only in responses to port 5353."),
        Requirement(
            "M10-13", "10.2", .mustNot, .responder, .onWire,
            "No flush bit in legacy unicast replies to other ports."),
        Requirement(
            "M10-14", "10.2", .mustNot, .querier, .onWireAfterStimulus,
            "No flush bit in known answers of a query."),
        Requirement(
            "M10-15", "10.2", .mustNot, .responder, .onWire,
            "Never a flush bit on a shared record."),
        Requirement(
            "M10-16", "10.2", .rule, .codec, .internally,
            "In questions the top class bit is QU, not flush."),
        Requirement(
            "M10-17", "10.2", .proseShould, .codec, .internally,
            "The bit is masked off before a record is stored or compared; class is 15 bits."),
        Requirement(
            "M10-18", "10.2", .proseShould, .codec, .onWireAfterStimulus,
            """
            OPT and other pseudo-records are never cached; the class of OPT is a full 16-bit size.
            """),
        Requirement(
            "M10-19", "10.2", .rule, .responder, .onWireAfterStimulus,
            """
            A host that sees its own addresses of another interface arrive with the flush bit \
            re-announces within the 1 s grace period.
            """),
        Requirement(
            "M10-20", "10.3", .proseShould, .querier, .onWireAfterStimulus,
            """
            Cache policy reacts to link loss, wake, reboot (flush the interface's records, or cut \
            their TTL to a few seconds).
            """),
        Requirement(
            "M10-21", "10.4", .proseShould, .api, .inAPI,
            "Clients can tell the cache that a record seems stale (reconfirm)."),
        Requirement(
            "M10-22", "10.4", .must, .querier, .onWireAfterStimulus,
            "A reconfirm issues two or more queries for the record."),
        Requirement(
            "M10-23", "10.4", .should, .querier, .onWireAfterStimulus,
            "With no response in 10 s the record is flushed, TTL notwithstanding."),
        Requirement(
            "M10-24", "10.5", .rule, .querier, .onWireAfterStimulus,
            """
            A host may take unanswered queries of others as a sign that a cached record is dead \
            (POOF).
            """),
        Requirement(
            "M10-25", "10.5", .should, .querier, .onWireAfterStimulus,
            """
            After two or more such queries and no multicast answer in 10 s the record is flushed.
            """),
        Requirement(
            "M10-26", "10.5", .shouldNot, .querier, .onWireAfterStimulus,
            "It does not send queries of its own to make sure."),
        Requirement(
            "M11-1", "11", .should, .responder, .onWire,
            "All responses, unicast too, are sent with IP TTL / hop limit 255."),
        Requirement(
            "M11-2", "11", .must, .querier, .onWireAfterStimulus,
            """
            Only responses from the local link are accepted for queries sent to a link-local \
            group; others are dropped silently.
            """),
        Requirement(
            "M11-3", "11", .rule, .querier, .onWireAfterStimulus,
            "A response addressed to the group counts as local, whatever its source address."),
        Requirement(
            "M11-4", "11", .rule, .querier, .onWireAfterStimulus,
            """
            A unicast response counts as local if the source is in a subnet of the receiving \
            interface (IPv4 mask test; IPv6 on-link prefix match).
            """),
        Requirement(
            "M11-5", "11", .should, .responder, .onWire,
            "Responses that surely will be ignored are not generated."),
        Requirement(
            "M11-6", "11", .should, .responder, .onWire,
            """
            A group query from a source outside the own subnets is answered by multicast even if \
            it asks for unicast.
            """),
        Requirement(
            "M12-1", "12", .proseShould, .api, .inAPI,
            """
            "local" is a protocol token: never translated.
            """),
        Requirement(
            "M12-2", "12", .rule, .responder, .onWire,
            "No SOA, no NS, no delegation, no zone transfer in mDNS domains."),
        Requirement(
            "M12-3", "12", .rule, .querier, .internally,
            "Answering for a name says nothing about its children or other types."),
        Requirement(
            "M13-1", "13", .should, .api, .inAPI,
            "Multicast for names outside `local.` is a user option."),
        Requirement(
            "M13-2", "13", .should, .api, .onWireAfterStimulus,
            "That option is off by default."),
        Requirement(
            "M13-3", "13", .rule, .api, .inAPI,
            "Unqualified names get `.local` only if it is in the search list."),
        Requirement(
            "M14-1", "14", .should, .responder, .onWireAfterStimulus,
            "The host name is defended on every interface on which mDNS runs."),
        Requirement(
            "M14-2", "14", .proseShould, .responder, .onWireAfterStimulus,
            "A conflict on any interface leads to a new name (if uniqueness is wanted)."),
        Requirement(
            "M14-3", "14", .must, .responder, .onWireAfterStimulus,
            "Address records are valid for the interface they are sent on (proxies excepted)."),
        Requirement(
            "M14-4", "14", .rule, .api, .inAPI,
            """
            APIs let the client name the interface of a query and learn the interface of an \
            answer.
            """),
        Requirement(
            "M14-5", "14", .rule, .responder, .onWireAfterStimulus,
            """
            Bridged own interfaces must not lead to an endless exchange of announcements (records \
            sent under 1 s ago need no re-announcement).
            """),
        Requirement(
            "M15-1", "15.1", .should, .both, .onWireAfterStimulus,
            """
            Sockets use SO_REUSEPORT / SO_REUSEADDR (or the like) so several stacks can share port \
            5353.
            """),
        Requirement(
            "M15-2", "15.1", .rule, .querier, .onWireAfterStimulus,
            "A stack that was not first to bind port 5353 should not ask for unicast (QU)."),
        Requirement(
            "M15-3", "15.2", .rule, .responder, .onWire,
            """
            Known-answer continuation packets are matched to the first one by source IP address.
            """),
        Requirement(
            "M15-4", "15.4", .proseRecommended, .api, .inAPI,
            "One shared mDNS service per machine is preferred to one per application."),
    ]
}
