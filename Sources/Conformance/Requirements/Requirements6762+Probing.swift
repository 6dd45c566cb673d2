extension Requirements6762 {
    /// RFC 6762 sections 7 and 8: traffic reduction, probing, announcing.
    static let probing: [Requirement] = [
        Requirement(
            "M7-1", "7.1", .rule, .querier, .onWireAfterStimulus,
            "Answers already known go in the Answer Section of the query."),
        Requirement(
            "M7-2", "7.1", .rule, .querier, .onWireAfterStimulus,
            """
            Known-answer lists are for shared records; with a unique answer at hand there is \
            normally no query at all.
            """),
        Requirement(
            "M7-3", "7.1", .mustNot, .responder, .onWire,
            """
            A record listed as known answer with TTL at least half of the true TTL is not sent.
            """),
        Requirement(
            "M7-4", "7.1", .must, .responder, .onWire,
            "A record listed with TTL under half of the true TTL is sent."),
        Requirement(
            "M7-5", "7.1", .shouldNot, .querier, .onWireAfterStimulus,
            "Records with less than half of their original TTL left are not listed."),
        Requirement(
            "M7-6", "7.1", .mustNot, .both, .onWireAfterStimulus,
            "Records in the Answer Section of other hosts' queries are not cached."),
        Requirement(
            "M7-7", "7.2", .proseShould, .querier, .onWireAfterStimulus,
            "If known answers do not fit: first packet holds the question and as many as fit."),
        Requirement(
            "M7-8", "7.2", .must, .querier, .onWireAfterStimulus,
            "That packet has TC set."),
        Requirement(
            "M7-9", "7.2", .must, .querier, .onWireAfterStimulus,
            "It is followed at once by a query with no question and more known answers."),
        Requirement(
            "M7-10", "7.2", .rule, .querier, .onWireAfterStimulus,
            "TC stays set on every packet but the last."),
        Requirement(
            "M7-11", "7.2", .rule, .responder, .onWire,
            "A query with TC defers the answer 400-500 ms."),
        Requirement(
            "M7-12", "7.2", .must, .responder, .onWire,
            """
            Answers found in the follow-up packets from the same host are dropped from the planned \
            reply, unless another host also asked and is waiting.
            """),
        Requirement(
            "M7-13", "7.2", .should, .responder, .onWire,
            "Each further TC packet moves the reply to 400-500 ms after that packet."),
        Requirement(
            "M7-14", "7.3", .should, .querier, .onWireAfterStimulus,
            """
            If another host asks the same QM question and its known answers hold nothing this host \
            would not list, the own planned query counts as sent.
            """),
        Requirement(
            "M7-15", "7.4", .should, .responder, .onWire,
            """
            If another host sends the same record with TTL not below one's own, the own pending \
            answer counts as sent.
            """),
        Requirement(
            "M7-16", "7.4", .rule, .responder, .onWire,
            "That works on answers still waiting in their random delay (up to 500 ms)."),
        Requirement(
            "M8-1", "8", .must, .responder, .onWireAfterStimulus,
            """
            Probing and announcing run on start, wake from sleep, link change, or any sign that \
            connectivity changed.
            """),
        Requirement(
            "M8-2", "8", .rule, .responder, .onWire,
            """
            A responder normally has address records on each active interface (HINFO is optional).
            """),
        Requirement(
            "M8-3", "8.1", .must, .responder, .onWireAfterStimulus,
            "Every record meant to be unique is probed for with a query first."),
        Requirement(
            "M8-4", "8.1", .should, .responder, .onWireAfterStimulus,
            "Probe questions use the record's name and class with qtype ANY (255)."),
        Requirement(
            "M8-5", "8.1", .rule, .responder, .onWireAfterStimulus,
            "Several names may be probed in one message."),
        Requirement(
            "M8-6", "8.1", .proseShould, .responder, .onWireAfterStimulus,
            "The first probe waits a random 0-250 ms."),
        Requirement(
            "M8-7", "8.1", .proseShould, .responder, .onWireAfterStimulus,
            "Three probes, 250 ms apart."),
        Requirement(
            "M8-8", "8.1", .rule, .responder, .onWireAfterStimulus,
            "Announcing may begin 250 ms after the third probe if no conflict was received."),
        Requirement(
            "M8-9", "8.1", .mustNot, .responder, .onWireAfterStimulus,
            "Probing never uses cached data as a verdict; only live responses count."),
        Requirement(
            "M8-10", "8.1", .should, .responder, .onWire,
            "A host receiving a probe for a name in use answers immediately."),
        Requirement(
            "M8-11", "8.1", .should, .responder, .onWireAfterStimulus,
            "Probe questions have the QU bit."),
        Requirement(
            "M8-12", "8.1", .must, .responder, .onWireAfterStimulus,
            """
            A conflicting response between the first probe and 250 ms after the third makes the \
            prober give way.
            """),
        Requirement(
            "M8-13", "8.1", .should, .responder, .onWireAfterStimulus,
            "It then picks new names for some or all of its records."),
        Requirement(
            "M8-14", "8.1", .must, .responder, .onWireAfterStimulus,
            "Apparent conflicts received before the first probe left are ignored silently."),
        Requirement(
            "M8-15", "8.1", .must, .responder, .onWireAfterStimulus,
            """
            With qtype ANY probing, a response with any record of that name, whatever its type, is \
            a conflict.
            """),
        Requirement(
            "M8-16", "8.1", .must, .responder, .onWireAfterStimulus,
            "15 conflicts within any 10 s: at least 5 s wait before each further attempt."),
        Requirement(
            "M8-17", "8.1", .should, .responder, .onWireAfterStimulus,
            "Records that cannot be in use elsewhere (reverse address PTR) skip probing."),
        Requirement(
            "M8-18", "8.1", .shouldNot, .responder, .onWireAfterStimulus,
            "A proxy taking over a name that its owner already verified does not probe again."),
        Requirement(
            "M8-19", "8.2", .rule, .responder, .onWireAfterStimulus,
            """
            Proposed records stand in the Authority Section of the probe; one ANY question covers \
            all records of one name.
            """),
        Requirement(
            "M8-20", "8.2", .proseMust, .responder, .onWireAfterStimulus,
            "The Authority Section holds all records and rdata being probed for that name."),
        Requirement(
            "M8-21", "8.2", .rule, .responder, .onWireAfterStimulus,
            """
            On receiving another host's probe for the same name while probing, both record sets \
            are compared and the lexicographically later one wins.
            """),
        Requirement(
            "M8-22", "8.2", .rule, .responder, .onWireAfterStimulus,
            "The winner ignores the rival probe."),
        Requirement(
            "M8-23", "8.2", .rule, .responder, .onWireAfterStimulus,
            "The loser waits 1 s and starts probing for the same name again."),
        Requirement(
            "M8-24", "8.2", .rule, .codec, .internally,
            """
            Order of comparison: class without the top bit, then type, then raw rdata; greater \
            number is later.
            """),
        Requirement(
            "M8-25", "8.2", .must, .codec, .onWireAfterStimulus,
            "Names inside rdata are uncompressed before comparison."),
        Requirement(
            "M8-26", "8.2", .rule, .codec, .onWireAfterStimulus,
            """
            Bytes are compared as unsigned values; if one rdata is a prefix of the other the \
            longer one is later.
            """),
        Requirement(
            "M8-27", "8.2.1", .rule, .codec, .internally,
            """
            With several records both lists are sorted (class, type, rdata ascending) and compared \
            pairwise up to the first difference.
            """),
        Requirement(
            "M8-28", "8.2.1", .rule, .codec, .onWireAfterStimulus,
            "If one list runs out first without difference, the list with records left wins."),
        Requirement(
            "M8-29", "8.2.1", .rule, .responder, .onWireAfterStimulus,
            "Two equal lists: no conflict at all."),
        Requirement(
            "M8-30", "8.3", .must, .responder, .onWireAfterStimulus,
            """
            After probing an unsolicited response with all newly registered records (shared and \
            verified unique) in the Answer Section is sent.
            """),
        Requirement(
            "M8-31", "8.3", .proseShould, .responder, .onWireAfterStimulus,
            "If they do not fit, several packets are used."),
        Requirement(
            "M8-32", "8.3", .rule, .responder, .onWireAfterStimulus,
            "In announcements shared records have class 0x0001 and verified unique ones 0x8001."),
        Requirement(
            "M8-33", "8.3", .must, .responder, .onWireAfterStimulus,
            "At least two announcements, 1 s apart."),
        Requirement(
            "M8-34", "8.3", .may, .responder, .onWireAfterStimulus,
            "Up to eight announcements, if each gap is at least twice the previous."),
        Requirement(
            "M8-35", "8.3", .mustNot, .responder, .onWire,
            "No announcement without information that connectivity may have changed."),
        Requirement(
            "M8-36", "8.3", .mustNot, .responder, .onWire,
            "No regular periodic announcements."),
        Requirement(
            "M8-37", "8.3", .must, .responder, .onWire,
            "Any received response with a conflicting record is handled per section 9."),
        Requirement(
            "M8-38", "8.4", .must, .responder, .onWireAfterStimulus,
            "Changed rdata is announced anew."),
        Requirement(
            "M8-39", "8.4", .must, .responder, .onWireAfterStimulus,
            "A changed IP address means new announcement of the address records."),
        Requirement(
            "M8-40", "8.4", .rule, .responder, .onWireAfterStimulus,
            "An update does not need a new probing round."),
        Requirement(
            "M8-41", "8.4", .must, .responder, .onWireAfterStimulus,
            """
            Shared record with new rdata: first a goodbye (TTL 0) for the old rdata, then the new \
            one.
            """),
        Requirement(
            "M8-42", "8.4", .should, .responder, .onWireAfterStimulus,
            "Unique record with new rdata: no goodbye, the flush bit does the work."),
        Requirement(
            "M8-43", "8.4", .shouldNot, .responder, .onWireAfterStimulus,
            "No more than ten updates per minute for a record."),
    ]
}
