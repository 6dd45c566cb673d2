"""Which records answer which question, and what is said of those that are not there."""
import socket
import time

from check import Inconclusive, scene
from message import a, key, name, ptr, rr, srv, txt


def reverse(address):
    if ":" not in address:
        return name(*reversed(address.split(".")), "in-addr", "arpa")
    digits = socket.inet_pton(socket.AF_INET6, address).hex()
    return name(*reversed(digits), "ip6", "arpa")


@scene("matching", "queries of type or class ANY",
       ("M6-49", "ANY of the instance: SRV and TXT"),
       ("M6-49.host", "ANY of the host: all addresses"),
       ("M6-49.class", "class ANY: the SRV record"),
       device="standard", families=(4, 6))
def any_(s):
    mine, host = s.device.instance, s.device.host
    sight = s.ask((mine, "ANY"))
    reply = sight.answer(mine, "SRV")
    s.verdict("M6-49", reply is not None and bool(reply.message.find(mine, "TXT", "answers")),
              [sight.packet, reply])
    s.quiet()
    sight = s.ask((host, "ANY"))
    reply = sight.answer(host, "A")
    s.verdict("M6-49.host", reply is not None and bool(reply.message.find(host, "AAAA",
                                                                          "answers")),
              [sight.packet, reply])
    s.quiet()
    sight = s.ask((mine, "SRV", False, 255))
    reply = sight.answer(mine, "SRV")
    s.verdict("M6-49.class", reply is not None, [sight.packet, reply])


@scene("matching", "queries that have no answer",
       ("M6-4", "a name of nobody: silence"),
       ("M6-6", "a type that nobody offers: silence"),
       ("M6-3", "class 3: silence"),
       ("M12-2", "SOA, NS and AXFR of local.: silence"),
       ("M6-2", "the record of another host: silence"),
       ("M6-37", "types that a shared name lacks: no NSEC record"),
       device="standard", families=(4, 6))
def unanswered(s):
    other = name("other-host", "local")
    s.tell(rr(other, "A", 120, a("10.77.0.99"), flush=True))
    asked = {"M6-4": [(name("nobody", "local"), "A")],
             "M6-6": [(name("_nobody", "_tcp", "local"), "PTR")],
             "M6-3": [(s.device.instance, "SRV", False, 3)],
             "M12-2": [(name("local"), t) for t in ("SOA", "NS", "AXFR")],
             "M6-2": [(other, "A")],
             "M6-37": [(s.device.type, "A"), (s.device.type, "SRV")]}
    for id, questions in asked.items():
        sights = [s.ask(x) for x in questions]
        said = sights[0].seen(0.3)
        s.verdict(id, not said, [x.packet for x in sights] + said)
    control = s.ask((s.device.instance, "SRV"))
    if control.answer(s.device.instance, "SRV") is None:
        raise Inconclusive("the device answers nothing at all")


@scene("matching", "queries for types that the device's unique names lack",
       ("M6-5", "HINFO of the host: an NSEC record"),
       ("M6-24", "in the answer section"),
       ("M6-5.unknown", "a type that is not known, of the instance: an NSEC record"),
       ("M6-28", "its next name is its own, compressed; one block, numbered 0, of 1 to 32 bytes"),
       ("M6-35", "the bit of NSEC is not set"),
       ("M6-36", "TTL 120 for the host"),
       ("M6-38", "its bitmap has what the name has, no more"),
       ("M20-2", "A and AAAA, over either family"),
       ("M6-11.negative", "within 18 ms, the faster of two"),
       device="standard", families=(4, 6))
def negative(s):
    host, mine = s.device.host, s.device.instance
    delays = []
    for id, labels, type_, has in (("M6-5", host, "HINFO", {1, 28}),
                                   ("M6-5.unknown", mine, 999, {16, 33})):
        s.quiet()
        sight = s.ask((labels, type_))
        reply = sight.first(0.9, lambda p: p.response and p.message.find(labels, "NSEC"))
        found = reply.message.find(labels, "NSEC") if reply else []
        s.verdict(id, bool(found), [sight.packet, reply])
        if not found:
            for check in ("M6-24", "M6-28", "M6-35", "M6-36", "M6-38", "M20-2"):
                s.verdict(check, False, sight.packet, "no NSEC record")
            continue
        r = found[0]
        delays.append(sight.after(reply))
        bitmap = r.value[2]
        s.verdict("M6-24", r.section == "answers", reply)
        s.verdict("M6-28", key(r.value[0]) == key(labels) and r.rdata_compressed
                  and bitmap[0] == 0 and 1 <= bitmap[1] <= 32 and len(bitmap) == 2 + bitmap[1],
                  reply, bitmap.hex())
        s.verdict("M6-35", 47 not in r.value[1], reply)
        s.verdict("M6-38", r.value[1] == has, reply, str(r.value[1]))
        if labels is host:
            s.verdict("M6-36", r.ttl == 120, reply, f"TTL {r.ttl}")
            s.verdict("M20-2", {1, 28} <= r.value[1], reply)
    s.verdict("M6-11.negative", bool(delays) and min(delays) < 18, [], str(delays))


@scene("matching", "queries in other case, for subtypes, types, and addresses",
       ("M16-5", "letters of ASCII have no case: the instance's name in capitals"),
       ("M16-6", "so has the host's name"),
       ("S7-3", "and the type's"),
       ("S7-6", "and the subtype's"),
       ("S7-4", "a subtype has a PTR record"),
       ("S7-5", "which leads to the ordinary instance name"),
       ("S9-1", "the enumeration lists the type once, without cache flush, and no subtype"),
       ("M10-1.reverse", "reverse names lead to the host, with TTL 120"),
       device="standard", families=(4, 6))
def names(s):
    device = s.device

    def upper(labels):
        return tuple(x.upper() for x in labels)

    for id, labels, type_ in (("M16-5", device.instance, "SRV"), ("M16-6", device.host, "A"),
                              ("S7-3", device.type, "PTR")):
        s.quiet()
        sight = s.ask((upper(labels), type_))
        reply = sight.answer(labels, type_)
        s.verdict(id, reply is not None, [sight.packet, reply])
    sub = name("_printer", "_sub", device.type)
    sight = s.ask((sub, "PTR"))
    reply = sight.answer(sub, "PTR")
    found = reply.message.find(sub, "PTR", "answers") if reply else []
    s.verdict("S7-4", bool(found), [sight.packet, reply])
    s.verdict("S7-5", [r.value for r in found] == [device.instance], reply)
    s.quiet()
    sight = s.ask((upper(sub), "PTR"))
    s.verdict("S7-6", sight.answer(sub, "PTR") is not None, [sight.packet])
    everything = name("_services", "_dns-sd", "_udp", "local")
    sight = s.ask((everything, "PTR"))
    reply = sight.answer(everything, "PTR")
    found = reply.message.find(everything, "PTR", "answers") if reply else []
    own = [r for r in found if key(r.value) == key(device.type)]
    s.verdict("S9-1", len(own) == 1 and not any(r.flush or b"_sub" in r.value for r in found),
              [sight.packet, reply])
    for address in (device.v4, device.v6):
        labels = reverse(address)
        sight = s.ask((labels, "PTR"))
        reply = sight.answer(labels, "PTR")
        found = reply.message.find(labels, "PTR", "answers") if reply else []
        s.verdict("M10-1.reverse", [(r.value, r.ttl) for r in found] == [(device.host, 120)],
                  [sight.packet, reply])


@scene("matching", "SRV, TXT, A and PTR records of other hosts, then queries for them",
       ("M6-2.others", "what was learned is never in a response"), device="standard")
def learned(s):
    them = name(b"Another One", s.device.type)
    host = name("another-host", "local")
    s.tell(rr(s.device.type, "PTR", 4500, ptr(them)), rr(them, "SRV", 120, srv(1, host), True),
           rr(them, "TXT", 4500, txt(b"a=b"), True), rr(host, "A", 120, a("10.77.0.98"), True))
    time.sleep(0.1)
    sights = [s.ask((s.device.type, "PTR")), s.ask((them, "ANY")), s.ask((host, "A"))]
    said = sights[0].seen(0.6)
    wrong = [p for p in said for r in p.message.records
             if key(r.name) in (key(them), key(host)) or r.value == them]
    s.verdict("M6-2.others", bool(said) and not wrong, [x.packet for x in sights] + said)
