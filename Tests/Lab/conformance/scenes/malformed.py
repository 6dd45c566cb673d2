"""Damaged messages: nothing comes of them, and the device goes on."""
import struct

from check import scene
from message import name, q, rr, wire

HEADER = b"\0\0\0\0\0\1\0\0\0\0\0\0"


def cases(s):
    """Per check: the payloads, and whether they could be answered in part."""
    mine = s.device.instance
    good = q(mine, "SRV", True)

    def header(*counts, flags=0):
        return struct.pack("!6H", 0, flags, *counts)

    tail = b"\0\x21\x80\1"
    bomb = b"".join(bytes([63]) + b"x" * 63 + bytes([0xC0, 12]) for _ in range(6))
    answer = rr(mine, "SRV", 120, b"\0\0\0\0")
    return {
        "D-1": [b"", b"\0", HEADER[:11]],
        "D-3": [HEADER + b"\xc0\x0c" + tail, HEADER + b"\1a\xc0\x0c" + tail,
                header(2, 0, 0, 0) + b"\xc0\x10\0\x21\0\1\xc0\x0c\0\x21\0\1"],
        "D-4": [HEADER + b"\xc0\x20" + tail + b"\0" * 20, HEADER + b"\xff\xff" + tail,
                HEADER + b"\xc0\x00" + tail],
        "D-5": [HEADER + b"\x3fabc", HEADER + b"\xc0", HEADER + b"\4local"],
        "D-6": [HEADER + b"\x41\1\0" + tail, HEADER + b"\x80\1\0" + tail],
        "D-7": [HEADER + (b"\x3f" + b"y" * 63) * 5 + b"\0" + tail, HEADER + bomb + b"\0" + tail],
        "D-9": [header(1, 1, 0, 0) + good + wire(mine) + b"\0\x21\0\1\0\0\0\x78\xff\xff"],
        "D-10": [HEADER[:4] + b"\0\1\0\1\0\0\0\0" + good, header(3, 0, 0, 0) + good],
        "D-11": [header(0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF), header(0, 0, 0, 0xFFFF, flags=0x8400)],
        "D-12": [header(0, 1, 0, 0, flags=0x8400) + rr(s.device.host, "A", 120, b"\1\2\3", True)],
        "D-13": [header(0, 1, 0, 0, flags=0x8400) + answer],
        "D-14": [header(0, 1, 0, 0, flags=0x8400) + rr(mine, "TXT", 120, b"\xffabc", True)],
        "D-15": [header(0, 1, 0, 0, flags=0x8400) + rr(mine, "NSEC", 120, wire(mine) + b"\0\xff",
                                                       True)],
        "D-23": [header(0, 0, 0, 0), header(0, 1, 0, 0) + rr(mine, "TXT", 4500, b"\0")],
        "D-25": [b'{"method":"ping","params":[1,2,3]}', b"\x16\3\1\2\0\1\0\1\xfc\3\3" + b"z" * 80,
                 b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n\r\n"],
        "D-28": [header(40, 0, 0, 0) + q(name("nobody", "local"), "A", True) * 40,
                 header(0, 100, 0, 0, flags=0x8400) + b"".join(
                     rr(name(f"flood-{i}", "local"), "A", 120, b"\1\2\3\4") for i in range(40))],
    }


TITLES = {
    "D-1": "shorter than a header", "D-3": "names with pointers that loop",
    "D-4": "pointers forward, beyond the end, and into the header",
    "D-5": "labels and pointers cut short", "D-6": "labels of reserved kinds",
    "D-7": "names that are too long, by labels and by pointers",
    "D-9": "rdata beyond the end", "D-10": "fewer questions and records than the counts say",
    "D-11": "counts of 65535", "D-12": "an A record of three bytes",
    "D-13": "an SRV record of four bytes", "D-14": "a TXT string beyond its record",
    "D-15": "an NSEC record without its bitmap", "D-23": "queries without a question",
    "D-25": "JSON, TLS and SSDP", "D-28": "forty questions and a hundred records"}


@scene("malformed", "damaged messages, and after each kind a good QU query",
       *((id, f"{title}: no answer to it, no probe; the device is alive")
         for id, title in TITLES.items()),
       device="standard", families=(4, 6))
def malformed(s):
    mine = s.device.instance
    s.ask((mine, "SRV")).answer(mine, "SRV")
    # Of two kinds, so that a late answer to a good query is none to the next damaged message.
    bad, good = s.peer(), s.peer()
    for id, payloads in cases(s).items():
        mark, packets = s.link.mark(), []
        for payload in payloads:
            packets.append(s.send(payload, peer=bad).packet)
        sight = s.ask((mine, "SRV", True), peer=good)
        alive = sight.answer(mine, "SRV", 0.6)
        said = [p for p in s.heard(mark) if p is not alive and (
            p.response and p.destination == bad.address(s.family)
            or p.query and p.message.authority)]
        if id in ("D-9", "D-10"):               # a query keeps the questions before the fault
            said = [p for p in said if p.query]
        s.verdict(id, alive is not None and not said, packets + [sight.packet, alive] + said)


@scene("malformed", "each good message cut at every byte: a query, a probe, a response",
       ("D-10.cut", "the device is alive after all of them, and has not probed"),
       device="standard", families=(4, 6))
def cut(s):
    mine = s.device.instance
    peer = s.peer()
    whole = [b"\0\0\0\0\0\1\0\0\0\1\0\0" + q(mine, "ANY", True) + rr(mine, "TXT", 1, b"\1a"),
             b"\0\0\x84\0\0\0\0\1\0\0\0\0" + rr(name("x", "local"), "NSEC", 9,
                                                wire(name("x", "local")) + b"\0\1\x40")]
    mark = s.link.mark()
    for data in whole:
        for size in range(0, len(data), 3):
            peer.send(data[:size], s.family)
    sight = s.ask((mine, "SRV", True))
    alive = sight.answer(mine, "SRV", 0.8)
    probed = s.heard(mark, lambda p: p.query and p.message.authority)
    s.verdict("D-10.cut", alive is not None and not probed, [sight.packet, alive] + probed)
