"""How long a device keeps what it knows (RFC 6762 sections 5.2 and 10)."""
import time

from check import Inconclusive, scene
from message import name, ptr, rr, srv

from .common import ELSEWHERE
from .querying import first_query, next_query, pointer, queries



def host(s):
    """A name that no other device of the run asks for."""
    return name(f"short-host-{s.device.number}-{s.family}", "local")


def watched(s, type_="A", timeout=30):
    """The device asks for records of a host's name."""
    labels = host(s)
    program = s.device.query(f"{labels[0].decode()}.local", type_, timeout)
    first = s.wait(lambda p: p.query and p.family == s.family and p.message.asks(labels), 6,
                   s.first)
    if first is None:
        raise Inconclusive("the device never asked")
    return program, first


def address(s, last, ttl, labels=None):
    return rr(labels or host(s), "A", ttl, bytes([10, 77, 0, last]), True)


@scene("refreshing", "a unique record with TTL 34 in answer to the first query, then nothing",
       ("M5-12", "queries at 80, 85, 90 and 95 % of the TTL"),
       ("M5-16", "each up to 2 % later, never earlier"),
       ("M5-18", "the next query is at 80 to 82 %"),
       ("M5-17", "no queries after 1, 2 and 4 s"),
       ("M5-11", "none before half the TTL"),
       ("M7-2", "none while the record is known"),
       ("M5-10", "asked for again before it ends"),
       ("M5-14", "after four queries it goes, at its end"),
       ("M5-9", "and is removed then"), families=(4, 6))
def unanswered(s):
    program, _ = watched(s, timeout=40)
    told = s.tell(address(s, 200, 34))
    if program.event("added", 1, type="A") is None:
        raise Inconclusive("the record was not taken")
    gone = program.event("removed", 34.8, type="A")
    asked = queries(s, host(s), family=s.family, mark=told.mark)
    at = [(p.when - told.when) / 0.34 for p in asked if p.when < told.when + 34]
    note = ", ".join(f"{x:.1f} %" for x in at)
    packets = [told.packet] + asked
    fit = [x for x in zip(at, (80, 85, 90, 95)) if -0.3 <= x[0] - x[1] <= 2.6]
    s.verdict("M5-12", len(at) == 4 and len(fit) == 4, packets, note)
    s.verdict("M5-16", len(at) == 4 and len(fit) == 4, packets, note)
    s.verdict("M5-18", bool(at) and 79.7 <= at[0] <= 82.6, packets, note)
    s.verdict("M5-17", bool(at) and at[0] > 50, packets, note)
    s.verdict("M5-11", bool(at) and at[0] > 50, packets, note)
    s.verdict("M7-2", bool(at) and at[0] > 79, packets, note)
    s.verdict("M5-10", bool(at), packets, note)
    ended = (gone[0] - told.when) if gone else -1
    for id in ("M5-14", "M5-9"):
        s.verdict(id, 33.9 <= ended <= 34.4 and len(at) <= 4, packets, f"removed at {ended:.2f} s")


@scene("refreshing", "a unique record with TTL 5, again upon the query at 80 %",
       ("M5-13", "the next query is 80 % of the TTL after that answer"), families=(4, 6))
def answered(s):
    program, _ = watched(s, timeout=40)
    told = s.tell(address(s, 200, 5))
    asked = next_query(s, host(s), "A", 6, told.mark)
    if asked is None:
        s.verdict("M5-13", False, told.packet, "no query")
        return
    again = s.tell(address(s, 200, 5))
    time.sleep(4.6)
    later = queries(s, host(s), family=s.family, mark=again.mark)
    at = [(p.when - again.when) * 20 for p in later]
    s.verdict("M5-13", bool(at) and 79 <= at[0] <= 83.5 and not program.events("removed"),
              [told.packet, asked, again.packet] + later, ", ".join(f"{x:.0f} %" for x in at))


@scene("refreshing", "a record that nobody on the device asked for, with TTL 4",
       ("M5-15", "no query for it"))
def not_wanted(s):
    s.device.browse()
    first_query(s, s.device.type)
    other = name("unwanted-host", "local")
    told = s.tell(address(s, 200, 4, labels=other))
    time.sleep(4.2)
    asked = queries(s, other, mark=told.mark)
    s.verdict("M5-15", not asked, [told.packet] + asked)


@scene("refreshing", "a PTR record, then the same with TTL 0",
       ("M10-4", "it is removed a second later, not at once"),
       ("M10-4.rescue", "if it comes again within the second it is not removed"),
       families=(4, 6))
def goodbye(s):
    watch = s.device.browse()
    first_query(s, s.device.type)
    peer = s.peer()             # a goodbye of anybody else may be mistaken or forged
    s.tell(pointer(s, "Leaving"), pointer(s, "Staying"), peer=peer)
    if watch.event("added", 1.5, instance="Staying") is None:
        raise Inconclusive("the record was not taken")
    time.sleep(0.2)
    told = s.tell(pointer(s, "Leaving", 0), pointer(s, "Staying", 0), peer=peer)
    time.sleep(0.5)
    rescue = s.tell(pointer(s, "Staying"))
    gone = watch.event("removed", 1.5, instance="Leaving")
    after = gone[0] - told.when if gone else -1
    s.verdict("M10-4", 0.95 <= after <= 1.3, told.packet, f"removed after {after:.2f} s")
    time.sleep(0.8)
    stayed = not watch.events("removed", instance="Staying")
    s.verdict("M10-4.rescue", stayed and gone is not None, [told.packet, rescue.packet])


@scene("refreshing", "two A records, 1.5 s later another with the cache-flush bit",
       ("M10-8", "the older ones are removed a second after it, not at once"),
       ("M10-8.new", "the new one stays"),
       ("M10-8.burst", "two with the bit half a second apart both stay"), families=(4, 6))
def flush(s):
    program, _ = watched(s, timeout=40)
    s.tell(address(s, 201, 120), address(s, 202, 120))
    if program.event("added", 1, rdata="10.77.0.202") is None:
        raise Inconclusive("the record was not taken")
    time.sleep(1.5)
    told = s.tell(address(s, 203, 120))
    time.sleep(0.5)
    other = s.tell(address(s, 204, 120))
    time.sleep(1.9)
    times = [(o["rdata"], t - told.when) for t, o in program.events("removed", type="A")]
    old = [t for a, t in times if a in ("10.77.0.201", "10.77.0.202")]
    packets = [told.packet, other.packet]
    s.verdict("M10-8", len(old) == 2 and all(0.9 <= t <= 1.35 for t in old), packets, str(times))
    s.verdict("M10-8.new", program.events("added", rdata="10.77.0.203") != []
              and "10.77.0.204" not in [a for a, _ in times], packets, str(times))
    s.verdict("M10-8.burst", program.events("added", rdata="10.77.0.204") != []
              and "10.77.0.203" not in [a for a, _ in times], packets, str(times))


@scene("refreshing", "an A record, then one of another type with the cache-flush bit",
       ("M10-8.type", "the bit concerns one name, type and class: the A record stays"))
def flush_other(s):
    program, _ = watched(s, timeout=40)
    s.tell(address(s, 201, 120))
    if program.event("added", 1, rdata="10.77.0.201") is None:
        raise Inconclusive("the record was not taken")
    time.sleep(1.3)
    told = s.tell(rr(host(s), "AAAA", 120, b"\xfe\x80" + bytes(13) + b"\1", True))
    time.sleep(1.6)
    s.verdict("M10-8.type", not program.events("removed"), told.packet)


@scene("refreshing", "the device is asked to reconfirm a record that nobody answers for",
       ("M10-22", "two or more queries within 10 s"),
       ("M10-23", "it is flushed 10 s after the first"))
def reconfirm(s):
    labels = name("doubtful-host", "local")
    program = s.device.reconfirm("doubtful-host.local", "A")
    first = s.wait(lambda p: p.query and p.message.asks(labels), 4, s.first)
    if first is None:
        raise Inconclusive("the device never asked")
    gone = program.event("gone", 12)
    asked = [p for p in queries(s, labels, family=4) if p.when < first.when + 10]
    s.verdict("M10-22", len(asked) >= 2, asked)
    after = gone[0] - first.when if gone else -1
    s.verdict("M10-23", 9 <= after <= 11.5, asked, f"gone after {after:.1f} s")


@scene("refreshing", "the device's question twice by another host, unanswered, 4 s after the "
       "answer",
       ("M10-25", "the record is removed some 10 s later"),
       ("M10-24", "as unanswered queries of others are a sign"),
       ("M10-26", "without queries of the device's own"))
def poof(s):
    watch = s.device.browse()
    first_query(s, s.device.type)
    s.tell(pointer(s, "Dead"))
    if watch.event("added", 1, instance="Dead") is None:
        raise Inconclusive("the record was not taken")
    # The device's own series would answer the question itself: between 3.1 and 7.1 s it is quiet.
    time.sleep(3.4)
    mark = s.link.mark()
    sights = []
    for _ in range(2):
        sights.append(s.ask((s.device.type, "PTR")))
        time.sleep(1.2)
    gone = watch.event("removed", 11, instance="Dead")
    after = gone[0] - sights[0].when if gone else -1
    packets = [x.packet for x in sights]
    s.verdict("M10-25", 8.5 <= after <= 12.5, packets, f"removed after {after:.1f} s")
    s.verdict("M10-24", gone is not None, packets)
    asked = [p for p in queries(s, s.device.type, "PTR", 4, mark)
             if any(r.value == name("Dead", s.device.type) for r in p.message.answers) is False]
    s.verdict("M10-26", len(asked) <= 1, packets + asked,
              "of its own series one query falls into this time")


@scene("refreshing", "records of one host on another's behalf in the additional section",
       ("S12-3", "they are used, and flush nothing of another name"))
def additionals(s):
    program, _ = watched(s, timeout=40)
    s.tell(address(s, 201, 120))
    if program.event("added", 1, rdata="10.77.0.201") is None:
        raise Inconclusive("the record was not taken")
    time.sleep(1.2)
    told = s.tell(rr(s.device.type, "PTR", 4500, ptr(name("Else", s.device.type))),
                  additional=[rr(name("Else", s.device.type), "SRV", 120, srv(1, ELSEWHERE), True),
                              address(s, 9, 120, labels=ELSEWHERE)])
    time.sleep(1.5)
    s.verdict("S12-3", not program.events("removed"), told.packet)
