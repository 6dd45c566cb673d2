"""How a device comes by its names: probes, ties, denials (RFC 6762 section 8.1 and 8.2)."""
import signal
import time

from check import Inconclusive, same_name, scene
from device import Program
from message import TYPES, copy, key, message, name, q, rr, srv, txt, wire

from .common import (ELSEWHERE, LATE, announced, arpa, first_probe, gaps, other_srv, probes,
                     rounded)


@scene("probing", "nothing: the device is started with one service",
       ("M2-1", "three probes for each unique name before it is announced"),
       ("M5-1", "the responder asks, too: it probes"),
       ("M8-3", "every unique record was in the authority section of the probes"),
       ("M8-4", "probes ask for type ANY, class IN"),
       ("M8-7", "three probes, 237 to 295 ms apart, in IPv4"),
       ("M8-7.ipv6", "three probes, 237 to 295 ms apart, in IPv6"),
       ("M8-8", "announced no earlier than 237 ms after the third probe"),
       ("M8-11", "probes have the QU bit"),
       ("M8-17", "reverse address names are not probed for"),
       ("M8-19", "each name asked for has records in the authority section"),
       ("M8-20", "the authority section has all of a name's records"),
       ("M10-12", "no cache-flush bit in the probes' authority sections"),
       ("M18-4", "the ID of probes is 0"),
       ("M18-12", "AA is 0 in probes"),
       ("M18-36", "names of the authority section are compressed"),
       ("M20-1", "probes over IPv4 and IPv6"))
def start(s):
    s.device.publish()
    s.device.established(s)
    time.sleep(0.2)
    mine = s.device.instance
    four = probes(s, mine, 4)
    asked = [p for p in s.heard() if p.query and p.message.authority]
    said = [p for p in s.heard() if p.response and p.multicast]
    unique = [r for p in said for r in p.message.answers if r.flush and not arpa(r.name)]
    names = {key(r.name) for r in unique}
    if not asked or not unique:
        for id in ("M2-1", "M5-1", "M8-3", "M8-7", "M20-1"):
            s.verdict(id, False, asked + said, "no probes" if not asked else "no unique records")
        return
    early = [n for n in names for p in said[:1]
             if len({round(x.when, 1) for x in asked if x.when < p.when
                     and x.family == p.family and x.message.asks(n)}) < 3]
    s.verdict("M2-1", not early, asked + said[:1], f"too few probes for {early}")
    s.verdict("M5-1", True, asked)
    proposed = [r for p in asked for r in p.message.authority]
    lacking = [str(r) for r in unique if not any(r.same(x) for x in proposed)]
    s.verdict("M8-3", not lacking, asked + said[:1], f"not proposed: {lacking}")
    questions = [x for p in asked for x in p.message.questions]
    s.verdict("M8-4", all(x.type == 255 and x.raw_class & 0x7FFF == 1 for x in questions), asked)
    for id, family in (("M8-7", 4), ("M8-7.ipv6", 6)):
        series = [p for p in probes(s, mine, family)]
        g = gaps(series)
        s.verdict(id, len(series) == 3 and all(237 <= x <= 250 + LATE for x in g), series,
                  f"{len(series)} probes, gaps {rounded(g)}")
    first = announced(s, mine, "SRV", 4)[:1]
    if four and first:
        wait = (first[0].when - four[-1].when) * 1000
        s.verdict("M8-8", 237 <= wait, four + first, f"{wait:.0f} ms")
    s.verdict("M8-11", all(x.qu for x in questions), asked)
    s.verdict("M8-17", not any(arpa(x.name) for x in questions), asked)
    s.verdict("M8-19", all(any(same_name(r.name, x.name) for r in p.message.authority)
                           for p in asked for x in p.message.questions), asked)
    short = [p for p in asked for n in {key(x.name) for x in p.message.questions}
             for r in unique if key(r.name) == n
             and not any(r.same(x) for x in p.message.authority)]
    s.verdict("M8-20", not short, short or asked[:1])
    s.verdict("M10-12", not any(r.flush for r in proposed), asked[:3])
    s.verdict("M18-4", all(p.message.id == 0 for p in asked), asked[:3])
    s.verdict("M18-12", not any(p.message.flags & 0x400 for p in asked), asked[:3])
    s.verdict("M18-36", all(r.owner_compressed for r in proposed), asked[:3])
    s.verdict("M20-1", {p.family for p in asked} == {4, 6}, asked)


@scene("probing", "nothing: the device is started eight times",
       ("M8-6", "the first probe is up to 250 ms late, at random: the eight differ by 50 ms"))
def first_delay(s):
    delays, packets = [], []
    for _ in range(8):
        mark = s.link.mark()
        program = s.device.publish()
        if not isinstance(program, Program):
            raise Inconclusive("what it does at its start takes a time of its own")
        packet = s.wait(lambda p: p.query and p.message.asks(s.device.instance), 4, mark)
        program.end(signal.SIGKILL)
        if packet is None:
            raise Inconclusive("the device never probed")
        packets.append(packet)
        delays.append((packet.when - program.started) * 1000)
    spread = max(delays) - min(delays)
    s.verdict("M8-6", spread >= 50, packets, rounded(delays))


# ---- ties

def rivalry(s, build, questions=None):
    """Starts the device and answers its first probe by a rival one."""
    s.device.publish()
    first = first_probe(s, s.device.instance, s.family)
    own = [r for r in first.message.authority if same_name(r.name, s.device.instance)]
    made = build(own)
    if not isinstance(made, bytes):
        made = message([q(s.device.instance, "ANY", True)], authority=made)
    return first, s.send(made)


def yields(s, id, build):
    """The device is to wait a second, and then probe for the same name again."""
    first, rival = rivalry(s, build)
    time.sleep(2.9)
    later = [p for p in probes(s, s.device.instance, s.family) if p.when > rival.when]
    seen = announced(s, s.device.instance, "SRV", s.family)
    wait = (later[0].when - rival.when) * 1000 if later else 0
    s.verdict(id, 950 <= wait <= 1250 + LATE and len(later) == 3 and bool(seen),
              [first, rival.packet] + later + seen[:1],
              f"probed again after {wait:.0f} ms, {len(later)} times")
    return wait, later, seen


def goes_on(s, id, build):
    """The device is to take no notice."""
    first, rival = rivalry(s, build)
    time.sleep(1.1)
    series = probes(s, s.device.instance, s.family)
    seen = announced(s, s.device.instance, "SRV", s.family)
    took = (seen[0].when - first.when) * 1000 if seen else 0
    s.verdict(id, len(series) == 3 and bool(seen) and took < 750 + 2 * LATE,
              series + [rival.packet] + seen[:1],
              f"{len(series)} probes, announced after {took:.0f} ms")


def of(records, type_):
    return [r for r in records if r.type == TYPES[type_]]


def without(records, type_):
    return [copy(r) for r in records if r.type != TYPES[type_]]


@scene("probing", "a rival probe whose SRV record is later",
       ("M8-21", "the records decide: the device waits"),
       ("M8-23", "it waits a second, then probes for the same name three times and takes it"),
       families=(4, 6))
def tie_lost(s):
    _, later, seen = yields(s, "M8-23", lambda own: without(own, "SRV") + [
        rr(s.device.instance, "SRV", 120, srv(8080, s.device.host, 1))])
    check = s.checks["M8-23"]
    s.verdict("M8-21", check.verdict == "pass", later + seen[:1], check.note)


@scene("probing", "a rival probe whose SRV record is earlier",
       ("M8-22", "the winner goes on as if nothing had come"), families=(4, 6))
def tie_won(s):
    goes_on(s, "M8-22", lambda own: without(own, "SRV") + [
        rr(s.device.instance, "SRV", 120, srv(7, s.device.host))])


@scene("probing", "a rival probe whose TXT record is earlier and whose SRV record is later",
       ("M8-27", "the lists are sorted by type: TXT decides, the device goes on"))
def tie_order(s):
    goes_on(s, "M8-27", lambda own: [
        rr(s.device.instance, "SRV", 120, srv(8080, s.device.host, 1)),
        rr(s.device.instance, "TXT", 4500, txt(b"a"))])


@scene("probing", "the device's own records, the SRV target compressed",
       ("M8-25", "names are compared in full: no conflict, the device goes on"))
def tie_compressed(s):
    def build(own):
        mine = s.device.instance
        target = of(own, "SRV")[0].value[3]
        local = 12 + len(wire(mine)) - 7
        squeezed = srv(8080, ())[:6] + wire(target[:-1])[:-1] + bytes([0xC0 | local >> 8,
                                                                      local & 255])
        return message([q(mine, "ANY", True)], authority=without(own, "SRV") + [
            rr(mine, "SRV", 120, squeezed)])
    goes_on(s, "M8-25", build)


@scene("probing", "a rival probe whose TXT record has 0xFE where the device's has a letter",
       ("M8-26", "bytes are unsigned numbers: the device waits a second"))
def tie_unsigned(s):
    def build(own):
        data = bytearray(of(own, "TXT")[0].rdata)
        data[1] = 0xFE
        return [rr(s.device.instance, "TXT", 4500, bytes(data))] + without(own, "TXT")
    yields(s, "M8-26", build)


@scene("probing", "a rival probe whose TXT record is the device's and a string more",
       ("M8-26.longer", "of two of which one begins the other the longer is later: it waits"))
def tie_longer_data(s):
    yields(s, "M8-26.longer", lambda own: [
        rr(s.device.instance, "TXT", 4500, of(own, "TXT")[0].rdata + b"\1z")]
        + without(own, "TXT"))


@scene("probing", "a rival probe with the device's records and one more",
       ("M8-28", "the list with records left wins: the device waits a second"))
def tie_more(s):
    yields(s, "M8-28", lambda own: [copy(r) for r in own] + [
        rr(s.device.instance, 65280, 120, b"\1")])


@scene("probing", "a rival probe with the device's first record alone",
       ("M8-28.fewer", "the list that ends first loses: the device goes on"))
def tie_fewer(s):
    goes_on(s, "M8-28.fewer", lambda own: [copy(r) for r in of(own, "TXT")])


@scene("probing", "a rival probe with one record of a higher type",
       ("M8-24", "after the class the type decides: the device waits a second"))
def tie_type(s):
    yields(s, "M8-24", lambda own: [rr(s.device.instance, 65280, 120, b"\0")])


@scene("probing", "the device's own probe, from another host",
       ("M8-29", "equal lists are no conflict: the device goes on"))
def tie_equal(s):
    goes_on(s, "M8-29", lambda own: [copy(r) for r in reversed(own)])


# ---- denials

def new_name(s, mark):
    """The first other name of the service's type that the device probes for."""
    def wanted(p):
        return p.query and p.message.authority and renamed(s, p)
    packet = s.wait(wanted, 8, mark)
    return packet, renamed(s, packet) if packet else None


def renamed(s, packet):
    for x in packet.message.questions:
        if key(x.name)[1:] == key(s.device.type) and not same_name(x.name, s.device.instance):
            return x.name
    return None


def denied(s, id, number, delay, record):
    """Denies the probe with this number, and looks who gets the name."""
    s.device.publish()
    mine = s.device.instance
    first_probe(s, mine, s.family)
    while len(series := probes(s, mine, s.family)) < number:
        if announced(s, mine, "SRV"):
            raise Inconclusive("no such probe")
        time.sleep(0.002)
    time.sleep(max(0, series[number - 1].when + delay - time.time()))
    denial = s.tell(record)
    packet, chosen = new_name(s, denial.mark)
    time.sleep(0.5)
    seen = announced(s, mine, "SRV")
    s.verdict(id, chosen is not None and not seen, series + [denial.packet, packet] + seen,
              "announced" if seen else f"next: {chosen}")
    return denial, packet, chosen


@scene("probing", "a response with another SRV record of the name, after the first probe",
       ("M8-12", "the name is given up"),
       ("M8-13", "another name is probed for"),
       ("M3-1", "the name is not used any more: it is not answered for"),
       ("M3-2", "another name is established"),
       ("M9-5", "the new name is made of the old one and a number"),
       ("SD-1", "the new name ends in (2) or -2"), families=(4, 6))
def denied_first(s):
    denial, packet, chosen = denied(s, "M8-12", 1, 0, other_srv(s))
    s.verdict("M8-13", chosen is not None, [denial.packet, packet])
    if chosen is None:
        return
    label = chosen[0].decode("utf-8", "replace")
    s.verdict("M9-5", label.startswith(s.device.label) and "2" in label, packet, label)
    s.verdict("SD-1", label[len(s.device.label):].strip(" -()#") == "2", packet, label)
    taken = s.wait(lambda p: p.response and p.message.find(chosen, "SRV", "answers"), 4,
                   denial.mark)
    s.verdict("M3-2", taken is not None, taken or packet)
    asked = s.ask((s.device.instance, "SRV"))
    wrong = asked.seen(0.6, lambda p: p.response and p.message.find(s.device.instance, "SRV"))
    s.verdict("M3-1", not wrong, [asked.packet] + wrong)


@scene("probing", "the same response 190 ms after the third probe",
       ("M8-12.late", "the name is given up"))
def denied_last(s):
    denied(s, "M8-12.late", 3, 0.19, other_srv(s))


@scene("probing", "a response with a record of the name that has a type which is not proposed",
       ("M8-15", "any type is a conflict: the name is given up"))
def denied_by_type(s):
    denied(s, "M8-15", 2, 0, rr(s.device.instance, "HINFO", 120, b"\1a\1b", flush=True))


@scene("probing", "the response again and again until the first probe leaves, then never",
       ("M8-14", "it is ignored: three probes, and the name is taken"))
def denied_before(s):
    peer = s.peer()
    s.device.publish()
    end, sent = time.time() + 4, []
    while time.time() < end and not probes(s, s.device.instance):
        sent.append(s.tell(other_srv(s), peer=peer).packet)
        time.sleep(0.012)
    series = probes(s, s.device.instance)
    if not series or sent[-1].when > series[0].when:
        raise Inconclusive("the last response crossed the first probe")
    packet = s.device.established(s, 3)
    series = probes(s, s.device.instance, 4)
    s.verdict("M8-14", len(series) == 3, sent[-2:] + series + [packet])


@scene("probing", "before the start a response with records of the name and a long TTL",
       ("M8-9", "what caches hold is no verdict: the name is probed for and taken"))
def cached_before(s):
    s.tell(rr(s.device.instance, "SRV", 4500, srv(9, ELSEWHERE), flush=True))
    time.sleep(0.3)
    s.device.publish()
    packet = s.device.established(s)
    series = probes(s, s.device.instance, 4)
    s.verdict("M8-9", len(series) >= 3, series + [packet])


def both_denied(s, id, host_first):
    """Denies the first probe for both names by one response, and looks what is announced."""
    s.device.publish()
    mine, host = s.device.instance, s.device.host
    first = s.wait(lambda p: p.query and p.family == 4 and p.message.authority
                   and p.message.asks(mine) and p.message.asks(host), 6, s.first)
    if first is None:
        raise Inconclusive("the two names are not probed for together")
    records = [rr(host, "A", 120, b"\xc0\0\2\x09", True), other_srv(s)]
    denial = s.tell(*(records if host_first else records[::-1]))
    time.sleep(2.3)
    seen = announced(s, mine, "SRV") + announced(s, host, "A")
    again = [p for p in probes(s, mine, 4) + probes(s, host, 4) if p.when > denial.when + 0.05]
    s.verdict(id, not seen, [first, denial.packet] + again[:2] + seen[:2])


@scene("probing", "one response that denies the host's name and the service's, in this order",
       ("M8-12.both", "both names are given up"))
def denied_both(s):
    both_denied(s, "M8-12.both", True)


@scene("probing", "one response that denies the service's name and the host's, in this order",
       ("M8-12.reverse", "both names are given up"))
def denied_reverse(s):
    both_denied(s, "M8-12.reverse", False)


@scene("probing", "a denial of every probe for 26 s",
       ("M8-16", "after 15 conflicts in 10 s the attempts are 5 s apart"),
       ("M9-6", "a further name after each denial"), quick=False)
def denied_always(s):
    s.device.publish()
    end, denials, peer, seen = time.time() + 26, [], s.peer(), set()
    mark = s.first
    while time.time() < end:
        packet = s.wait(lambda p: p.query and p.message.authority and p.family == 4,
                        end - time.time(), mark)
        if packet is None:
            break
        mark = s.link.since(0).index(packet) + 1
        names = {key(x.name): x.name for x in packet.message.questions if not arpa(x.name)}
        seen |= set(names)
        s.tell(*(other_srv(s, n) for n in names.values()), peer=peer, family=4)
        denials += [packet] * len(names)
    times = [p.when for p in denials]
    late = [b - a for i, (a, b) in enumerate(zip(times, times[1:]))
            if len([t for t in times[:i + 1] if t > a - 10]) >= 15]
    s.verdict("M9-6", len(set(times)) >= 5, denials[-8:] if len(denials) > 8 else s.heard(),
              f"{len(seen)} names")
    s.verdict("M8-16", bool(late) and all(x >= 4.95 or x < 0.001 for x in late), denials[-20:],
              "gaps " + ", ".join(f"{x:.1f}" for x in late))


# ---- names that are there

@scene("conflict", "probes for the device's name by another host",
       ("M8-10", "it is answered within 60 ms, while a probe waits 250 ms"),
       ("M6-22", "at once even if it asks two questions"),
       ("M6-46", "no random delay: the fastest of three is under 18 ms"),
       ("M5-29", "a QU probe is answered by unicast"),
       ("M6-23", "a QM probe 300 ms after the record was multicast is answered at once"),
       ("M6-23.early", "one 100 ms after it is answered 250 ms after it, not a second"),
       device="standard", families=(4, 6))
def defence(s):
    mine = s.device.instance
    rival = [rr(mine, "SRV", 120, srv(9, ELSEWHERE, 1))]
    packets, delays = [], []
    for _ in range(3):
        sight = s.ask((mine, "ANY", True), (name("nobody", s.device.type), "ANY", True),
                      **{"authority": rival})
        reply = sight.answer(mine, "SRV", 0.4)
        packets += [sight.packet, reply]
        if reply:
            delays.append(sight.after(reply))
            s.verdict("M5-29", reply.destination == sight.packet.source, [sight.packet, reply])
        time.sleep(0.05)
    if not delays:
        for id in ("M8-10", "M6-22", "M6-46", "M5-29", "M6-23"):
            s.verdict(id, False, packets, "not defended")
        return
    s.verdict("M8-10", len(delays) == 3 and max(delays) < 60, packets, rounded(delays))
    s.verdict("M6-22", len(delays) == 3 and max(delays) < 60, packets, rounded(delays))
    s.verdict("M6-46", min(delays) < 18, packets, rounded(delays))
    for id, wait in (("M6-23", 0.3), ("M6-23.early", 0.1)):
        s.quiet()
        asked = s.ask((mine, "SRV"))
        reply = asked.answer(mine, "SRV", multicast=True)
        if reply is None:
            raise Inconclusive("no answer to a plain query")
        time.sleep(max(0, reply.when + wait - time.time()))
        sight = s.ask((mine, "ANY"), authority=rival)
        second = sight.answer(mine, "SRV", 0.7, multicast=True)
        after = (second.when - reply.when) * 1000 if second else 0
        least = 300 if id == "M6-23" else 240
        s.verdict(id, second is not None and least <= after <= least + 70,
                  [asked.packet, reply, sight.packet, second], f"{after:.0f} ms after it")


