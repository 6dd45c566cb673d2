"""Queries of plain DNS resolvers, from ports other than 5353 (RFC 6762 section 6.7)."""
import time

from check import scene
from message import copy, name, q

OPT = b"\0" + b"\0\x29\x10\0" + b"\0\0\0\0" + b"\0\0"


@scene("legacy", "queries from port 40000 with an ID",
       ("M6-54", "the reply goes by unicast to that address and port"),
       ("M6-54.group", "and nothing to the group"),
       ("M6-55", "it has the ID and the question of the query"),
       ("M18-7", "it has the query's ID"),
       ("M6-56", "no cache-flush bit in it"),
       ("M10-13", "in additional records neither"),
       ("M6-57", "no TTL over 10"),
       ("M6-15.legacy", "source port 5353"),
       ("M18-14.legacy", "AA is 1"),
       ("M18-30.legacy", "rcode 0"),
       ("M18-43", "the SRV target is not compressed"),
       ("M11-1.legacy", "hop limit 255"),
       ("M6-55.several", "all of several questions are in the reply"),
       ("M6-55.case", "in the case of the query"),
       ("M6-4.legacy", "a name of nobody: silence"),
       ("M6-5.legacy", "a type that a unique name lacks: no NXDOMAIN"),
       ("A-16", "QU, RD and an OPT record: answered"),
       ("A-25.legacy", "at most one OPT record in the reply"),
       ("M6-54.direct", "sent to the device's own address: answered"),
       ("M5-32.legacy", "from outside the link to its address: nothing"),
       ("M7-3.legacy", "a known answer is respected"),
       ("M6-57.ptr", "a PTR record has a TTL of 10 or less, and no cache-flush bit"),
       device="standard", families=(4, 6))
def legacy(s):
    mine, host, kind = s.device.instance, s.device.host, s.device.type
    port, to = 40000, s.device.address(s.family)
    sight = s.ask((mine, "SRV"), sport=port, id=0xBEEF)
    reply = sight.answer(mine, "SRV", 0.6)
    said = sight.seen(0.3)
    if reply is None:
        for id in s.checks:
            s.verdict(id, False, sight.packet, "no answer")
        return
    m, both = reply.message, [sight.packet, reply]
    s.verdict("M6-54", reply.destination == sight.packet.source and reply.dport == port, both)
    s.verdict("M6-54.group", not any(p.multicast for p in said), [sight.packet] + said)
    s.verdict("M6-55", m.id == 0xBEEF and len(m.questions) == 1
              and m.questions[0].name == mine and m.questions[0].type == 33, both)
    s.verdict("M18-7", m.id == 0xBEEF, both)
    s.verdict("M6-56", not any(r.flush for r in m.answers), both)
    s.verdict("M10-13", not any(r.flush for r in m.records if r.type != 41), both)
    s.verdict("M6-57", all(r.ttl <= 10 for r in m.records if r.type != 41), both)
    s.verdict("M6-15.legacy", reply.sport == 5353, both)
    s.verdict("M18-14.legacy", bool(m.flags & 0x400), both)
    s.verdict("M18-30.legacy", m.flags & 15 == 0, both)
    s.verdict("M18-43", not any(r.rdata_compressed for r in m.find(mine, "SRV")), both)
    s.verdict("M11-1.legacy", reply.hops == 255, both)
    upper = tuple(x.upper() for x in mine)
    sight = s.ask((upper, "TXT"), (host, "A"), (host, "AAAA"), sport=port, id=7)
    reply = sight.answer(mine, "TXT", 0.6)
    asked = [x.name for x in reply.message.questions] if reply else []
    s.verdict("M6-55.several", len(asked) == 3, [sight.packet, reply])
    s.verdict("M6-55.case", asked[:1] == [upper], [sight.packet, reply])
    sight = s.ask((name("nobody", "local"), "A"), sport=port, id=8)
    said = sight.seen(0.3)
    s.verdict("M6-4.legacy", not said, [sight.packet] + said)
    sight = s.ask((host, "HINFO"), sport=port, id=9)
    said = sight.seen(0.3)
    s.verdict("M6-5.legacy", not any(p.message.flags & 15 or p.multicast for p in said),
              [sight.packet] + said)
    sight = s.ask((mine, "SRV", True), sport=port, id=10, flags=0x120, additional=[OPT])
    reply = sight.answer(mine, "SRV", 0.6)
    s.verdict("A-16", reply is not None, [sight.packet, reply])
    s.verdict("A-25.legacy", reply is not None and len(
        [r for r in reply.message.records if r.type == 41]) <= 1, [sight.packet, reply])
    sight = s.ask((mine, "SRV"), sport=port, id=11, to=to)
    reply = sight.answer(mine, "SRV", 0.6)
    s.verdict("M6-54.direct", reply is not None and reply.dport == port, [sight.packet, reply])
    far = s.ask((mine, "SRV"), sport=port, id=12, to=to, peer=Far(s))
    said = far.seen(0.3)
    s.verdict("M5-32.legacy", not said, [far.packet] + said)
    sight = s.ask((kind, "PTR"), sport=port, id=13)
    reply = sight.answer(kind, "PTR", 0.6)
    found = reply.message.find(kind, "PTR", "answers") if reply else []
    s.verdict("M6-57.ptr", bool(found) and all(r.ttl <= 10 and not r.flush for r in found),
              [sight.packet, reply])
    if found:
        sight = s.ask((kind, "PTR"), sport=port, id=14, known=[copy(found[0], ttl=4500)])
        said = sight.seen(0.35)
        s.verdict("M7-3.legacy", not said, [sight.packet] + said)


class Far:
    """A peer outside the link."""

    def __init__(self, s):
        self.link = s.link

    def send(self, payload, family, **more):
        source = "192.0.2.9" if family == 4 else "2001:db8::9"
        more.pop("source", None)
        return self.link.send(payload, family, source, **more)


@scene("legacy", "a query from port 5354 and one from port 53",
       ("M6-54.ports", "every port but 5353 is a legacy one"), device="standard")
def ports(s):
    for port in (5354, 53):
        sight = s.send(b"\0\7\0\0\0\1\0\0\0\0\0\0" + q(s.device.instance, "SRV"), sport=port)
        reply = sight.answer(s.device.instance, "SRV", 0.6)
        s.verdict("M6-54.ports", reply is not None and reply.dport == port
                  and reply.message.id == 7, [sight.packet, reply])
        time.sleep(0.05)
