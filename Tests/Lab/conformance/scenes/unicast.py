"""Answers by unicast: QU questions and direct queries (RFC 6762 sections 5.4, 5.5, 11)."""
import time

from check import scene
from message import q, query

from .common import LATE

FAR = {4: "192.0.2.9", 6: "2001:db8::9"}


def fresh(s):
    """Has the device multicast all that is asked for here."""
    mine, host = s.device.instance, s.device.host
    s.quiet()
    s.ask((s.device.type, "PTR"), (mine, "SRV"), (mine, "TXT"), (host, "A"), (host, "AAAA"))
    time.sleep(0.25)
    s.quiet()


@scene("unicast", "QU queries for records that were multicast a second before",
       ("M5-27", "answered by unicast to port 5353, with no multicast copy"),
       ("M5-30", "the cache-flush bit is set as in multicast"),
       ("M5-30.delay", "a shared record waits 20 to 120 ms"),
       ("M18-32", "of two questions each is answered as its own bit says"),
       ("M11-1.unicast", "hop limit 255"),
       ("M6-7.unicast", "no question in it"),
       ("M6-15.unicast", "source port 5353"),
       ("M18-14.unicast", "AA is 1"),
       device="standard", families=(4, 6))
def qu(s):
    fresh(s)
    mine = s.device.instance
    sight = s.ask((mine, "SRV", True))
    reply = sight.answer(mine, "SRV", 0.5)
    said = sight.seen(0.4)
    if reply is None:
        for id in s.checks:
            s.verdict(id, False, sight.packet, "no answer")
        return
    s.verdict("M5-27", reply.destination == sight.packet.source and reply.dport == 5353
              and not any(p.multicast for p in said), [sight.packet] + said)
    s.verdict("M5-30", all(r.flush for r in reply.message.answers), reply)
    s.verdict("M11-1.unicast", reply.hops == 255, reply)
    s.verdict("M6-7.unicast", not reply.message.questions, reply)
    s.verdict("M6-15.unicast", reply.sport == 5353, reply)
    s.verdict("M18-14.unicast", bool(reply.message.flags & 0x400), reply)
    sight = s.ask((s.device.type, "PTR", True))
    reply = sight.answer(s.device.type, "PTR", 0.5)
    delay = sight.after(reply) if reply else -1
    s.verdict("M5-30.delay", reply is not None and 19 <= delay <= 120 + LATE,
              [sight.packet, reply], f"{delay:.0f} ms")
    sight = s.ask((mine, "SRV", True), (mine, "TXT"))
    said = sight.seen(0.4)
    alone = [p for p in said if not p.multicast]
    group = [p for p in said if p.multicast]
    s.verdict("M18-32", any(p.message.find(mine, "SRV", "answers") for p in alone)
              and any(p.message.find(mine, "TXT", "answers") for p in group)
              and not any(p.message.find(mine, "TXT", "answers") for p in alone),
              [sight.packet] + said)


@scene("unicast", "a QU query more than a quarter of the TTL after the last multicast",
       ("M5-28", "the answer goes to the group"), quick=False, families=(4, 6))
def stale(s):
    s.device.publish()
    s.device.established(s)
    time.sleep(34)
    sight = s.ask((s.device.instance, "SRV", True))
    said = sight.seen(0.5)
    s.verdict("M5-28", any(p.multicast and p.message.find(s.device.instance, "SRV", "answers")
                           for p in said), [sight.packet] + said)


@scene("unicast", "queries sent to the device's own address and port 5353",
       ("M5-31", "answered as a QU question is: by unicast, no multicast copy"),
       ("M5-31.quiet", "a name of nobody: silence"),
       ("M5-32", "one from outside the link: nothing is sent"),
       ("M11-5", "nor by multicast"),
       ("M11-6", "a QU query to the group from outside the link is answered by multicast"),
       device="standard", families=(4, 6))
def direct(s):
    fresh(s)
    mine, to = s.device.instance, s.device.address(s.family)
    sight = s.ask((mine, "SRV"), to=to)
    reply = sight.answer(mine, "SRV", 0.5)
    said = sight.seen(0.3)
    s.verdict("M5-31", reply is not None and reply.destination == sight.packet.source
              and not any(p.multicast for p in said), [sight.packet] + said)
    quiet = s.ask(((b"nobody", b"local"), "A"), to=to)
    s.verdict("M5-31.quiet", reply is not None and not quiet.seen(0.3), [quiet.packet])
    far = s.send(query(q(mine, "TXT")), source=FAR[s.family], to=to)
    said = far.seen(0.4)
    s.verdict("M5-32", reply is not None and not said, [far.packet] + said)
    s.verdict("M11-5", reply is not None and not said, [far.packet] + said)
    s.quiet()
    far = s.send(query(q(mine, "SRV", True)), source=FAR[s.family])
    said = far.seen(0.4)
    s.verdict("M11-6", any(p.multicast and p.message.find(mine, "SRV", "answers") for p in said)
              and all(p.multicast for p in said), [far.packet] + said)


@scene("unicast", "queries with bits set that are to be ignored, and with some that are not",
       ("M18-13", "AA: answered"), ("M18-21", "RD: answered"), ("M18-23", "RA: answered"),
       ("M18-25", "Z: answered"), ("M18-27", "AD: answered"), ("M18-29", "CD: answered"),
       ("M18-11", "opcodes 1, 2, 4, 5: silence"), ("M18-31", "rcodes 1, 3, 5: silence"),
       ("M10-18", "an OPT record whose class has the top bit: answered"),
       ("A-25", "an OPT record with an option that is not known: answered"),
       ("A-17", "a probe without an authority section: answered"),
       ("A-11", "bytes after the message: answered"),
       ("M6-8.response", "a response with a question: silence"),
       device="standard", families=(4, 6))
def bits(s):
    fresh(s)
    mine = s.device.instance
    opt = b"\0" + b"\0\x29\xff\xff" + b"\0\0\0\0" + b"\0\0"
    option = b"\0" + b"\0\x29\x05\xa0" + b"\0\0\0\0" + b"\0\x06\xfd\xe9\0\2hi"
    answered = {"M18-13": {"flags": 0x400}, "M18-21": {"flags": 0x100}, "M18-23": {"flags": 0x80},
                "M18-25": {"flags": 0x40}, "M18-27": {"flags": 0x20}, "M18-29": {"flags": 0x10},
                "M10-18": {"additional": [opt]}, "A-25": {"additional": [option]}}
    peers = [s.peer() for _ in range(4)]
    for n, (id, more) in enumerate(answered.items()):
        sight = s.ask((mine, "SRV", True), peer=peers[n % 4], **more)
        reply = sight.answer(mine, "SRV", 0.4)
        s.verdict(id, reply is not None, [sight.packet, reply])
    sight = s.ask((mine, "ANY", True))
    reply = sight.answer(mine, "SRV", 0.4)
    s.verdict("A-17", reply is not None, [sight.packet, reply])
    sight = s.send(query(q(mine, "SRV", True)) + b"more\0\xff")
    reply = sight.answer(mine, "SRV", 0.4)
    s.verdict("A-11", reply is not None, [sight.packet, reply])
    for id, flags in (("M18-11", (0x800, 0x1000, 0x2000, 0x2800)), ("M18-31", (1, 3, 5)),
                      ("M6-8.response", (0x8400,))):
        sights = [s.ask((mine, "SRV", True), flags=f) for f in flags]
        said = sights[0].seen(0.25)
        s.verdict(id, not said, [x.packet for x in sights] + said)
    control = s.ask((mine, "SRV", True), peer=peers[0]).answer(mine, "SRV", 0.5)
    if control is None:
        for id in ("M18-11", "M18-31", "M6-8.response"):
            s.verdict(id, False, [], "the device answers nothing at all")


@scene("unicast", "a QU query, at the same moment as a QM query by another host",
       ("M5-27.both", "one answer by unicast, one by multicast"), device="standard")
def both(s):
    fresh(s)
    mine = s.device.instance
    one = s.ask((mine, "SRV", True))
    s.ask((mine, "SRV"))
    said = one.seen(0.4)
    s.verdict("M5-27.both", {p.multicast for p in said} == {True, False}, [one.packet] + said)
