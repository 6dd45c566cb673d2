"""When and how plain queries are answered (RFC 6762 section 6, RFC 6763 section 12)."""
import time

from check import Inconclusive, scene
from message import name, q

from .common import LATE, rounded


@scene("answering", "a QM query with ID 4660 for the SRV record, three times",
       ("M6-17", "the answer goes to the group"),
       ("M6-18", "no unicast copy"),
       ("M6-7", "it has no question"),
       ("M18-5", "its ID is 0"),
       ("M6-10", "no random delay: the fastest is under 18 ms"),
       ("M6-11", "within 10 ms, the fastest of three"),
       ("M6-15", "source port 5353"),
       ("M11-1.answer", "hop limit 255"),
       ("M18-14.answer", "AA is 1"),
       ("M18-30.answer", "rcode 0, and every other bit 0"),
       ("M10-1.answer", "TTL 120"),
       ("M10-11", "the cache-flush bit in answers as in announcements"),
       ("S12-5", "the host's addresses come with it"),
       ("S12-1", "in the additional section"),
       ("M6-47.single", "in one packet"),
       device="standard", families=(4, 6))
def unique(s):
    mine, delays, packets = s.device.instance, [], []
    for _ in range(3):
        s.quiet()
        sight = s.ask((mine, "SRV"), id=0x1234)
        reply = sight.answer(mine, "SRV", 0.9)
        packets += [sight.packet, reply]
        if reply is None:
            continue
        delays.append(sight.after(reply))
        said = sight.seen(0.15)
        found = reply.message.find(mine, "SRV", "answers")
        s.verdict("M6-17", reply.multicast and reply.dport == 5353, [sight.packet, reply])
        s.verdict("M6-18", all(p.multicast for p in said), said)
        s.verdict("M6-47.single", len(said) == 1, said)
        s.verdict("M6-7", not reply.message.questions, reply)
        s.verdict("M18-5", reply.message.id == 0, reply)
        s.verdict("M6-15", reply.sport == 5353, reply)
        s.verdict("M11-1.answer", reply.hops == 255, reply)
        s.verdict("M18-14.answer", bool(reply.message.flags & 0x400), reply)
        s.verdict("M18-30.answer", reply.message.flags == 0x8400, reply)
        s.verdict("M10-1.answer", all(r.ttl == 120 for r in found), reply)
        s.verdict("M10-11", all(r.flush for r in found), reply)
        there = [bool(reply.message.find(s.device.host, t)) for t in ("A", "AAAA")]
        s.verdict("S12-5", all(there), reply)
        s.verdict("S12-1", all(reply.message.find(s.device.host, t, "additional")
                               for t in ("A", "AAAA")), reply)
    if not delays:
        for id in s.checks:
            s.verdict(id, False, packets, "no answer")
        return
    s.verdict("M6-10", min(delays) < 18, packets, rounded(delays))
    s.verdict("M6-11", min(delays) <= 10, packets, rounded(delays))


@scene("answering", "a QM query for the type's PTR record, four times",
       ("M6-13", "answered after 20 to 120 ms, never at the same moment"),
       ("S4-1", "the rdata is one label in front of the type"),
       ("S12-4", "SRV, TXT, A and AAAA come with it"),
       ("M10-15.answer", "no cache-flush bit"),
       ("M10-2.answer", "TTL 4500"),
       device="standard", families=(4, 6))
def shared(s):
    delays, packets = [], []
    for _ in range(4):
        s.quiet()
        sight = s.ask((s.device.type, "PTR"))
        reply = sight.answer(s.device.type, "PTR", 0.9)
        packets += [sight.packet, reply]
        if reply is None:
            continue
        delays.append(sight.after(reply))
        found = reply.message.find(s.device.type, "PTR", "answers")
        s.verdict("S4-1", all(r.value[1:] == s.device.type for r in found), reply)
        s.verdict("S12-4", all([reply.message.find(s.device.instance, "SRV"),
                                reply.message.find(s.device.instance, "TXT"),
                                reply.message.find(s.device.host, "A"),
                                reply.message.find(s.device.host, "AAAA")]), reply)
        s.verdict("M10-15.answer", not any(r.flush for r in found), reply)
        s.verdict("M10-2.answer", all(r.ttl == 4500 for r in found), reply)
    s.verdict("M6-13", len(delays) == 4 and all(19 <= d <= 120 + LATE for d in delays)
              and max(delays) - min(delays) > 3, packets, rounded(delays))


@scene("answering", "a QM query for the type's PTR record, forty times",
       ("M6-13.spread", "each quarter of 20 to 120 ms has 2 to 20 of the answers"),
       device="standard", quick=False)
def shared_often(s):
    delays = []
    for _ in range(40):
        s.quiet()
        sight = s.ask((s.device.type, "PTR"))
        reply = sight.answer(s.device.type, "PTR", 0.9)
        if reply:
            delays.append(sight.after(reply))
    quarters = [sum(1 for d in delays if 20 + 25 * i <= d + 1 < 45 + 25 * i or i == 3 and d >= 120)
                for i in range(4)]
    s.verdict("M6-13.spread", len(delays) == 40 and all(2 <= n <= 20 for n in quarters), [],
              f"{quarters}; {rounded(sorted(delays))}")


@scene("answering", "one query with five questions, of which two are for names of nobody",
       ("M6-44", "the three that are the device's are answered"),
       ("M5-21", "with what each would get alone"),
       ("M6-45", "after 20 to 120 ms"),
       ("M6-47", "in one response"),
       ("M18-39", "compressed names in the questions are read"),
       device="standard", families=(4, 6))
def several(s):
    mine, host = s.device.instance, s.device.host
    local = 12 + 1 + len(host[0])
    squeezed = bytes([0xC0, 12]) + b"\0\x1c\0\1"            # AAAA of the first one's name
    nobody = b"\6nobody" + bytes([0xC0 | local >> 8, local & 255]) + b"\0\1\0\1"
    sight = s.ask(q(host, "A"), squeezed, nobody, q(name("no", mine), "SRV"), q(mine, "TXT"))
    reply = sight.first(0.9)
    said = sight.seen(0.9)
    have = [any(p.message.find(n, t, "answers") for p in said)
            for n, t in ((host, "A"), (host, "AAAA"), (mine, "TXT"))]
    s.verdict("M6-44", all(have), [sight.packet] + said)
    s.verdict("M5-21", all(have), [sight.packet] + said)
    s.verdict("M18-39", have[1], [sight.packet] + said)
    s.verdict("M6-47", len(said) == 1, [sight.packet] + said)
    delay = sight.after(reply) if reply else -1
    s.verdict("M6-45", 19 <= delay <= 120 + LATE, [sight.packet, reply], f"{delay:.0f} ms")


@scene("answering", "queries for PTR and for SRV, TXT and A together",
       ("M6-47.four", "the answers to four questions share a response"),
       device="standard")
def four_questions(s):
    mine, host = s.device.instance, s.device.host
    sight = s.ask((s.device.type, "PTR"), (mine, "SRV"), (mine, "TXT"), (host, "A"))
    said = sight.seen(0.7)
    s.verdict("M6-47.four", len(said) == 1 and all(
        said[0].message.find(n, t, "answers") for n, t in (
            (s.device.type, "PTR"), (mine, "SRV"), (mine, "TXT"), (host, "A"))),
        [sight.packet] + said)


@scene("answering", "two PTR queries by two hosts, 30 ms apart, for the type and a subtype",
       ("M6-48", "both are answered within 620 ms of the first"),
       ("M6-48.joined", "in at most two responses"), device="standard", families=(4, 6))
def joined(s):
    sub = name("_printer", "_sub", s.device.type)
    first = s.ask((s.device.type, "PTR"))
    time.sleep(0.03)
    second = s.ask((sub, "PTR"))
    one = first.answer(s.device.type, "PTR", 0.66)
    two = first.answer(sub, "PTR", 0.66)
    said = first.seen(0.8)
    s.verdict("M6-48", one is not None and two is not None,
              [first.packet, second.packet] + said)
    s.verdict("M6-48.joined", 1 <= len(said) <= 2, said)


@scene("answering", "the same QM query five times in half a second",
       ("M6-21", "the record is multicast no more than once a second"),
       ("M6-21.again", "after the second it is"), device="standard", families=(4, 6))
def once_a_second(s):
    mine = s.device.instance
    sights = []
    for _ in range(5):
        sights.append(s.ask((mine, "SRV")))
        time.sleep(0.1)
    time.sleep(0.9)
    sights.append(s.ask((mine, "SRV")))
    last = sights[-1].answer(mine, "SRV", 0.8)
    said = [p for p in sights[0].seen(2.5) if p.multicast and p.message.find(mine, "SRV")]
    apart = [b.when - a.when for a, b in zip(said, said[1:])]
    s.verdict("M6-21", bool(said) and all(x >= 0.99 for x in apart),
              [x.packet for x in sights] + said)
    s.verdict("M6-21.again", last is not None, [x.packet for x in sights] + said)


@scene("answering", "queries for addresses",
       ("M6-41", "with A goes AAAA"), ("M6-41.ipv6", "with AAAA goes A"),
       ("M6-39", "all addresses of the interface"),
       ("M6-40.answer", "and none of another, 127.0.0.1 and ::1 neither"),
       ("M6-43", "no NSEC record denies the other family"),
       ("M10-9.answer", "the set is whole"),
       device="standard", families=(4, 6))
def addresses(s):
    host = s.device.host
    for kind, other, id in (("A", "AAAA", "M6-41"), ("AAAA", "A", "M6-41.ipv6")):
        s.quiet()
        sight = s.ask((host, kind))
        reply = sight.answer(host, kind)
        if reply is None:
            s.verdict(id, False, sight.packet, "no answer")
            continue
        values = {r.value for r in reply.message.records if r.type in (1, 28)}
        s.verdict(id, bool(reply.message.find(host, other)), [sight.packet, reply])
        s.verdict("M6-39", {s.device.v4, s.device.v6} <= values, reply, str(values))
        s.verdict("M10-9.answer", {s.device.v4, s.device.v6} <= values, reply, str(values))
        s.verdict("M6-40.answer", values <= {s.device.v4, s.device.v6}, reply, str(values))
        deny = [r for r in reply.message.records if r.type == 47
                and not {1, 28} <= r.value[1]]
        s.verdict("M6-43", not deny, reply)


@scene("answering", "the interface has two IPv4 addresses more",
       ("M6-39.several", "all three are in the answer"),
       ("M10-9.several", "in one packet, all with the cache-flush bit"))
def more_addresses(s):
    n = s.device.number
    extra = [f"10.77.0.{n + 50}", f"10.77.0.{n + 70}"]
    for address in extra:
        s.device.run("ip", "addr", "add", f"{address}/24", "dev", "lan0")
    try:
        s.device.publish()
        s.device.established(s)
        time.sleep(1.1)
        s.quiet()
        sight = s.ask((s.device.host, "A"))
        reply = sight.answer(s.device.host, "A")
        found = reply.message.find(s.device.host, "A", "answers") if reply else []
        s.verdict("M6-39.several", {r.value for r in found} == {s.device.v4, *extra},
                  [sight.packet, reply])
        s.verdict("M10-9.several", len(found) == 3 and all(r.flush for r in found),
                  [sight.packet, reply])
    finally:
        s.device.stop()
        for address in extra:
            s.device.run("ip", "addr", "del", f"{address}/24", "dev", "lan0")


@scene("answering", "the interface has IPv4 only",
       ("M6-42", "with an A record goes an NSEC record without AAAA"),
       ("M6-24.family", "a query for AAAA is answered by it"))
def one_family(s):
    setting = "/proc/sys/net/ipv6/conf/lan0/disable_ipv6"
    s.device.run("sh", "-c", f"echo 1 > {setting}")
    try:
        s.device.publish()
        s.device.established(s)
        time.sleep(1.1)
        s.quiet()
        host = s.device.host
        for id, kind in (("M6-42", "A"), ("M6-24.family", "AAAA")):
            sight = s.ask((host, kind))
            reply = sight.first(0.9, lambda p: p.response and p.message.find(host, "NSEC"))
            found = reply.message.find(host, "NSEC") if reply else []
            s.verdict(id, bool(found) and 1 in found[0].value[1]
                      and 28 not in found[0].value[1], [sight.packet, reply])
            s.quiet()
    finally:
        s.device.stop()
        s.device.run("sh", "-c", f"echo 0 > {setting}")
        end = time.time() + 3
        while time.time() < end and "fe80" not in s.device.run("ip", "-6", "addr", "show", "lan0"):
            time.sleep(0.02)
        if s.device.v6 not in s.device.run("ip", "-6", "addr", "show", "lan0"):
            raise Inconclusive("the device has lost its IPv6 address")
