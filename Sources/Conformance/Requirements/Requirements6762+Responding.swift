extension Requirements6762 {
    /// RFC 6762 section 6: responding.
    static let responding: [Requirement] = [
        Requirement(
            "M6-1", "6", .proseMust, .responder, .onWire,
            "A response carries only records for which the sender is itself authoritative."),
        Requirement(
            "M6-2", "6", .mustNot, .responder, .onWire,
            """
            Records learned from others never appear in the resource record sections of a \
            response.
            """),
        Requirement(
            "M6-3", "6", .must, .both, .onWire,
            """
            Matching: names equal; type equal, or qtype ANY (255), or record is CNAME; class equal \
            (flag bit masked), or qclass ANY (255). Valid for every class in use.
            """),
        Requirement(
            "M6-4", "6", .must, .responder, .onWire,
            """
            Nothing is sent unless there is a real answer or certain knowledge that the record \
            does not exist.
            """),
        Requirement(
            "M6-5", "6", .must, .responder, .onWire,
            """
            For a name owned alone, a query for a missing type is answered with a negative answer \
            (NSEC).
            """),
        Requirement(
            "M6-6", "6", .mustNot, .responder, .onWire,
            "No NXDOMAIN or other error reply for shared records."),
        Requirement(
            "M6-7", "6", .mustNot, .responder, .onWire,
            "A multicast response has no question (qdcount 0)."),
        Requirement(
            "M6-8", "6", .must, .querier, .onWireAfterStimulus,
            """
            Questions found in a received response are ignored without a fuss; the records are \
            used.
            """),
        Requirement(
            "M6-9", "6", .should, .responder, .onWire,
            "The responder can hold back a response for up to 500 ms."),
        Requirement(
            "M6-10", "6", .shouldNot, .responder, .onWire,
            """
            No random delay when it surely is the only one to answer: all questions in the message \
            answerable and all answers verified unique.
            """),
        Requirement(
            "M6-11", "6", .should, .responder, .onWire,
            "In that case the reply leaves within 10 ms."),
        Requirement(
            "M6-12", "6", .rule, .responder, .onWire,
            """
            A query is a probe if its Authority Section holds a record that answers one of its \
            questions.
            """),
        Requirement(
            "M6-13", "6", .should, .responder, .onWire,
            """
            If others may answer too (shared sets), the reply waits a uniformly random 20-120 ms.
            """),
        Requirement(
            "M6-14", "6", .should, .responder, .onWire,
            "If the query has TC set, the reply waits a uniformly random 400-500 ms."),
        Requirement(
            "M6-15", "6", .must, .responder, .onWire,
            "Responses have UDP source port 5353."),
        Requirement(
            "M6-16", "6", .must, .both, .onWireAfterStimulus,
            "Responses from a source port other than 5353 are dropped silently."),
        Requirement(
            "M6-17", "6", .must, .responder, .onWire,
            """
            Responses go to port 5353 of 224.0.0.251 or FF02::FB unless unicast was asked for by \
            the QU bit, by a legacy query, or by a direct unicast query.
            """),
        Requirement(
            "M6-18", "6", .mustNot, .responder, .onWire,
            "Outside those three cases no unicast response is sent."),
        Requirement(
            "M6-19", "6", .must, .querier, .onWireAfterStimulus,
            """
            A unicast response is used only if it answers a query sent a short time ago (2 s as \
            guide) that asked for unicast.
            """),
        Requirement(
            "M6-20", "6", .must, .querier, .onWireAfterStimulus,
            "All other unicast responses are dropped silently."),
        Requirement(
            "M6-21", "6", .mustNot, .responder, .onWire,
            """
            A record is not multicast again on an interface within 1 s of its last multicast there \
            (probe answers excepted).
            """),
        Requirement(
            "M6-22", "6", .must, .responder, .onWire,
            "An answer to a probe goes out fast."),
        Requirement(
            "M6-23", "6", .rule, .responder, .onWire,
            """
            A multicast defence only needs 250 ms since that record's last multicast on the \
            interface.
            """),
        Requirement(
            "M6-24", "6.1", .must, .responder, .onWire,
            """
            Query for a missing type of a name whose exclusive ownership was verified: reply with \
            an NSEC record (unless types above 255 exist, M6-30).
            """),
        Requirement(
            "M6-25", "6.1", .may, .responder, .onWire,
            """
            With a positive unique answer, an NSEC for the other types may go in the Additional \
            Section.
            """),
        Requirement(
            "M6-26", "6.1", .may, .codec, .onWireAfterStimulus,
            "The full NSEC form (bitmaps for 65,536 types) may be implemented."),
        Requirement(
            "M6-27", "6.1", .required, .codec, .onWireAfterStimulus,
            "Only the restricted NSEC form has to be understood."),
        Requirement(
            "M6-28", "6.1", .must, .codec, .onWire,
            """
            Restricted form, made and read correctly: next name = own name (2 bytes when \
            compressed), block number 0, block length 1-32, then that many bitmap bytes.
            """),
        Requirement(
            "M6-29", "6.1", .mustNot, .responder, .onWireAfterStimulus,
            "No restricted NSEC for a name that has a type above 255."),
        Requirement(
            "M6-30", "6.1", .must, .responder, .onWireAfterStimulus,
            "In that case either no NSEC at all or a full NSEC with all blocks right."),
        Requirement(
            "M6-31", "6.1", .should, .querier, .onWireAfterStimulus,
            "A next-name that differs from the owner is ignored and the rest of the NSEC used."),
        Requirement(
            "M6-32", "6.1", .mustNot, .querier, .onWireAfterStimulus,
            "An NSEC is not refused because of its next-name."),
        Requirement(
            "M6-33", "6.1", .may, .querier, .onWireAfterStimulus,
            """
            An NSEC with more than one block, a block number other than 0, or a length outside \
            1-32 may be ignored as a whole.
            """),
        Requirement(
            "M6-34", "6.1", .mustNot, .both, .onWireAfterStimulus,
            "A message is not dropped because it has an NSEC that cannot be parsed."),
        Requirement(
            "M6-35", "6.1", .mustNot, .responder, .onWire,
            "The bitmap never has the NSEC (47) bit set."),
        Requirement(
            "M6-36", "6.1", .should, .responder, .onWire,
            "NSEC TTL = the TTL the missing record would have had (address types: 120 s)."),
        Requirement(
            "M6-37", "6.1", .must, .responder, .onWire,
            "Negative answers only for names, types and classes the host really owns."),
        Requirement(
            "M6-38", "6.1", .rule, .responder, .onWireAfterStimulus,
            """
            Ownership of all types of a name comes from prior certainty (reverse address names) or \
            from probing with qtype ANY; a type-specific probe owns that type only.
            """),
        Requirement(
            "M6-39", "6.2", .must, .responder, .onWireAfterStimulus,
            """
            When sending its address records a host sends all addresses valid on that interface.
            """),
        Requirement(
            "M6-40", "6.2", .mustNot, .responder, .onWireAfterStimulus,
            "Addresses of other interfaces are not sent."),
        Requirement(
            "M6-41", "6.2", .should, .responder, .onWire,
            """
            An A answer takes the AAAA records of that name along as additionals, and the reverse, \
            space permitting.
            """),
        Requirement(
            "M6-42", "6.2", .should, .responder, .onWire,
            "If the host has only one family, the matching NSEC goes in the Additional Section."),
        Requirement(
            "M6-43", "6.2", .mustNot, .responder, .onWireAfterStimulus,
            """
            A responder that treats v4 and v6 of one interface as two interfaces sends no such \
            automatic NSEC.
            """),
        Requirement(
            "M6-44", "6.3", .must, .responder, .onWire,
            """
            Queries with several questions are handled; any or all of those with answers are \
            answered.
            """),
        Requirement(
            "M6-45", "6.3", .should, .responder, .onWire,
            """
            Answers to a multi-question query wait 20-120 ms, or 400-500 ms with TC, even when \
            unique.
            """),
        Requirement(
            "M6-46", "6.3", .rule, .responder, .onWire,
            "Answers that defend a name against a probe are exempt and go at once."),
        Requirement(
            "M6-47", "6.4", .should, .responder, .onWire,
            "As many answers as possible share one response message."),
        Requirement(
            "M6-48", "6.4", .should, .responder, .onWire,
            """
            An answer due earlier may wait up to 500 ms more so that it can join others due a \
            little later.
            """),
        Requirement(
            "M6-49", "6.5", .must, .responder, .onWire,
            "qtype ANY and/or qclass ANY gets all matching records, not a selection."),
        Requirement(
            "M6-50", "6.6", .rule, .responder, .onWire,
            """
            Another host's record with same name/type/class but other rdata: no matter if own \
            record is shared.
            """),
        Requirement(
            "M6-51", "6.6", .must, .responder, .onWire,
            "Same, but own record is unique: handled as a conflict (section 9)."),
        Requirement(
            "M6-52", "6.6", .rule, .responder, .onWire,
            "Another host's identical record with TTL at least half of the true TTL: no action."),
        Requirement(
            "M6-53", "6.6", .must, .responder, .onWire,
            """
            Identical record with TTL under half: the host marks its record to be multicast \
            (announced) again.
            """),
        Requirement(
            "M6-54", "6.7", .must, .responder, .onWire,
            """
            A query from a source port other than 5353 gets a UDP reply by unicast to that address \
            and port.
            """),
        Requirement(
            "M6-55", "6.7", .must, .responder, .onWire,
            "That reply is in conventional DNS form: it repeats the query ID and the question."),
        Requirement(
            "M6-56", "6.7", .mustNot, .responder, .onWire,
            "No cache-flush bit in legacy replies."),
        Requirement(
            "M6-57", "6.7", .shouldNot, .responder, .onWire,
            "Legacy reply TTLs are at most 10 s."),
    ]
}
