extension RequirementsOfPractice {
    /// What a strict decoder refuses, and how much of the message goes with it.
    static let malformed: [Requirement] = [
        Requirement(
            "D-1", "", .rule, .codec, .onWire,
            "Fewer than 12 bytes; empty datagram: message."),
        Requirement(
            "D-2", "", .rule, .codec, .onWire,
            "OPCODE or RCODE not 0 (M18): message."),
        Requirement(
            "D-3", "", .rule, .codec, .onWire,
            """
            Pointer to itself; two pointers to each other; chain that returns: record (the name \
            ends where its first pointer ends, so the record after it is found).
            """),
        Requirement(
            "D-4", "", .rule, .codec, .onWire,
            """
            Pointer to its own name's start or forward; beyond the end of the message; into the \
            header (offset under 12): as D-3.
            """),
        Requirement(
            "D-5", "", .rule, .codec, .onWire,
            """
            Pointer cut after its first byte; label that runs past the message end: record if in \
            rdata; rest if in a question or owner name (its end is unknown); a pointer's second \
            byte missing at the end of the message: rest.
            """),
        Requirement(
            "D-6", "", .rule, .codec, .onWire,
            """
            Label type bits 01 or 10 (EDNS binary labels included): record if in rdata; rest if in \
            a question or owner name (its end is unknown).
            """),
        Requirement(
            "D-7", "", .rule, .codec, .onWire,
            """
            Name over 255 bytes + zero after expansion, be it by labels or by many pointers \
            ("compression bomb"); more than 128 jumps: as D-3.
            """),
        Requirement(
            "D-8", "", .rule, .codec, .onWire,
            """
            Name in rdata that runs beyond RDLENGTH before its zero or pointer, though inside the \
            message: record.
            """),
        Requirement(
            "D-9", "", .rule, .codec, .onWire,
            "RDLENGTH beyond the message end: rest."),
        Requirement(
            "D-10", "", .rule, .codec, .onWire,
            """
            Question or record header (10 bytes) cut short; counts larger than the data holds: \
            rest; a query keeps the questions read before the fault.
            """),
        Requirement(
            "D-11", "", .rule, .codec, .onWire,
            """
            Counts that promise more records than could fit (each needs at least 11 bytes, each \
            question 5): must not drive allocation: message.
            """),
        Requirement(
            "D-12", "", .rule, .codec, .onWire,
            "A with RDLENGTH other than 4; AAAA other than 16: record."),
        Requirement(
            "D-13", "", .rule, .codec, .onWire,
            """
            SRV under 7 bytes; PTR/CNAME/NS with rdata longer than the name (left-over bytes): \
            record.
            """),
        Requirement(
            "D-14", "", .rule, .codec, .onWire,
            """
            TXT with a string length byte past RDLENGTH: record (some stacks keep the good \
            strings; choose one and test it).
            """),
        Requirement(
            "D-15", "", .rule, .codec, .onWire,
            """
            NSEC: no bitmap where the length says so, block length 0 or over 32, block cut short, \
            blocks out of order: record only, never the message (M6-34).
            """),
        Requirement(
            "D-16", "", .rule, .codec, .onWire,
            """
            OPT with owner not root, in the wrong section, twice, or with options not adding up: \
            OPT ignored; twice: message.
            """),
        Requirement(
            "D-17", "", .rule, .codec, .onWire,
            "QTYPE-only types (ANY 255, AXFR 252, IXFR 251) or type 0 as a record: record."),
        Requirement(
            "D-18", "", .rule, .codec, .onWire,
            """
            Class (15 bits) not IN in a record: record, unless other classes are supported (then \
            M6-3); never read as IN.
            """),
        Requirement(
            "D-19", "", .rule, .codec, .onWire,
            "Class 255 or TTL with the top bit set in a record: record."),
        Requirement(
            "D-20", "", .rule, .both, .onWire,
            """
            PTR / SRV / CNAME pointing to itself (owner = rdata name): record ignored for \
            resolving; cap CNAME chains (8 or so).
            """),
        Requirement(
            "D-21", "", .rule, .both, .onWire,
            """
            Response from a source port other than 5353; unicast response not asked for; off-link \
            source on a unicast response: message.
            """),
        Requirement(
            "D-22", "", .rule, .both, .onWire,
            """
            Datagram over 9000 bytes (with headers), or with IP options / source that is \
            multicast, broadcast or unspecified: message.
            """),
        Requirement(
            "D-23", "", .rule, .both, .onWire,
            """
            Query with qdcount 0 and no known-answer context (no earlier TC packet from that \
            address): message.
            """),
        Requirement(
            "D-24", "", .rule, .codec, .onWire,
            """
            Zero-length label inside a name can't occur on the wire (ends the name): what follows \
            is then read as type/class - must not crash: as parsed.
            """),
        Requirement(
            "D-25", "", .rule, .codec, .onWire,
            """
            Not DNS at all (JSON text, TLS hello, SSDP and the like arrive on 5353 in real \
            networks): message, no log flood.
            """),
        Requirement(
            "D-26", "", .rule, .codec, .onWire,
            """
            Label bytes that are not valid UTF-8: keep as bytes for DNS comparison; refuse or \
            escape only where the API needs text.
            """),
        Requirement(
            "D-27", "", .rule, .codec, .onWire,
            """
            NUL, control characters, `.` or `\\` in labels: keep; escape in text forms (no \
            C-string handling).
            """),
        Requirement(
            "D-28", "", .rule, .both, .onWire,
            """
            Resource floods: thousands of records per message / names per second: bounded cache, \
            bounded work, oldest not-asked-for data first out.
            """),
    ]

    /// What real devices send and what is made of it.
    static let tolerated: [Requirement] = [
        Requirement(
            "A-1", "", .rule, .codec, .onWire,
            """
            Response with questions (several embedded stacks echo the query): use the records, \
            ignore the questions (M6-8).
            """),
        Requirement(
            "A-2", "", .rule, .codec, .onWire,
            """
            AA = 0, RD/RA/AD/CD/Z/TC set, ID not 0 in multicast responses: ignore the bits and the \
            ID (M18).
            """),
        Requirement(
            "A-3", "", .rule, .codec, .onWire,
            "Header-only response (12 bytes, all counts 0): valid, nothing to do."),
        Requirement(
            "A-4", "", .rule, .codec, .onWire,
            """
            TXT with RDLENGTH 0, or with empty strings between good ones: no attributes / skip the \
            empty ones.
            """),
        Requirement(
            "A-5", "", .rule, .codec, .onWire,
            """
            TXT strings without `=`, non-UTF-8 values, keys over nine characters, repeated keys: \
            per S6; keep bytes.
            """),
        Requirement(
            "A-6", "", .rule, .codec, .onWire,
            """
            NSEC with a bad or forward pointer, two-byte block/length fields, or next-name in full \
            (known from loudspeakers, lamp hubs, vacuum cleaners, old library versions, and from \
            reflectors that copy rdata without fixing pointers): skip that record, keep the \
            PTR/SRV/TXT/A beside it.
            """),
        Requirement(
            "A-7", "", .rule, .codec, .onWire,
            "NSEC with the NSEC bit set, or TTL unlike the address TTL: use."),
        Requirement(
            "A-8", "", .rule, .codec, .onWire,
            "SRV target or PTR rdata without compression; owner names without compression: use."),
        Requirement(
            "A-9", "", .rule, .codec, .onWire,
            """
            No cache-flush bit on unique records; flush bit on shared PTR: use; be careful to \
            flush only what has the same name/type/class; tester reports it.
            """),
        Requirement(
            "A-10", "", .rule, .codec, .onWire,
            """
            Mixed flush bits within a set, or a set spread over packets up to 1 s apart: 1 s grace \
            handles it.
            """),
        Requirement(
            "A-11", "", .rule, .codec, .onWire,
            """
            Trailing bytes after the last counted record: ignore them, count in statistics (strict \
            mode: report).
            """),
        Requirement(
            "A-12", "", .rule, .codec, .onWire,
            """
            A/AAAA with owner root or SRV with target root from half-configured gateways: record \
            is harmless: cache-neutral, never resolve the root.
            """),
        Requirement(
            "A-13", "", .rule, .codec, .onWire,
            """
            Host names without `local` (single label) as SRV target or A owner: keep as is; do not \
            append anything.
            """),
        Requirement(
            "A-14", "", .rule, .codec, .onWire,
            """
            Service names over 15 characters, with inner underscores, or capitals; `_tcp` in \
            capitals: browse and resolve them; refuse only in own registrations.
            """),
        Requirement(
            "A-15", "", .rule, .codec, .onWire,
            """
            IP TTL other than 255 (1, 64) on multicast packets: accept when sent to the group \
            (M11-3).
            """),
        Requirement(
            "A-16", "", .rule, .both, .onWire,
            "Queries from ephemeral ports with QU bit, RD or OPT: legacy reply."),
        Requirement(
            "A-17", "", .rule, .both, .onWire,
            """
            QU bit on every retransmission; QM probes; probes with qtype SRV/A instead of ANY; \
            probes without authority records: answer; defend.
            """),
        Requirement(
            "A-18", "", .rule, .both, .onWire,
            """
            TTLs such as 10, 60, 3600, 255, 4500 for all; TTL 0 in additionals: obey as given; \
            floor of about 1-2 s for refresh planning so that tiny TTLs make no query storm.
            """),
        Requirement(
            "A-19", "", .rule, .both, .onWire,
            "Goodbye for the PTR only, or for SRV/TXT only: remove what is named."),
        Requirement(
            "A-20", "", .rule, .both, .onWire,
            """
            Same datagram twice (bridges, two interfaces, access points), also own packets looped \
            back: idempotent; own packets recognised and never a conflict when identical.
            """),
        Requirement(
            "A-21", "", .rule, .both, .onWire,
            """
            Answers placed in the Additional or Authority Section only; ANY answered with one \
            type: use records from any section of a response.
            """),
        Requirement(
            "A-22", "", .rule, .both, .onWire,
            """
            Responders that send no negative answers at all (a widely used Linux daemon among \
            them): time out in about 2-3 s for the missing family, do not block the other.
            """),
        Requirement(
            "A-23", "", .rule, .both, .onWire,
            "Whole response in a fragmented or jumbo datagram: accept up to 9000 bytes."),
        Requirement(
            "A-24", "", .rule, .both, .onWire,
            "Known-answer packets of 0 questions with TC clear after a TC query: per M7."),
        Requirement(
            "A-25", "", .rule, .codec, .onWire,
            "OPT in queries and responses with unknown options: ignore the options."),
        Requirement(
            "A-26", "", .rule, .codec, .onWire,
            "Names in other ASCII case than asked: equal."),
        Requirement(
            "A-27", "", .rule, .codec, .onWire,
            """
            Instance labels with trailing spaces, leading dots, emoji, decomposed accents: show as \
            sent, compare bytes.
            """),
        Requirement(
            "A-28", "", .rule, .codec, .onWire,
            "SRV port 0 (a name that is only reserved): report as not usable, not an error."),
    ]
}
