"""Records of other hosts that meet an established one (RFC 6762 sections 6.6 and 9)."""
import time

from check import Inconclusive, scene
from message import a, copy, name, ptr, rr, srv, txt

from .common import ELSEWHERE, announced, first_probe, other_srv, probes
from .probing import new_name


def ready(s):
    """A device of the scene's own, established and quiet."""
    s.device.publish()
    packet = s.device.established(s)
    time.sleep(max(0, packet.when + 1.3 - time.time()))
    s.quiet()
    return packet


def own(s, announcement, type_, labels=None):
    found = announcement.message.find(labels or s.device.instance, type_)
    if not found:
        raise Inconclusive(f"no {type_} record was announced")
    return found[0]


@scene("conflict", "a response with another SRV record of the name: as an answer, in the "
       "authority section, in the additional section; the probes stay unanswered",
       ("M9-2", "an answer sends the name back to probing within 0.3 s"),
       ("M9-2.authority", "so does a record of the authority section"),
       ("M9-2.additional", "and one of the additional section"),
       ("M8-37", "conflicts are seen in every response"),
       ("M6-51", "another host's record of a unique set is a conflict"),
       ("M9-4", "the device probes, keeps the name, and announces it again"))
def conflict(s):
    ready(s)
    kept, all_ = [], []
    for id, section in (("M9-2", "answers"), ("M9-2.authority", "authority"),
                        ("M9-2.additional", "additional")):
        record = other_srv(s)
        sight = s.tell(record) if section == "answers" else s.tell(**{section: [record]})
        first = sight.first(0.3, lambda p: p.query and p.message.authority
                            and p.message.asks(s.device.instance))
        s.verdict(id, first is not None, [sight.packet, first])
        again = sight.answer(s.device.instance, "SRV", 1.6, multicast=True)
        kept.append(again)
        all_ += [sight.packet, first, again]
        time.sleep(1.15)
        s.quiet()
    verdicts = [s.checks[i].verdict == "pass" for i in ("M9-2", "M9-2.authority",
                                                        "M9-2.additional")]
    s.verdict("M8-37", all(verdicts), all_)
    s.verdict("M6-51", any(verdicts), all_)
    s.verdict("M9-4", all(kept), all_)


@scene("conflict", "a response with another A record of the host's name, with cache flush",
       ("M9-2.host", "the host's name goes back to probing"), families=(4, 6))
def host_conflict(s):
    ready(s)
    sight = s.tell(rr(s.device.host, "A", 120, a("192.0.2.9"), flush=True))
    first = sight.first(0.4, lambda p: p.query and p.message.authority
                        and p.message.asks(s.device.host))
    s.verdict("M9-2.host", first is not None, [sight.packet, first])


@scene("conflict", "a response with another SRV record, and again upon each probe for the name",
       ("M9-3", "the name is given up: nothing answers for it"),
       ("M9-6.after", "a further name is probed for and established"),
       ("M10-3.renamed", "the old name's PTR record is withdrawn, or the old name is not listed"))
def conflict_lost(s):
    ready(s)
    peer = s.peer()
    sight = s.tell(other_srv(s), peer=peer)
    end, packets = time.time() + 3, [sight.packet]
    mark, chosen, found = sight.mark, None, None
    while time.time() < end and chosen is None:
        p = s.wait(lambda p: p.query and p.message.authority, 1.2, mark)
        if p is None:
            break
        mark = s.link.since(0).index(p) + 1
        packets.append(p)
        if p.message.asks(s.device.instance):
            packets.append(s.tell(other_srv(s), peer=peer).packet)
        found, chosen = new_name(s, sight.mark) if not p.message.asks(s.device.instance) else (
            None, None)
    if chosen is None:
        s.verdict("M9-6.after", False, packets, "no other name")
        s.verdict("M9-3", False, packets)
        return
    taken = s.wait(lambda p: p.response and p.message.find(chosen, "SRV", "answers"), 4,
                   sight.mark)
    s.verdict("M9-6.after", taken is not None, packets + [taken])
    time.sleep(1.2)
    asked = s.ask((s.device.instance, "SRV"))
    wrong = asked.seen(0.5, lambda p: p.response and p.message.find(s.device.instance, "SRV"))
    s.verdict("M9-3", not wrong, packets + [asked.packet] + wrong)
    listed = s.ask((s.device.type, "PTR")).seen(
        0.5, lambda p: p.response and any(r.value == s.device.instance and r.ttl for r in
                                          p.message.find(s.device.type, "PTR", "answers")))
    s.verdict("M10-3.renamed", not listed, listed)


@scene("conflict", "the device's own SRV record by another host, with its TTL and with half of it",
       ("M9-1", "identical data is no conflict: no probe"),
       ("M2-2", "two may have the same unique records: neither renames"),
       ("M6-52", "nothing is sent where the TTL is at least half"), families=(4, 6))
def same_data(s):
    record = own(s, ready(s), "SRV")
    sights = [s.tell(copy(record)), s.tell(copy(record, ttl=60))]
    said = sights[0].seen(1.6, lambda p: True)
    asked = [p for p in said if p.query and p.message.authority]
    s.verdict("M9-1", not asked, [x.packet for x in sights] + asked)
    s.verdict("M2-2", not asked, [x.packet for x in sights] + asked)
    s.verdict("M6-52", not said, [x.packet for x in sights] + said)


@scene("conflict", "the device's own records by another host with TTLs under half, and 0",
       ("M6-53", "a PTR record with TTL 100 of 4500 is announced again"),
       ("M6-53.unique", "so is an SRV record with TTL 59 of 120"),
       ("M10-5", "and a PTR record with TTL 0, before the second is over"), families=(4, 6))
def short_ttl(s):
    announcement = ready(s)
    pointer = own(s, announcement, "PTR", s.device.type)
    location = own(s, announcement, "SRV")
    for id, record, ttl, limit in (("M6-53", pointer, 100, 1.6), ("M6-53.unique", location, 59,
                                   1.6), ("M10-5", pointer, 0, 1.0)):
        s.quiet()
        sight = s.tell(copy(record, ttl=ttl))
        again = sight.first(limit, lambda p: p.response and p.multicast and any(
            r.same(record) and r.ttl == record.ttl for r in p.message.records))
        s.verdict(id, again is not None, [sight.packet, again])


@scene("conflict", "a PTR record of the device's type to another service",
       ("M6-50", "shared records are no conflict: nothing is sent"),
       ("M9-1.shared", "and nothing is probed"))
def other_pointer(s):
    ready(s)
    sight = s.tell(rr(s.device.type, "PTR", 4500, ptr(name(b"Another", s.device.type))))
    said = sight.seen(1.2, lambda p: True)
    s.verdict("M6-50", not [p for p in said if p.response], [sight.packet] + said)
    s.verdict("M9-1.shared", not [p for p in said if p.query and p.message.authority],
              [sight.packet] + said)


@scene("conflict", "conflicting responses that are not to be believed",
       ("M6-16", "one from source port 5354 is ignored: no probe"),
       ("M6-20", "one by unicast that was not asked for is ignored"),
       ("M11-2", "one by unicast from outside the link is ignored"),
       ("M18-11.response", "one with opcode 5 is ignored"),
       ("M18-31.response", "one with rcode 3 is ignored"),
       ("M7-6", "a record in the answer section of a query is ignored"),
       families=(4, 6))
def not_believed(s):
    ready(s)
    to = s.device.address(s.family)
    far = "192.0.2.9" if s.family == 4 else "2001:db8::9"
    ways = (("M6-16", lambda: s.tell(other_srv(s), sport=5354)),
            ("M6-20", lambda: s.tell(other_srv(s), to=to)),
            ("M11-2", lambda: s.tell(other_srv(s), to=to, source=far)),
            ("M18-11.response", lambda: s.tell(other_srv(s), flags=0xAC00)),
            ("M18-31.response", lambda: s.tell(other_srv(s), flags=0x8403)),
            ("M7-6", lambda: s.ask((s.device.instance, "HINFO"), known=[other_srv(s)])))
    for id, way in ways:
        sight = way()
        said = sight.seen(0.4, lambda p: p.query and p.message.authority)
        s.verdict(id, not said, [sight.packet] + said)


@scene("conflict", "a TXT record of the device's name that is another one",
       ("M9-2.txt", "each unique type is defended: the name is probed for again"))
def other_txt(s):
    ready(s)
    sight = s.tell(rr(s.device.instance, "TXT", 4500, txt(b"path=/other"), flush=True))
    first = sight.first(0.3, lambda p: p.query and p.message.authority
                        and p.message.asks(s.device.instance))
    s.verdict("M9-2.txt", first is not None, [sight.packet, first])


@scene("conflict", "a conflict while the announcements are under way",
       ("M9-2.announcing", "the name goes back to probing"))
def while_announcing(s):
    s.device.publish()
    s.device.established(s)
    time.sleep(0.3)
    sight = s.tell(rr(s.device.instance, "SRV", 120, srv(7, ELSEWHERE, 1), flush=True))
    first = sight.first(0.4, lambda p: p.query and p.message.authority
                        and p.message.asks(s.device.instance))
    s.verdict("M9-2.announcing", first is not None, [sight.packet, first])


@scene("conflict", "the host's name is denied upon its first probe",
       ("M8-12.host", "the host takes another name"),
       ("M9-5.host", "of one label, made of the old one and a number"))
def host_denied(s):
    s.device.publish()
    before = s.device.host
    first_probe(s, before)
    sight = s.tell(rr(before, "A", 120, a("192.0.2.9"), flush=True))
    s.device.established(s, 6)
    time.sleep(0.3)
    s.device.learn(s)
    old = announced(s, before, "A", mark=sight.mark)
    s.verdict("M8-12.host", s.device.host != before and not old,
              probes(s, before)[:3] + [sight.packet] + old)
    s.verdict("M9-5.host", len(s.device.host) == 2 and s.device.host[0].startswith(before[0][:2])
              and s.device.host != before, sight.packet, str(s.device.host))
    s.device.host = before
