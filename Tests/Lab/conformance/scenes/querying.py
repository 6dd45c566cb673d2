"""How a device asks (RFC 6762 sections 5.2 to 5.4, 7.1 to 7.3, RFC 6763 sections 5 and 12)."""
import signal
import time

from check import Inconclusive, scene
from message import key, name, ptr, rr, srv, txt

from .common import gaps, rounded

INVENTED = name("invented-host", "local")


def queries(s, labels, type_=None, family=None, mark=None):
    """The device's queries for a name."""
    return [p for p in s.heard(mark) if p.query and p.message.asks(labels, type_)
            and family in (None, p.family)]


def next_query(s, labels, type_, within, mark=None):
    mark = s.first if mark is None else mark
    return s.wait(lambda p: p.query and p.family == s.family and p.message.asks(labels, type_),
                  within, mark)


def first_query(s, labels, type_="PTR"):
    packet = next_query(s, labels, type_, 6)
    if packet is None:
        raise Inconclusive("the device never asked")
    return packet


def pointer(s, label, ttl=4500):
    return rr(s.device.type, "PTR", ttl, ptr(name(label, s.device.type)))


@scene("querying", "nothing: the device browses, and nobody answers for 8.5 s",
       ("M3-3", "queries go to the group and port 5353"),
       ("M5-4", "the second query is at least a second after the first"),
       ("M5-5", "each gap is at least twice the one before"),
       ("M5-19", "source port 5353"),
       ("M5-23", "no QU bit but in the first query"),
       ("M5-24", "repeated questions are QM questions"),
       ("M18-4.query", "ID 0"),
       ("M18-10.query", "opcode 0"), ("M18-12.query", "AA is 0"), ("M18-20.query", "RD is 0"),
       ("M18-22.query", "RA is 0"), ("M18-24.query", "Z is 0"), ("M18-26.query", "AD is 0"),
       ("M18-28.query", "CD is 0"), ("M18-30.query", "rcode 0"),
       ("M20-1.query", "over IPv4 and IPv6"),
       ("M5-20", "the group is listened to: an answer is found"),
       ("M10-12.query", "no records but known answers"))
def series(s):
    watch = s.device.browse()
    first_query(s, s.device.type)
    time.sleep(8.3)
    all_ = queries(s, s.device.type)
    for family in (4, 6):
        asked = queries(s, s.device.type, family=family)
        g = gaps(asked)
        if len(g) < 2:
            s.verdict("M5-4", False, asked, "fewer than three queries")
            continue
        s.verdict("M5-4", g[0] >= 995, asked, rounded(g))
        s.verdict("M5-5", all(b >= 1.9 * a for a, b in zip(g, g[1:])), asked, rounded(g))
        late = [p for p in asked[1:] if any(x.qu for x in p.message.questions)]
        s.verdict("M5-23", not late, asked)
        s.verdict("M5-24", not late, asked)
    s.verdict("M3-3", all(p.multicast and p.dport == 5353 for p in all_), all_)
    s.verdict("M5-19", all(p.sport == 5353 for p in all_), all_)
    for id, mask in (("M18-10", 0x7800), ("M18-12", 0x400), ("M18-20", 0x100),
                     ("M18-22", 0x80), ("M18-24", 0x40), ("M18-26", 0x20), ("M18-28", 0x10),
                     ("M18-30", 15)):
        s.verdict(id + ".query", not any(p.message.flags & mask for p in all_), all_[:3])
    s.verdict("M18-4.query", all(p.message.id == 0 for p in all_), all_[:3])
    s.verdict("M20-1.query", {p.family for p in all_} == {4, 6}, all_)
    s.verdict("M10-12.query", not any(r.flush for p in all_ for r in p.message.records), all_[:3])
    told = s.tell(pointer(s, "Late"))
    s.verdict("M5-20", watch.event("added", 1, instance="Late") is not None, told.packet)


@scene("querying", "nothing: the device starts to browse, eight times",
       ("M5-8", "the first query waits 20 to 120 ms at random: they differ by 20 ms"))
def first_delay(s):
    delays, packets = [], []
    for _ in range(8):
        mark = s.link.mark()
        program = s.device.browse()
        packet = next_query(s, s.device.type, "PTR", 3, mark)
        program.end(signal.SIGKILL)
        if packet is None:
            raise Inconclusive("the device never asked")
        delays.append((packet.when - program.started) * 1000)
        packets.append(packet)
    s.verdict("M5-8", max(delays) - min(delays) >= 20 and min(delays) >= 20, packets,
              rounded(delays))


@scene("querying", "a PTR record with TTL 4500 in answer to the first query, one with TTL 4, and "
       "later the same question",
       ("M5-6", "the next query has the answer in it"),
       ("M7-1", "in its answer section"),
       ("M10-14", "without the cache-flush bit"),
       ("M7-5", "an answer with less than half its TTL left is left out"),
       ("M7-5.kept", "with more than half it is listed"),
       ("M7-1.ttl", "with the TTL that is left"), families=(4, 6))
def known_answers(s):
    s.device.browse()
    first = first_query(s, s.device.type)
    long, short = pointer(s, "Long"), pointer(s, "Short", 4)
    told = s.tell(long, short)
    second = next_query(s, s.device.type, "PTR", 2.5, told.mark)
    if second is None:
        s.verdict("M5-6", False, [first, told.packet], "no second query")
        s.verdict("M7-1", False, [first, told.packet], "no second query")
        return

    def listed(p, label):
        return [r for r in p.message.records if r.value == name(label, s.device.type)]

    have = listed(second, "Long")
    s.verdict("M5-6", bool(have), [told.packet, second])
    s.verdict("M7-1", bool(have) and have[0].section == "answers", [told.packet, second])
    s.verdict("M10-14", bool(have) and not any(r.flush for r in second.message.records), second)
    s.verdict("M7-1.ttl", bool(have) and 4490 <= have[0].ttl <= 4500, second)
    time.sleep(max(0, told.when + 3.7 - time.time()))
    asked = queries(s, s.device.type, "PTR", s.family, told.mark)
    early = [p for p in asked if p.when < told.when + 1.9]
    late = [p for p in asked if p.when > told.when + 2.1]
    s.verdict("M7-5.kept", bool(early) and all(listed(p, "Short") for p in early), early)
    s.verdict("M7-5", bool(late) and not any(listed(p, "Short") for p in late), late)


@scene("querying", "200 PTR records after the first query",
       ("M7-7", "the next query has the question and as many known answers as fit"),
       ("M7-8", "it has TC set"),
       ("M7-9", "packets with answers and no question follow at once"),
       ("M7-10", "TC is set on all but the last; each answer is in one of them"),
       ("M17-1.query", "none is over 1472 bytes (1452 in IPv6)"),
       ("M18-36.query", "names of the known answers are compressed"), families=(4, 6))
def many_known(s):
    s.device.browse()
    first = first_query(s, s.device.type)
    peer = s.peer()
    for start in range(0, 200, 20):
        told = s.tell(*(pointer(s, f"Known {i:04d}") for i in range(start, start + 20)), peer=peer)
    query = next_query(s, s.device.type, "PTR", 4, told.mark)
    if query is None:
        raise Inconclusive("no further query")
    time.sleep(0.3)
    burst = [p for p in s.heard(told.mark) if p.query and p.family == s.family
             and 0 <= p.when - query.when < 0.25]
    records = [key(r.value) for p in burst for r in p.message.answers]
    limit = 1472 if s.family == 4 else 1452
    s.verdict("M7-7", len(query.payload) > limit - 60 and bool(query.message.questions), burst)
    s.verdict("M7-8", bool(query.message.flags & 0x200), burst)
    s.verdict("M7-9", len(burst) > 1 and not any(p.message.questions for p in burst[1:])
              and burst[-1].when - query.when < 0.1, burst)
    s.verdict("M7-10", [bool(p.message.flags & 0x200) for p in burst]
              == [True] * (len(burst) - 1) + [False]
              and len(records) == len(set(records)) == 200, burst, f"{len(set(records))} answers")
    s.verdict("M17-1.query", all(len(p.payload) <= limit for p in burst), burst)
    s.verdict("M18-36.query", all(r.owner_compressed and r.rdata_compressed
                                  for p in burst[:1] for r in p.message.answers), burst[:1])


@scene("querying", "the device's question by another host 0.1 s before the device's second query",
       ("M7-14", "the device leaves its own out"),
       ("M7-14.more", "it asks where the other knows an answer that it does not"))
def duplicate_question(s):
    for id, known in (("M7-14", ()), ("M7-14.more", (pointer(s, "Only Theirs"),))):
        watch, mark = s.device.browse(), s.link.mark()
        first = next_query(s, s.device.type, "PTR", 4, mark)
        if first is None:
            raise Inconclusive("the device never asked")
        time.sleep(max(0, first.when + 0.9 - time.time()))
        peer = s.peer()
        sights = [s.ask((s.device.type, "PTR"), known=known, family=f, peer=peer)
                  for f in (4, 6)]
        second = next_query(s, s.device.type, "PTR", 0.9, sights[0].mark)
        s.verdict(id, (second is None) == (id == "M7-14"), [first, sights[0].packet, second])
        watch.end(signal.SIGKILL)


@scene("querying", "PTR alone, then SRV alone, then A alone, each when it is asked for",
       ("S5-1", "SRV and TXT of the instance are asked for"),
       ("S12-2", "what no additional section had is asked for, and the service resolved"),
       ("S14-1", "A and AAAA of the host are asked for"),
       ("M18-35", "names in the questions are compressed"),
       ("M5-21.query", "several questions may share a query"))
def step_by_step(s):
    program = s.device.resolve("Stepwise")
    mine = name("Stepwise", s.device.type)
    first = s.wait(lambda p: p.query and p.message.asks(mine), 4, s.first)
    if first is None:
        raise Inconclusive("the device never asked")
    s.tell(rr(mine, "SRV", 120, srv(80, INVENTED), True), rr(mine, "TXT", 4500, txt(b"a=b"), True))
    host = s.wait(lambda p: p.query and p.message.asks(INVENTED), 2, s.first)
    s.tell(rr(INVENTED, "A", 120, b"\x0a\x4d\0\x63", True))
    done = program.wait(lambda line: "10.77.0.99" in line, 4)
    asked = [x.type for p in queries(s, mine) for x in p.message.asks(mine)]
    s.verdict("S5-1", {33, 16} <= set(asked) or 255 in asked, first)
    hosts = [x.type for p in queries(s, INVENTED) for x in p.message.asks(INVENTED)]
    s.verdict("S14-1", {1, 28} <= set(hosts) or 255 in hosts, [first, host])
    s.verdict("S12-2", done is not None, s.heard(s.first))
    several = [p for p in s.heard() if p.query and len(p.message.questions) > 1]
    if several:
        p = several[0]
        plain = sum(len(x) + 1 for y in p.message.questions for x in y.name)
        s.verdict("M18-35", len(p.payload) < 12 + plain + 5 * len(p.message.questions), p)
        s.verdict("M5-21.query", True, p)
    else:
        s.checks["M18-35"].note = s.checks["M5-21.query"].note = "one question in each query"


@scene("querying", "nothing: names of link-local addresses and of other domains are looked up",
       ("M4-1", "PTR of a 169.254 address is asked of the group"),
       ("M4-2", "PTR of fe80, fe90, fea0 and feb0 addresses"),
       ("M13-2", "host.example.com is not asked by multicast"),
       ("M21-1", "nor host.example.com.local"),
       ("M21-2", "a name without a dot is asked as name.local"))
def lookups(s):
    for id, address in (("M4-1", "169.254.9.8"), ("M4-2", "fe80::9"), ("M4-2", "fe90::9"),
                        ("M4-2", "fea0::9"), ("M4-2", "feb0::9")):
        mark = s.link.mark()
        program = s.device.lookup(address, 1)
        packet = s.wait(lambda p: p.query and p.multicast and any(
            key(x.name)[-1] == b"arpa" and x.type == 12 for x in p.message.questions), 2, mark)
        s.verdict(id, packet is not None, packet)
        program.end()
    mark = s.link.mark()
    programs = [s.device.lookup("host.example.com", 1), s.device.query("host.example.com", "A", 1)]
    time.sleep(1.2)
    said = s.heard(mark, lambda p: p.query)
    s.verdict("M13-2", not any(p.message.asks(name("host.example.com")) for p in said), said)
    s.verdict("M21-1", not any(p.message.asks(name("host.example.com.local")) for p in said), said)
    mark = s.link.mark()
    programs.append(s.device.lookup("onelabel", 1))
    packet = s.wait(lambda p: p.query and p.message.asks(name("onelabel.local")), 2, mark)
    s.verdict("M21-2", packet is not None, packet)


@scene("querying", "the interface goes down while the device browses, and comes up",
       ("M5-22", "the first query after that has the QU bit"),
       ("M5-23.again", "the second has not"),
       ("M10-20", "what was found is asked for anew, or removed"))
def replug(s):
    watch = s.device.browse()
    first_query(s, s.device.type)
    s.tell(pointer(s, "Before"))
    watch.event("added", 1, instance="Before")
    time.sleep(0.5)
    s.device.cable(False)
    time.sleep(0.7)
    mark = s.link.mark()
    s.device.cable(True)
    time.sleep(2.6)
    asked = queries(s, s.device.type, "PTR", 4, mark)
    s.verdict("M5-22", bool(asked) and asked[0].message.questions[0].qu, asked)
    s.verdict("M5-23.again", len(asked) > 1 and not asked[1].message.questions[0].qu, asked)
    s.verdict("M10-20", bool(asked) or bool(watch.events("removed", instance="Before")), asked)


@scene("querying", "nothing: another program on the device's host has port 5353",
       ("M15-1", "both get what is multicast"),
       ("M15-2", "the second asks no QU question"))
def second_stack(s):
    one = s.device.browse()
    first_query(s, s.device.type)
    time.sleep(0.3)
    mark = s.link.mark()
    two = s.device.browse()
    packet = next_query(s, s.device.type, "PTR", 0.8, mark)
    told = s.tell(pointer(s, "Both"))
    found = [w.event("added", 1, instance="Both") for w in (one, two)]
    s.verdict("M15-1", all(found), told.packet)
    asked = queries(s, s.device.type, "PTR", 4, mark)
    s.verdict("M15-2", not any(x.qu for p in asked for x in p.message.questions),
              asked or [packet])
