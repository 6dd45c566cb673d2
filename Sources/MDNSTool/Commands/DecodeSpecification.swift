extension CommandSpecification {
    static let decode = CommandSpecification(
        name: "decode", arguments: "FILE", argumentCount: 0...1,
        summary: "Show the multicast DNS packets of a capture.",
        details: """
            FILE is a pcap or pcapng file, - is the standard input. Shown is what is on UDP port
            5353, on either side, over Ethernet (with VLAN tags), Linux cooked capture, raw IP,
            BSD loopback, and 802.11. The first packet has its date, the others the time since.

            Exit code 4: the input was damaged or incomplete; a line for each kind of damage says
            where in the file it begins, and what came before it is shown.

            With --json a line is an object, and an object a packet:

              frame, time              number in the file, from 1; seconds since 1970 (null
                                       where the file does not say)
              src, dst, sport, dport   addresses and ports
              udp_payload_len          bytes that are there
              udp_length_field         only where the UDP header says otherwise: its length field
              id, flags, counts        of the header; flags are its 16 bits, counts its 4 numbers
              records                  section, offset (from the message's first byte), name,
                                       type, class (15 bits), class_top_bit (cache-flush, or for a
                                       question unicast response wanted), ttl, rdlength, rdata;
                                       the last three not for questions; rdata is null where the
                                       data was refused
              records of type OPT      section, offset, name, type, rdlength, udp_payload_size,
                                       extended_rcode, version, flags, options (code, hex)
              malformed, skipped       whether anything was skipped, and what: section, index,
                                       offset, reason; what the snap length cut off is listed,
                                       but does not count as malformed

              rdata of A, AAAA         address
                       PTR, CNAME      target
                       SRV             priority, weight, port, target
                       TXT             strings
                       NSEC            next_name, types (numbers)
                       HINFO           cpu, os
                       other types     hex: the bytes, names in them uncompressed

            Strings are text, or {"hex": ...} where they are not UTF-8. In names a dot and a
            backslash inside a label have a backslash before them, control bytes and bytes that
            are not UTF-8 are \\DDD; there is no final dot, and the root is ".". With --message
            the keys before udp_payload_len are left out.
            """,
        options: [
            OptionSpecification(
                name: "message", value: "FILE",
                help: "Show one bare DNS message, without IP and UDP headers."),
            OptionSpecification(
                name: "json", help: "An object a packet and a line, as described above."),
        ],
        examples: [
            ("mdns decode lan.pcap", "Shows what was said."),
            ("tcpdump -w - -i eth0 udp port 5353 | mdns decode -", "Shows it as it comes."),
            ("mdns decode --json lan.pcap | jq .records[].name", "Hands it to another program."),
            ("mdns decode --message query.bin", "Shows one message."),
        ])
}
