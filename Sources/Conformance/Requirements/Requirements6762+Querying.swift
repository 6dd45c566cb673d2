extension Requirements6762 {
    /// RFC 6762 sections 2 to 5: terms, names, reverse mapping, querying.
    static let querying: [Requirement] = [
        Requirement(
            "M2-1", "2", .must, .responder, .onWireAfterStimulus,
            """
            A responder probes (section 8.1) before it treats any unique record set as its own.
            """),
        Requirement(
            "M2-2", "2", .must, .responder, .onWire,
            """
            Several responders may serve one unique set only when all of them give byte-identical \
            rdata.
            """),
        Requirement(
            "M3-1", "3", .must, .responder, .onWireAfterStimulus,
            "A host that loses a name conflict stops using that name."),
        Requirement(
            "M3-2", "3", .should, .responder, .onWireAfterStimulus,
            "After losing, the host tries to take another, unused name by itself."),
        Requirement(
            "M3-3", "3", .must, .querier, .onWireAfterStimulus,
            "Every query for a name under `local.` goes to 224.0.0.251 or FF02::FB (UDP 5353)."),
        Requirement(
            "M3-4", "3", .may, .querier, .onWireAfterStimulus,
            """
            The same name may also be asked of other sources (unicast DNS) at the same time and \
            the results merged.
            """),
        Requirement(
            "M3-5", "3", .may, .querier, .onWireAfterStimulus,
            """
            Names outside `local.` may be asked by multicast when no conventional server is \
            available (see 13).
            """),
        Requirement(
            "M3-6", "3", .rule, .both, .onWireAfterStimulus,
            """
            A `local.` name has meaning only on the link it was learned on; cache and \
            registrations are per link (interface).
            """),
        Requirement(
            "M3-7", "3", .proseRecommended, .responder, .onWire,
            """
            Host names (owners of A/AAAA) are flat: one label plus `local`. Other types may have \
            as many labels as needed.
            """),
        Requirement(
            "M3-8", "3", .rule, .codec, .onWire,
            """
            Names may be up to 255 bytes long on the wire plus the terminating zero byte (256 in \
            all).
            """),
        Requirement(
            "M3-9", "3", .rule, .api, .inAPI,
            """
            `local` in a search list is handled like any other suffix; a name counts as local \
            however the suffix got there (but see M21-1).
            """),
        Requirement(
            "M3-10", "3", .rule, .responder, .inAPI,
            """
            The protocol engine supports both shared and unique sets for any record type; \
            uniqueness is chosen per registration.
            """),
        Requirement(
            "M4-1", "4", .must, .querier, .onWireAfterStimulus,
            "Queries for names ending in `254.169.in-addr.arpa` go to an mDNS group address."),
        Requirement(
            "M4-2", "4", .must, .querier, .onWireAfterStimulus,
            """
            Queries for names under `8.e.f.ip6.arpa`, `9.e.f.ip6.arpa`, `a.e.f.ip6.arpa`, \
            `b.e.f.ip6.arpa` go to an mDNS group address.
            """),
        Requirement(
            "M5-1", "5", .must, .both, .onWireAfterStimulus,
            """
            A responder that has any unique record also has a querier inside (to probe). Only a \
            purely shared-record responder is exempt.
            """),
        Requirement(
            "M5-2", "5.1", .mustNot, .querier, .onWireAfterStimulus,
            """
            A one-shot (legacy) query is not sent from source port 5353, be its port fixed or \
            ephemeral.
            """),
        Requirement(
            "M5-3", "5.1", .rule, .querier, .inAPI,
            "A one-shot client usually takes the first reply and gives up after 2 to 3 s."),
        Requirement(
            "M5-4", "5.2", .must, .querier, .onWireAfterStimulus,
            "At least 1 s passes between the first and second query of a continuous series."),
        Requirement(
            "M5-5", "5.2", .must, .querier, .onWireAfterStimulus,
            "Each following gap is at least twice the one before it."),
        Requirement(
            "M5-6", "5.2", .must, .querier, .onWireAfterStimulus,
            "Continuous queries carry known answers (section 7.1)."),
        Requirement(
            "M5-7", "5.2", .may, .querier, .onWireAfterStimulus,
            """
            The gap may stop growing once it is 60 minutes or more, and stay at one query an hour.
            """),
        Requirement(
            "M5-8", "5.2", .should, .querier, .onWireAfterStimulus,
            "The first query of a series waits a random 20 to 120 ms."),
        Requirement(
            "M5-9", "5.2", .should, .querier, .onWireAfterStimulus,
            "A cached answer is removed once its TTL has run out."),
        Requirement(
            "M5-10", "5.2", .should, .querier, .onWireAfterStimulus,
            """
            While a local client is interested, the querier asks again before the record expires.
            """),
        Requirement(
            "M5-11", "5.2", .proseShould, .querier, .onWireAfterStimulus,
            "No refresh query before half of the lifetime is gone."),
        Requirement(
            "M5-12", "5.2", .proseShould, .querier, .onWireAfterStimulus,
            """
            Refresh schedule: a query at 80 percent of the TTL and, unanswered, at 85, 90 and 95 \
            percent.
            """),
        Requirement(
            "M5-13", "5.2", .rule, .querier, .onWireAfterStimulus,
            """
            An answer to a refresh query resets the lifetime to the TTL in that answer and starts \
            the schedule anew.
            """),
        Requirement(
            "M5-14", "5.2", .rule, .querier, .onWireAfterStimulus,
            """
            After four unanswered refresh queries the record goes at 100 percent of its lifetime.
            """),
        Requirement(
            "M5-15", "5.2", .mustNot, .querier, .onWireAfterStimulus,
            "No refresh queries for records in which no local client has an active interest."),
        Requirement(
            "M5-16", "5.2", .proseShould, .querier, .onWireAfterStimulus,
            """
            Refresh times get a random extra of up to 2 percent of the TTL: 80-82, 85-87, 90-92, \
            95-97 percent.
            """),
        Requirement(
            "M5-17", "5.2", .should, .querier, .onWireAfterStimulus,
            """
            A unique answer (cache-flush bit set) ends the exponential query series for that \
            question.
            """),
        Requirement(
            "M5-18", "5.2", .should, .querier, .onWireAfterStimulus,
            """
            After a unique answer the next query for that record is at 80-82 percent of its TTL.
            """),
        Requirement(
            "M5-19", "5.2", .must, .querier, .onWireAfterStimulus,
            "A full querier sends from UDP source port 5353."),
        Requirement(
            "M5-20", "5.2", .must, .querier, .onWireAfterStimulus,
            "A full querier listens on UDP 5353 for the groups 224.0.0.251 and/or FF02::FB."),
        Requirement(
            "M5-21", "5.3", .rule, .both, .onWire,
            "A query with several questions means the same as one query for each of them."),
        Requirement(
            "M5-22", "5.4", .should, .querier, .onWireAfterStimulus,
            """
            The first batch of questions right after wake-up or interface activation has the \
            unicast-response (QU) bit, top bit of qclass.
            """),
        Requirement(
            "M5-23", "5.4", .shouldNot, .querier, .onWireAfterStimulus,
            "A retransmitted question has no QU bit."),
        Requirement(
            "M5-24", "5.4", .should, .querier, .onWireAfterStimulus,
            "Retransmissions are ordinary QM questions."),
        Requirement(
            "M5-25", "5.4", .should, .querier, .onWireAfterStimulus,
            "QU is only for questions that already exist at the moment of wake or activation."),
        Requirement(
            "M5-26", "5.4", .shouldNot, .querier, .onWireAfterStimulus,
            "A new question made later has no QU bit in its first packet either."),
        Requirement(
            "M5-27", "5.4", .should, .responder, .onWire,
            "A QU question is answered by unicast to the querier's address and port 5353."),
        Requirement(
            "M5-28", "5.4", .should, .responder, .onWire,
            """
            If the record has not been multicast within the last quarter of its TTL, the answer to \
            QU is multicast instead.
            """),
        Requirement(
            "M5-29", "5.4", .proseShould, .responder, .onWire,
            """
            A probe with QU always gets the unicast reply; a multicast announcement may be added \
            if the last one is older than TTL/4.
            """),
        Requirement(
            "M5-30", "5.4", .rule, .responder, .onWire,
            """
            Unicast replies obey the same rules as multicast ones: cache-flush bit, whole set, \
            random delay (no delay when defending).
            """),
        Requirement(
            "M5-31", "5.5", .should, .responder, .onWire,
            """
            A query sent by unicast straight to the host's port 5353 is handled like a QU \
            question.
            """),
        Requirement(
            "M5-32", "5.5", .should, .responder, .onWire,
            """
            Direct unicast queries from a source that is not on the local subnet / on-link prefix \
            are dropped silently.
            """),
        Requirement(
            "M5-33", "5.5", .rule, .responder, .onWireAfterStimulus,
            """
            A responder built on purpose to serve off-link queriers always replies to them by \
            unicast.
            """),
    ]
}
