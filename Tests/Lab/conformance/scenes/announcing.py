"""What a device says unasked, and how its responses are made (RFC 6762 sections 8.3, 10, 18)."""
import time

from check import scene
from message import key

from .common import announced, arpa, gaps, rounded, sets


@scene("announcing", "nothing: the device is started with one service",
       ("M8-30", "PTR, SRV, TXT, A and AAAA are announced as answers"),
       ("M8-32", "shared records without, unique ones with the cache-flush bit"),
       ("M8-33", "at least two announcements, the second 0.95 to 1.15 s after the first"),
       ("M8-33.ipv6", "the same in IPv6"),
       ("M8-34", "each gap between further announcements is at least twice the last"),
       ("M8-35", "nothing is announced later"),
       ("M10-1", "TTL 120 of A, AAAA, SRV and reverse PTR"),
       ("M10-2", "TTL 4500 of PTR and TXT"),
       ("M10-10", "all members of a unique set have the cache-flush bit"),
       ("M10-9", "a set is whole: both announcements have the same members"),
       ("M10-15", "no cache-flush bit on the PTRs of type, subtype and enumeration"),
       ("M3-7", "the names of addresses have two labels"),
       ("M6-1", "every record is the device's own"),
       ("M6-40", "no addresses of other interfaces"),
       ("M8-2", "A and AAAA for the host's name"),
       ("S5-3", "priority and weight are 0"),
       ("S6-1", "a TXT record beside the SRV record"),
       ("M11-1", "hop limit 255"),
       ("M18-10", "opcode 0"), ("M18-14", "AA is 1"), ("M18-17", "TC is 0"),
       ("M18-20", "RD is 0"), ("M18-22", "RA is 0"), ("M18-24", "Z is 0"), ("M18-26", "AD is 0"),
       ("M18-28", "CD is 0"), ("M18-30", "rcode 0"),
       ("M18-34", "owner names that occurred before are compressed"),
       ("M18-37", "names in the rdata of PTR and SRV are compressed"),
       ("M17-1", "at most 1472 bytes in IPv4, 1452 in IPv6"),
       ("M17-7", "no packet over 1500 bytes"),
       ("M6-15.multicast", "source port 5353"),
       ("M20-1.announced", "over IPv4 and IPv6"))
def announcements(s):
    device = s.device
    device.publish()
    device.established(s)
    time.sleep(4.3)
    said = [p for p in s.heard() if p.response and p.multicast]
    records = [r for p in said for r in p.message.records]
    answers = [r for p in said for r in p.message.answers]
    found = sets(answers)

    def has(labels, kind):
        return any(r.is_(labels, kind) for r in answers)

    s.verdict("M8-30", all([has(device.type, "PTR"), has(device.instance, "SRV"),
                            has(device.instance, "TXT"), has(device.host, "A"),
                            has(device.host, "AAAA")]), said[:4])
    shared = [r for r in records if r.type == 12 and not arpa(r.name)]
    unique = [r for r in records if r.type in (1, 16, 28, 33)]
    s.verdict("M8-32", all(r.flush for r in unique) and not any(r.flush for r in shared), said[:2])
    s.verdict("M10-15", bool(shared) and not any(r.flush for r in shared), said[:2])
    for id, family in (("M8-33", 4), ("M8-33.ipv6", 6)):
        series = announced(s, device.instance, "SRV", family)
        g = gaps(series)
        s.verdict(id, len(series) >= 2 and 950 <= g[0] <= 1150, series, rounded(g))
        if family == 4:
            steady = all(b >= 1.9 * a for a, b in zip(g, g[1:]))
            s.verdict("M8-34", steady and len(series) <= 8, series, rounded(g))
            late = [p for p in said if p.when > series[0].when + 1.5 + (1.9 if len(g) > 1 else 0)]
            s.verdict("M8-35", not late, late or series)
    s.verdict("M10-1", all(r.ttl == 120 for r in records if r.type in (1, 28, 33)
                           or r.type == 12 and arpa(r.name)), said[:2])
    s.verdict("M10-2", all(r.ttl == 4500 for r in records if r.type == 16 or r in shared),
              said[:2])
    s.verdict("M10-10", all(len({r.flush for r in members}) == 1 for members in found.values()),
              said[:2])
    both = [{(k, r.rdata) for k, m in sets(p.message.answers).items() for r in m
             if r.flush and r.type in (1, 28)} for p in said if p.family == 4
            and p.message.find(device.host, "A", "answers")]
    s.verdict("M10-9", bool(both) and all(x == both[0] for x in both), said)
    hosts = [r for r in records if r.type in (1, 28)]
    s.verdict("M3-7", bool(hosts) and all(len(r.name) == 2 and key(r.name)[1] == b"local"
                                          for r in hosts), said[:2])
    own = {key(device.host), key(device.instance), key(device.type)}
    foreign = [r for r in records if key(r.name) not in own and not arpa(r.name)
               and key(r.name)[-4:] != (b"_dns-sd", b"_udp", b"local")[-4:]
               and key(r.name)[1:4] != (b"_dns-sd", b"_udp", b"local")
               and key(r.name)[-len(device.type):] != key(device.type)]
    s.verdict("M6-1", not foreign, said[:2], str([str(r) for r in foreign]))
    wrong = [r for r in hosts if r.value not in (device.v4, device.v6)]
    s.verdict("M6-40", not wrong, said[:2], str([str(r) for r in wrong]))
    s.verdict("M8-2", has(device.host, "A") and has(device.host, "AAAA"), said[:2])
    s.verdict("S5-3", all(r.value[:2] == (0, 0) for r in records if r.type == 33), said[:1])
    s.verdict("S6-1", has(device.instance, "TXT"), said[:2])
    s.verdict("M11-1", all(p.hops == 255 for p in said), said[:2])
    for id, mask, value in (("M18-10", 0x7800, 0), ("M18-14", 0x400,
                            0x400), ("M18-17", 0x200, 0), ("M18-20", 0x100, 0), ("M18-22", 0x80,
                            0), ("M18-24", 0x40, 0), ("M18-26", 0x20, 0), ("M18-28", 0x10, 0),
                            ("M18-30", 15, 0)):
        s.verdict(id, all(p.message.flags & mask == value for p in said), said[:2])
    loose = []
    for p in said:
        seen = set()
        for r in p.message.records:
            if key(r.name) in seen and not r.owner_compressed:
                loose.append(p)
            seen.add(key(r.name))
    s.verdict("M18-34", not loose, loose or said[:1])
    s.verdict("M18-37", all(r.rdata_compressed for p in said for r in p.message.answers[1:]
                            if r.type in (12, 33) and not arpa(r.name)), said[:2])
    s.verdict("M17-1", all(len(p.payload) <= (1472 if p.family == 4 else 1452) for p in said),
              said[:2])
    s.verdict("M17-7", all(p.pieces == 1 for p in said), said[:2])
    s.verdict("M6-15.multicast", all(p.sport == 5353 for p in said), said[:2])
    s.verdict("M20-1.announced", {p.family for p in said} == {4, 6}, said)


@scene("announcing", "nothing, for half a minute",
       ("M8-36", "no periodic announcements"), quick=False, device="standard")
def idle(s):
    time.sleep(30)
    said = s.heard(s.first, lambda p: p.response)
    s.verdict("M8-36", not said, said)


@scene("announcing", "a single service, a query for a record that it has",
       ("M8-36.quick", "and nothing unasked for five seconds"), device="standard")
def idle_briefly(s):
    sight = s.ask((s.device.instance, "SRV"))
    reply = sight.answer(s.device.instance, "SRV")
    time.sleep(5)
    said = s.heard(sight.mark, lambda p: p.response)
    s.verdict("M8-36.quick", reply is not None and len(said) == 1, said)
