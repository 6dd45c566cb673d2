"""What several scenes ask of packets."""
from check import Inconclusive
from message import key, rr, srv, name

# Milliseconds by which a busy machine may be later than the RFC's figure; never earlier.
LATE = 45
ELSEWHERE = name("elsewhere", "local")


def probes(s, labels, family=None, mark=None):
    """The device's probes for a name."""
    return [p for p in s.heard(mark) if p.query and p.message.authority
            and p.message.asks(labels) and family in (None, p.family)]


def announced(s, labels, type_, family=None, mark=None):
    """The device's multicast responses that have a record as an answer."""
    return [p for p in s.heard(mark) if p.response and p.multicast and family in (None, p.family)
            and p.message.find(labels, type_, "answers")]


def first_probe(s, labels, family=4, within=6):
    packet = s.wait(lambda p: p.query and p.multicast and p.family == family
                    and p.message.asks(labels) and p.message.authority, within, s.first)
    if packet is None:
        raise Inconclusive("the device never probed")
    return packet


def other_srv(s, labels=None, ttl=120):
    """The record of another host that has the service's name."""
    return rr(labels or s.device.instance, "SRV", ttl, srv(9, ELSEWHERE, 1), flush=True)


def gaps(packets):
    return [(b.when - a.when) * 1000 for a, b in zip(packets, packets[1:])]


def rounded(numbers):
    return ", ".join(f"{x:.0f}" for x in numbers) + " ms"


def sets(records):
    """Records by their set: name, type, class."""
    found = {}
    for r in records:
        found.setdefault((key(r.name), r.type, r.cls), []).append(r)
    return found


def arpa(labels):
    return key(labels)[-1:] == (b"arpa",)
