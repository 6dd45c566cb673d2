"""What others know or say makes answers needless (RFC 6762 section 7)."""
import time

from check import Inconclusive, scene
from message import TC, copy, message, rr, wire

from .common import LATE


def pointer(s):
    """The device's PTR and SRV records, as it multicasts them."""
    sight = s.ask((s.device.type, "PTR"), (s.device.instance, "SRV"))
    reply = sight.answer(s.device.type, "PTR")
    if reply is None or not reply.message.find(s.device.instance, "SRV"):
        raise Inconclusive("the device does not answer")
    s.quiet()
    return (reply.message.find(s.device.type, "PTR")[0],
            reply.message.find(s.device.instance, "SRV")[0])


def replies(sight, record, wait):
    return sight.seen(wait, lambda p: p.response and any(
        r.same(record) for r in p.message.answers))


@scene("suppression", "queries with the answer in them, with several TTLs",
       ("M7-3", "TTL 4500 of 4500: silence"),
       ("M7-3.half", "2250, exactly half: silence"),
       ("M7-4", "2249: an answer"),
       ("M7-4.least", "1: an answer"),
       ("M7-3.unique", "an SRV record with 60 of 120: silence"),
       ("M7-4.unique", "59: an answer"),
       ("M7-3.other", "another rdata is no answer that is known: an answer"),
       device="standard", families=(4, 6))
def known(s):
    ptr, srv = pointer(s)
    kind, mine = s.device.type, s.device.instance
    for id, record, labels, type_, ttl in (
            ("M7-3", ptr, kind, "PTR", 4500), ("M7-3.half", ptr, kind, "PTR", 2250),
            ("M7-3.unique", srv, mine, "SRV", 60), ("M7-4", ptr, kind, "PTR", 2249),
            ("M7-4.least", ptr, kind, "PTR", 1), ("M7-4.unique", srv, mine, "SRV", 59)):
        s.quiet()
        sight = s.ask((labels, type_), known=[copy(record, ttl=ttl, flush=False)])
        said = replies(sight, record, 0.25)
        s.verdict(id, bool(said) == (id[:4] == "M7-4"), [sight.packet] + said)
    s.quiet()
    sight = s.ask((kind, "PTR"), known=[rr(kind, "PTR", 4500, wire((b"Other",) + kind))])
    said = replies(sight, ptr, 0.25)
    s.verdict("M7-3.other", bool(said), [sight.packet] + said)


@scene("suppression", "queries with TC, known answers in later packets or never",
       ("M6-14", "with no further packet the answer comes after 400 to 500 ms"),
       ("M7-11", "not earlier"),
       ("M18-16", "TC in a query is noted"),
       ("M7-12", "an answer that comes as known 100 ms later is not sent"),
       ("M7-12.asked", "it is where another host asked as well"),
       ("M15-3", "known answers from another address count for nothing"),
       ("M7-13", "each further packet with TC puts the answer off by 400 to 500 ms"),
       device="standard", families=(4, 6))
def truncated(s):
    ptr, _ = pointer(s)
    kind = s.device.type
    rest = message(answers=[copy(ptr, flush=False)])
    sight = s.ask((kind, "PTR"), flags=TC)
    said = replies(sight, ptr, 0.7)
    delay = sight.after(said[0]) if said else -1
    for id in ("M6-14", "M7-11", "M18-16"):
        s.verdict(id, 395 <= delay <= 500 + LATE, [sight.packet] + said, f"{delay:.0f} ms")
    s.quiet()
    peer = s.peer()
    sight = s.ask((kind, "PTR"), peer=peer, flags=TC)
    time.sleep(0.1)
    later = s.send(rest, peer=peer)
    said = replies(sight, ptr, 0.75)
    s.verdict("M7-12", not said, [sight.packet, later.packet] + said)
    sight = s.ask((kind, "PTR"), peer=peer, flags=TC)
    time.sleep(0.05)
    other = s.ask((kind, "PTR"))
    later = s.send(rest, peer=peer)
    said = replies(sight, ptr, 0.75)
    s.verdict("M7-12.asked", bool(said), [sight.packet, other.packet, later.packet] + said)
    s.quiet()
    sight = s.ask((kind, "PTR"), peer=peer, flags=TC)
    time.sleep(0.1)
    later = s.send(rest)
    said = replies(sight, ptr, 0.75)
    s.verdict("M15-3", bool(said), [sight.packet, later.packet] + said)
    s.quiet()
    sights = [s.ask((kind, "PTR"), peer=peer, flags=TC)]
    for _ in range(2):
        time.sleep(0.3)
        sights.append(s.send(message(flags=TC), peer=peer))
    said = replies(sights[-1], ptr, 0.75)
    early = [p for p in replies(sights[0], ptr, 1.4) if p.when < sights[-1].when]
    delay = sights[-1].after(said[0]) if said else -1
    s.verdict("M7-13", not early and 395 <= delay <= 500 + LATE,
              [x.packet for x in sights] + early + said, f"{delay:.0f} ms after the last")


@scene("suppression", "the device's answer by another host while it waits with its own",
       ("M7-15", "with the full TTL: it stays silent"),
       ("M7-16", "for as long as TC makes it wait"),
       ("M7-15.less", "with a lower TTL: it answers"),
       device="standard", families=(4, 6))
def duplicates(s):
    ptr, _ = pointer(s)
    kind = s.device.type
    for id, ttl in (("M7-16", 4500), ("M7-15.less", 4499)):
        s.quiet()
        sight = s.ask((kind, "PTR"), flags=TC)
        time.sleep(0.2)
        told = s.tell(copy(ptr, ttl=ttl))
        said = replies(sight, ptr, 0.7)
        s.verdict(id, bool(said) == (id != "M7-16"), [sight.packet, told.packet] + said)
    found, packets = [], []
    for _ in range(2):          # the answer may leave before ours: twice is enough
        s.quiet()
        sight = s.ask((kind, "PTR"))
        told = s.tell(copy(ptr))
        said = replies(sight, ptr, 0.3)
        found.append(not said)
        packets += [sight.packet, told.packet] + said
    s.verdict("M7-15", any(found), packets)


@scene("suppression", "a known answer in a query, then a query by another host",
       ("M7-6.responder", "what is in others' queries is never in an answer"),
       device="standard")
def not_cached(s):
    kind = s.device.type
    s.ask((kind, "PTR"), known=[rr(kind, "PTR", 4500, wire((b"Invented",) + kind))])
    s.quiet()
    sight = s.ask((kind, "PTR"))
    said = sight.seen(0.3)
    wrong = [p for p in said for r in p.message.records if r.value == (b"Invented",) + kind]
    s.verdict("M7-6.responder", bool(said) and not wrong, [sight.packet] + said)


