"""Which responses a device believes (RFC 6762 sections 6, 10.2, 11, 18; RFC 6763 section 6)."""
import struct
import time

from check import Inconclusive, scene
from message import QR, AA, name, nsec, ptr, response, rr, srv, txt, wire

from .querying import first_query, pointer

FAR = {4: "192.0.2.9", 6: "2001:db8::9"}
USED = {
    "M18-1": "a response that nobody asked for", "M18-2": "one with ID 4660",
    "M18-6": "one with another ID", "M18-15": "one with AA clear",
    "M18-18": "one with TC set", "M18-21.response": "one with RD set",
    "M18-23.response": "one with RA set", "M18-25.response": "one with Z set",
    "M18-27.response": "one with AD set", "M18-29.response": "one with CD set",
    "M6-8": "one that has a question", "A-21.authority": "a record of the authority section",
    "A-21": "a record of the additional section", "M11-3": "one to the group from another subnet",
    "A-15": "one with a hop limit of 1", "M6-34": "one that has a broken NSEC record, too",
    "M18-40": "a PTR record with its rdata compressed", "A-26": "one in capitals",
    "A-9": "one with a cache-flush bit on PTR", "A-11.response": "one with bytes after it",
    "M10-18.response": "one with an OPT record", "A-27": "a label with a space at its end",
    "D-12.rest": "a record after an A record of three bytes",
    "D-17.rest": "a record after one of type ANY"}
IGNORED = {
    "M6-16.response": "one from source port 5354", "M18-11.used": "one with opcode 5",
    "M18-31.used": "one with rcode 3", "M11-2.used": "one by unicast from outside the link",
    "M7-6.used": "a known answer in another host's query",
    "D-18": "a PTR record of class 3", "M10-4.unknown": "a record with TTL 0",
    "D-11.used": "one whose counts promise 65535 records"}


@scene("receiving", "PTR records, each with a name of its own, while the device browses",
       *((id, f"{what}: found") for id, what in USED.items()),
       *((id, f"{what}: not found") for id, what in IGNORED.items()),
       families=(4, 6))
def responses(s):
    watch = s.device.browse()
    first_query(s, s.device.type)
    time.sleep(1.6)             # the second query is out, and asks for no unicast
    kind, to = s.device.type, s.device.address(s.family)

    def one(label, **more):
        label = label if isinstance(label, bytes) else label.encode()
        return rr(kind, "PTR", more.pop("ttl", 4500), ptr(name(label, kind)), **more)

    def tell(label_, **more):
        flags = more.pop("bits", QR | AA)
        return s.tell(one(label_), flags=flags, **more)

    opt = b"\0" + b"\0\x29\x05\xa0" + b"\0\0\0\0" + b"\0\0"
    broken = rr(name("x", "local"), "NSEC", 120, wire(name("x", "local")) + b"\0\xff\1")
    upper = tuple(x.upper() for x in kind)
    label = b"M18-40"
    squeezed = wire(kind) + struct.pack("!HHIH", 12, 1, 4500, len(label) + 3) \
        + bytes([len(label)]) + label + b"\xc0\x0c"
    ways = {
        "M18-1": lambda i: tell(i), "M18-2": lambda i: tell(i, id=0x1234),
        "M18-6": lambda i: tell(i, id=1), "M18-15": lambda i: tell(i, bits=QR),
        "M18-18": lambda i: tell(i, bits=QR | AA | 0x200),
        "M18-21.response": lambda i: tell(i, bits=QR | AA | 0x100),
        "M18-23.response": lambda i: tell(i, bits=QR | AA | 0x80),
        "M18-25.response": lambda i: tell(i, bits=QR | AA | 0x40),
        "M18-27.response": lambda i: tell(i, bits=QR | AA | 0x20),
        "M18-29.response": lambda i: tell(i, bits=QR | AA | 0x10),
        "M6-8": lambda i: tell(i, questions=[wire(kind) + b"\0\x0c\0\1"]),
        "A-21.authority": lambda i: s.tell(authority=[one(i)]),
        "A-21": lambda i: s.tell(additional=[one(i)]),
        "M11-3": lambda i: tell(i, source=FAR[s.family]),
        "A-15": lambda i: tell(i, hops=1),
        "M6-34": lambda i: s.tell(broken, one(i)),
        "M18-40": lambda i: s.tell(squeezed),
        "A-26": lambda i: s.tell(rr(upper, "PTR", 4500, ptr(name(i, upper)))),
        "A-9": lambda i: s.tell(one(i, flush=True)),
        "A-11.response": lambda i: s.send(response(one(i)) + b"\0\1\2"),
        "M10-18.response": lambda i: s.tell(one(i), additional=[opt]),
        "A-27": lambda i: s.tell(one(b"A-27 ")),
        "D-12.rest": lambda i: s.tell(rr(name("x", "local"), "A", 9, b"\1\2\3"), one(i)),
        "D-17.rest": lambda i: s.tell(rr(name("x", "local"), "ANY", 9, b"\1"), one(i)),
        "M6-16.response": lambda i: tell(i, sport=5354),
        "M18-11.used": lambda i: tell(i, bits=QR | AA | 0x2800),
        "M18-31.used": lambda i: tell(i, bits=QR | AA | 3),
        "M11-2.used": lambda i: tell(i, to=to, source=FAR[s.family]),
        "M7-6.used": lambda i: s.ask((kind, "PTR"), known=[one(i)]),
        "D-18": lambda i: s.tell(one(i, cls=3)),
        "M10-4.unknown": lambda i: s.tell(one(i, ttl=0)),
        "D-11.used": lambda i: s.send(b"\0\0\x84\0\0\0\xff\xff\xff\xff\xff\xff" + one(i))}
    # The bits on their own records: a cache-flush PTR ends the others, so it comes last.
    order = [i for i in ways if i != "A-9"] + ["A-9"]
    sights = {}
    for id in order:
        sights[id] = ways[id](id.encode())
        time.sleep(0.004)
    time.sleep(0.6)
    added = {o["instance"] for _, o in watch.events("added")}
    folded = {x.lower() if isinstance(x, str) else str(x) for x in added}
    if not added:
        raise Inconclusive("nothing was found at all")
    for id in order:
        seen = (id.lower() + (" " if id == "A-27" else "")) in folded
        s.verdict(id, seen == (id in USED), sights[id].packet, "found" if seen else "not found")


@scene("receiving", "PTR records by unicast upon the first query, and later",
       ("M6-19", "one within two seconds of a QU question: found"),
       ("M6-20.used", "one more than two seconds after the last QU question: not found"),
       families=(4, 6))
def quick_unicast(s):
    to = s.device.address(s.family)
    watch = s.device.browse()
    first = first_query(s, s.device.type)
    told = s.tell(pointer(s, "Quick"), to=to)
    found = watch.event("added", 0.8, instance="Quick")
    asked_for = first.message.questions[0].qu
    s.verdict("M6-19", (found is not None) == asked_for, [first, told.packet])
    time.sleep(max(0, first.when + 3.4 - time.time()))
    late = s.tell(pointer(s, "Slow"), to=to)
    s.verdict("M6-20.used", watch.event("added", 0.5, instance="Slow") is None, late.packet)


def resolved(s, label, *records, wait=3.0):
    """What the device says of a service about which it is told these records."""
    program = s.device.resolve(label, 4)
    mine = name(label, s.device.type)
    first = s.wait(lambda p: p.query and p.message.asks(mine), 4, s.first)
    if first is None:
        raise Inconclusive("the device never asked")
    told = s.tell(*records)
    program.wait(lambda line: line.startswith("{"), wait)
    found = [o for _, o in program.objects()]
    return (found[0] if found else {}), [first, told.packet]


def service(s, label, data, target=None):
    mine = name(label, s.device.type)
    host = name(f"resolved-host-{s.device.number}", "local")
    return [rr(mine, "SRV", 120, target or srv(80, host), True),
            rr(mine, "TXT", 4500, data, True),
            rr(host, "A", 120, b"\x0a\x4d\0\x63", True)]


@scene("receiving", "SRV, TXT and A of a service that the device resolves, whose TXT record has "
       "odd strings",
       ("S6-7.read", "a=b=c: key a, value b=c"),
       ("S6-8", "keys that nobody knows do no harm"),
       ("S6-11", "a string that begins with = is ignored"),
       ("S6-16", "one without = is a key without value"),
       ("S6-19", "one that ends with = is a key with an empty value"),
       ("S6-18", "of two with one key the first counts"),
       ("S6-15", "keys have no case"),
       ("S6-20.read", "a value of any bytes"),
       ("S6-22", "quotation marks and spaces belong to a value"))
def odd_txt(s):
    data = txt(b"a=b=c", b"=x", b"flag", b"empty=", b"key=1", b"KEY=2", b"raw=\xff\0",
               b'quoted=" x "', b"", b"unknown=1")
    found, packets = resolved(s, "Odd", *service(s, "Odd", data))
    have = found.get("txt") or {}
    folded = [k.lower() for k in have]
    s.verdict("S6-7.read", have.get("a") == "b=c", packets, str(have))
    s.verdict("S6-8", have.get("unknown") == "1", packets, str(have))
    s.verdict("S6-11", bool(have) and "" not in have, packets, str(have))
    s.verdict("S6-16", "flag" in have and have["flag"] is None, packets, str(have))
    s.verdict("S6-19", have.get("empty") == "", packets, str(have))
    s.verdict("S6-18", have.get("key") == "1", packets, str(have))
    s.verdict("S6-15", folded.count("key") == 1, packets, str(have))
    s.verdict("S6-20.read", have.get("raw") == {"hex": "ff00"}, packets, str(have))
    s.verdict("S6-22", have.get("quoted") == '" x "', packets, str(have))


@scene("receiving", "a service whose TXT record has no bytes, and one with a zero byte",
       ("S6-4", "both are resolved, without attributes"))
def empty_txt(s):
    for label, data in (("No Bytes", b""), ("Zero Byte", b"\0")):
        found, packets = resolved(s, label, *service(s, label, data))
        s.verdict("S6-4", found.get("port") == 80 and found.get("txt") in ({}, None),
                  packets, str(found))


@scene("receiving", "a service whose SRV target is compressed",
       ("M18-42", "it is resolved"), families=(4, 6))
def squeezed_target(s):
    label = "Squeezed"
    mine = name(label, s.device.type)
    local = 12 + len(wire(mine)) - 7
    host = f"resolved-host-{s.device.number}".encode()
    target = struct.pack("!3H", 0, 0, 80) + wire((host,))[:-1] + bytes(
        [0xC0 | local >> 8, local & 255])
    found, packets = resolved(s, label, *service(s, label, b"\0", target=target))
    s.verdict("M18-42", found.get("host", "").startswith("resolved-host"), packets, str(found))


@scene("receiving", "NSEC records for a name that is looked up",
       ("M6-27", "a restricted one ends the search for AAAA"),
       ("M6-31", "so does one with another next name"),
       ("M6-32", "which is not refused"))
def negative(s):
    for id, following in (("M6-27", None), ("M6-31", name("elsewhere", "local"))):
        label = f"absent-{id.lower()}-{s.device.number}"
        host = name(label, "local")
        mark = s.link.mark()
        program = s.device.query(f"{label}.local", "AAAA", 5)
        first = s.wait(lambda p: p.query and p.message.asks(host), 3, mark)
        if first is None:
            raise Inconclusive("the device never asked")
        told = s.tell(rr(host, "NSEC", 120, nsec(following or host, "A"), True))
        found = program.wait(lambda line: "has no AAAA" in line, 1)
        s.verdict(id, found is not None, [first, told.packet])
        if id == "M6-31":
            s.verdict("M6-32", found is not None, [first, told.packet])
        program.end()


@scene("receiving", "a PTR record that names a service of another type",
       ("S4-13", "it is shown as what it is, or not at all, and the next one is found"))
def other_type(s):
    watch = s.device.browse()
    first_query(s, s.device.type)
    told = s.tell(rr(s.device.type, "PTR", 4500, ptr(name("Foreign", "_other._tcp.local"))))
    s.tell(pointer(s, "Native"))
    found = watch.event("added", 1, instance="Native")
    wrong = [o for _, o in watch.events("added") if o.get("instance") == "Foreign"
             and "_other" not in o.get("name", "_other")]
    s.verdict("S4-13", found is not None and not wrong, told.packet)
