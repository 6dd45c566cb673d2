"""Goodbyes, changes of data, of addresses and of the link (RFC 6762 sections 8.4, 10.1, 10.2)."""
import time

from check import Inconclusive, scene
from message import key

from .common import announced, arpa, probes
from .conflicts import ready


@scene("changing", "nothing: the device's program is told to end",
       ("M10-3", "a goodbye in IPv4: PTR, SRV, TXT and addresses with TTL 0"),
       ("M10-3.ipv6", "the same in IPv6"),
       ("M10-3.same", "with the rdata that was announced"),
       ("M10-3.subtype", "the subtype's PTR record, too"),
       ("M10-3.once", "before a second is over"),
       ("M11-1.goodbye", "hop limit 255"))
def goodbye(s):
    announcement = ready(s)
    before = [r for r in announcement.message.answers]
    mark, begun = s.link.mark(), time.time()
    s.device.stop()
    time.sleep(0.3)
    said = s.heard(mark, lambda p: p.response and p.multicast)
    gone = {f: [r for p in said if p.family == f for r in p.message.answers if r.ttl == 0]
            for f in (4, 6)}
    for id, family in (("M10-3", 4), ("M10-3.ipv6", 6)):
        have = [any(r.is_(n, t) for r in gone[family]) for n, t in (
            (s.device.type, "PTR"), (s.device.instance, "SRV"), (s.device.instance, "TXT"),
            (s.device.host, "A"))]
        s.verdict(id, all(have), said, f"PTR, SRV, TXT, A: {have}")
    known = [r for r in gone[4] + gone[6] if not arpa(r.name) and r.type != 47]
    s.verdict("M10-3.same", bool(known) and all(
        any(r.same(x) for x in before) for r in known), said)
    s.verdict("M10-3.subtype", any(b"_sub" in key(r.name) for r in known), said)
    s.verdict("M10-3.once", bool(said) and said[-1].when - begun < 1, said)
    s.verdict("M11-1.goodbye", bool(said) and all(p.hops == 255 for p in said), said)


def probed_anew(s, mark, ids, extra=""):
    """After a change of the link: probes come before the announcements, in each family."""
    mine = s.device.instance
    first = s.link.wait(lambda p: s.is_device(p) and p.response and p.multicast
                        and p.message.find(mine, "SRV", "answers"), mark, time.time() + 6)
    time.sleep(1.3)
    for id, family in ids:
        asked = probes(s, mine, family, mark)
        said = announced(s, mine, "SRV", family, mark)
        s.verdict(id, len(asked) >= 3 and bool(said) and asked[2].when < said[0].when,
                  asked + said, f"{len(asked)} probes, {len(said)} announcements{extra}")
    said = announced(s, mine, "SRV", 4, mark)
    return first, said


@scene("changing", "the interface goes down for a second and comes up",
       ("M8-1", "probing and announcing run again"),
       ("M10-6", "probes come before the announcements, in IPv4"),
       ("M10-6.ipv6", "and in IPv6"),
       ("M10-7", "two announcements follow"))
def replug(s):
    ready(s)
    s.device.cable(False)
    time.sleep(1)
    mark = s.link.mark()
    s.device.cable(True)
    first, said = probed_anew(s, mark, (("M10-6", 4), ("M10-6.ipv6", 6)))
    s.verdict("M8-1", first is not None and s.checks["M10-6"].verdict == "pass",
              said + [first])
    s.verdict("M10-7", len(said) >= 2 and said[1].when - said[0].when >= 0.95, said)


@scene("changing", "the interface gets another IPv4 address, and loses it",
       ("M8-39", "the addresses are announced, the new one among them"),
       ("M10-9.new", "as a whole set with the cache-flush bit"),
       ("M8-39.removed", "without it once it is gone"),
       ("M3-7.kept", "the host's name stays"))
def readdress(s):
    ready(s)
    host, extra = s.device.host, f"10.77.0.{s.device.number + 50}"
    mark = s.link.mark()
    s.device.run("ip", "addr", "add", f"{extra}/24", "dev", "lan0")
    try:
        packet = s.wait(lambda p: p.response and p.multicast and any(
            r.value == extra for r in p.message.find(host, "A", "answers")), 4, mark)
        s.verdict("M8-39", packet is not None, packet)
        found = packet.message.find(host, "A", "answers") if packet else []
        s.verdict("M10-9.new", {r.value for r in found} == {s.device.v4, extra}
                  and all(r.flush for r in found), packet)
        s.verdict("M3-7.kept", bool(found), packet)
        time.sleep(1.5)
    finally:
        mark = s.link.mark()
        s.device.run("ip", "addr", "del", f"{extra}/24", "dev", "lan0")
    packet = s.wait(lambda p: p.response and p.multicast and {s.device.v4} == {
        r.value for r in p.message.find(host, "A", "answers") if r.ttl}, 4, mark)
    s.verdict("M8-39.removed", packet is not None, packet)


@scene("changing", "the TXT record is changed by the device's own means",
       ("M8-38", "it is announced with its new data"),
       ("M8-40", "no probes before that"),
       ("M8-42", "no goodbye for the old data"),
       ("M8-38.flush", "with the cache-flush bit"),
       ("M8-33.update", "at least twice, a second apart"))
def update(s):
    if not s.device.can_update:
        raise Inconclusive("this target has no way to change a TXT record")
    announcement = ready(s)
    old = announcement.message.find(s.device.instance, "TXT")
    mark = s.link.mark()
    s.device.update(("path=/y", "rev=2"))
    time.sleep(2.6)
    said = [p for p in announced(s, s.device.instance, "TXT", 4, mark)
            if not any(r.same(old[0]) and r.ttl for r in p.message.answers)]
    records = [r for p in said for r in p.message.find(s.device.instance, "TXT", "answers")]
    new = [r for r in records if r.ttl]
    s.verdict("M8-38", bool(new), said)
    s.verdict("M8-38.flush", bool(new) and all(r.flush for r in new), said)
    s.verdict("M8-42", bool(new) and len(new) == len(records), said)
    s.verdict("M8-40", bool(new) and not probes(s, s.device.instance, 4, mark), said)
    s.verdict("M8-33.update", len(said) >= 2 and said[1].when - said[0].when >= 0.95, said)
