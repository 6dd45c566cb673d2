extension CommandSpecification {
    static let browse = CommandSpecification(
        name: "browse", arguments: "TYPE", argumentCount: 1...1,
        summary: "Show the services of a type as they come, change and go.",
        details: """
            TYPE is a service type such as _http._tcp, or one of its subtypes such as
            _printer._sub._http._tcp. Runs until it is interrupted, or as the options say.

            With --resolve a service of which only a part is known is listed with that part, and a
            line with ~ says when more or less of it is known.
            """,
        options: [
            OptionSpecification(
                name: "resolve", letter: "r",
                help: "Find host, port, addresses and TXT record of each service as well.")
        ] + NetworkOptions.place + [
            NetworkOptions.anyDomain,
            NetworkOptions.timeout("goes on for ever"), NetworkOptions.count("lines"),
            NetworkOptions.json(
                "event (added, changed, removed), instance, name, type, domain,\n"
                    + "interface; name is the whole one in the text form; instance is text,\n"
                    + "{\"hex\": …} where it is no text, an array of labels where it has\n"
                    + "several;\n"
                    + "with --resolve also state (resolved, noLocation, noAddress, unicastHost,\n"
                    + "notOffered), host, port, addresses, txt: an object of keys,\n"
                    + "each with its text, or null where there is no value, or\n"
                    + "{\"hex\": …} where the value is no text"),
        ],
        examples: [
            ("mdns browse _http._tcp", "Shows web servers until you press Ctrl-C."),
            ("mdns browse _ipp._tcp --resolve --timeout 5", "Shows printers and where they are."),
            (
                "mdns browse _ssh._tcp --count 1 --json --timeout 10",
                "Waits for one and prints it for a program; exit code 1 if none came."
            ),
        ])

    static let types = CommandSpecification(
        name: "types", argumentCount: 0...0,
        summary: "Show the types of service that are on the network.",
        options: NetworkOptions.place + [
            NetworkOptions.timeout("3"), NetworkOptions.count("types"),
            NetworkOptions.json("type, domain, interface"),
        ],
        examples: [
            ("mdns types", "Lists what there is, for three seconds."),
            ("mdns types -i eth0 --timeout 10", "Listens longer, on one interface."),
        ])

    static let resolve = CommandSpecification(
        name: "resolve", arguments: "NAME [TYPE]", argumentCount: 1...2,
        summary: "Find host, port, addresses and TXT record of one service.",
        details: """
            NAME is the name as a person reads it, without escapes: "My Web Server"; or hex: and
            its bytes, if it is no text. Without TYPE it is the whole name as "name" in the output
            of --json, dots and bytes that are no text escaped: My\\.Server._http._tcp.local,
            B\\252ro._http._tcp.local.
            """,
        options: NetworkOptions.place + [
            NetworkOptions.anyDomain, NetworkOptions.timeout("5"),
            NetworkOptions.json(
                "event, instance, name, type, domain, interface, state, host, port,\n"
                    + "addresses, txt; see mdns browse --help"),
        ],
        examples: [
            ("mdns resolve 'My Web Server' _http._tcp", "Says where it is."),
            ("mdns resolve -6 Printer _ipp._tcp --json", "Asks over IPv6, prints one object."),
        ])

    static let lookup = CommandSpecification(
        name: "lookup", arguments: "HOST|ADDRESS", argumentCount: 1...1,
        summary: "Find the addresses of a host, or the name to an address.",
        details: """
            HOST is a name such as printer.local; a name without a dot gets .local. Names of other
            domains belong to unicast DNS; an address may be any.
            --ipv4 and --ipv6 say over what to ask; both kinds of address are asked for.
            """,
        options: NetworkOptions.place + [
            NetworkOptions.anyDomain, NetworkOptions.timeout("3"), NetworkOptions.count("answers"),
            NetworkOptions.json("host, address, interface"),
        ],
        examples: [
            ("mdns lookup printer.local", "Prints its IPv4 and IPv6 addresses."),
            ("mdns lookup 192.168.1.20", "Prints the name to that address."),
        ])

    static let publish = CommandSpecification(
        name: "publish", arguments: "NAME TYPE PORT [KEY=VALUE...]", argumentCount: 0...4096,
        summary: "Offer services on the network until interrupted.",
        details: """
            KEY=VALUE goes into the service's TXT record; KEY alone is a key without value, KEY=
            one with an empty value, KEY=hex:00ff one with those bytes. If the name is taken,
            another is chosen and shown. At the end the service says goodbye.

            PORT 0 is that of a service which is listed but can't be reached, such
            as the _printer._tcp of a printer that speaks IPP only.

            With --from FILE there are no arguments; each line of FILE is a service as a JSON
            object with the keys instance, type, port and, if wanted, txt (an object of keys, each
            with its text, or null where there is no value, or {"hex": "00ff"}), subtypes, host,
            addresses, reverse (false: as --no-reverse), interfaces (an array of names), lenient.
            A bad line is named with its number, and all others are published. SIGHUP has FILE
            read again: what is the same stays untouched, other attributes and subtypes are
            announced, the rest is withdrawn or published. While a line is bad no service is
            withdrawn for want of its line.
            """,
        options: [
            OptionSpecification(
                name: "from", letter: "f", value: "FILE",
                help: "Offer the services that FILE lists, or the standard input if it is -."),
            OptionSpecification(
                name: "subtype", letter: "s", value: "NAME", isRepeatable: true,
                help: "Offer it under this subtype too: _printer, or just printer."),
            OptionSpecification(
                name: "host", value: "HOST",
                help: "Offer it in the name of another host, which has to be given --address\n"
                    + "unless it is on the link and answers for itself."),
            OptionSpecification(
                name: "address", letter: "a", value: "ADDRESS", isRepeatable: true,
                help: "An address of --host; may be repeated."),
            OptionSpecification(
                name: "no-reverse",
                help: "Do not publish that the addresses of --host lead to its name."),
            OptionSpecification(
                name: "lenient",
                help: "Publish a type that breaks the rules for service names all the same."),
            OptionSpecification(
                name: "host-suffix", value: "TEXT",
                help: "The suffix that keeps this host's name unique: NAME-TEXT.local."),
            OptionSpecification(
                name: "no-amplification-limit",
                help: "No budget of bytes for unicast answers: for measurements only."),
        ] + NetworkOptions.place + [
            NetworkOptions.timeout("goes on for ever"),
            NetworkOptions.json(
                "event (probing, established, limited, renamed, hostRenamed, failing,\n"
                    + "blocked, failed, withdrawn), instance, name, type, domain, host, port;\n"
                    + "where limited or blocked, failures: kind (sending, receiving,\n"
                    + "unusable), interface, families, errno, reason"),
        ],
        examples: [
            ("mdns publish 'My Web Server' _http._tcp 8080 path=/", "Offers a web server."),
            (
                "mdns publish Laser _ipp._tcp 631 --host laser.local --address 192.168.1.20",
                "Offers a printer that can't do so itself."
            ),
            (
                "mdns publish Laser _printer._tcp 0",
                "Lists it for those who look for LPD, which it does not speak."
            ),
            (
                "mdns publish --from /etc/services.jsonl",
                "Offers all that the file lists; 'kill -HUP' has it read again."
            ),
        ])

    static let query = CommandSpecification(
        name: "query", arguments: "NAME TYPE", argumentCount: 2...2,
        summary: "Ask for records, whatever they are.",
        details: """
            NAME is a full name, dots in a label written \\. as in My\\.Printer._ipp._tcp.local.
            TYPE is A, AAAA, PTR, SRV, TXT, NSEC, CNAME, HINFO, ANY, or a number.
            """,
        options: NetworkOptions.place + [
            NetworkOptions.anyDomain, NetworkOptions.timeout("3"), NetworkOptions.count("records"),
            NetworkOptions.json("event (added, removed), name, type, class, ttl, rdata, interface"),
        ],
        examples: [
            ("mdns query _services._dns-sd._udp.local PTR", "Asks which types there are."),
            ("mdns query printer.local ANY -n 1", "Shows one record of a host."),
        ])

    static let reconfirm = CommandSpecification(
        name: "reconfirm", arguments: "NAME [TYPE]", argumentCount: 1...2,
        summary: "Check whether a service, host or record is there; have it forgotten if not.",
        details: """
            NAME TYPE is a service as in 'mdns resolve' if TYPE is a type of service, else a full
            name and a record type as in 'mdns query'. NAME alone is a service by its whole name
            (My Printer._ipp._tcp), all services of a type (_ipp._tcp), a host (printer.local), or
            an address.

            Only its owner answers for a record, so nothing but an answer confirms it: the line
            'confirmed'. The owner itself may say that it has none: 'absent'. Without an answer in
            ten seconds the record is 'gone' (RFC 6762 §10.4).

            By then it has been asked for four times by multicast, and each program on the link
            that remembers the record and sees nobody answer drops it as well, by the standard
            ten seconds after the second time (§10.5). Three more questions, in another three
            seconds, have Avahi drop it, unless it is asking itself. So a dead printer vanishes
            from lists that might show it for another 75 minutes. Programs that leave out this
            part of the standard keep it. What is confirmed stays as it is.

            Exit code 0 if all is confirmed (of a host, an address of either kind), else 1.
            """,
        options: NetworkOptions.place + [
            NetworkOptions.anyDomain,
            NetworkOptions.json(
                "event (confirmed, absent, gone), name, type, ttl, rdata, interface;\n"
                    + "ttl, rdata and interface only where they are known"),
        ],
        examples: [
            ("mdns reconfirm 'Old Printer' _ipp._tcp", "Has a dead printer forgotten by all."),
            ("mdns reconfirm printer.local -i eth0", "Checks a host on one interface."),
            ("mdns reconfirm printer.local AAAA --json", "Checks its IPv6 address, for a program."),
        ])

    static let monitor = CommandSpecification(
        name: "monitor", argumentCount: 0...0,
        summary: "Show every multicast DNS packet, as it comes.",
        details: """
            Sends nothing but what joining the group takes. With --stats each counter is a line:
            name, number, what was counted; those of answers, conflicts and the cache concern what
            a program does itself, so that a mere listener counts none.
            """,
        options: NetworkOptions.place + [
            OptionSpecification(
                name: "stats",
                help: "Count instead of showing, and print the counters at the end."),
            NetworkOptions.timeout("goes on for ever"), NetworkOptions.count("packets"),
            NetworkOptions.json(
                "of mdns decode, and interface; with --stats one object,\n"
                    + "a key for each counter"),
        ],
        examples: [
            ("mdns monitor -i eth0", "Shows the traffic on one interface."),
            ("mdns monitor --stats --timeout 60", "Counts for a minute."),
        ])

    static let demo = CommandSpecification(
        name: "demo", argumentCount: 0...0,
        summary: "Show it all at work on this machine's loopback, without a network.",
        details: """
            Two nodes in this process publish two services and find, resolve and look them up over
            real multicast on the interface lo. Each packet sent or received is a line. Takes a
            few seconds; exit code 3, with the reason, if multicast is blocked.
            """,
        options: [
            OptionSpecification(name: "ipv4", letter: "4", help: "Only over IPv4."),
            OptionSpecification(name: "ipv6", letter: "6", help: "Only over IPv6."),
        ],
        examples: [("mdns demo", "Runs it.")])
}
