#!/usr/bin/env python3
"""A device that breaks rules on purpose, so that each check can be seen to fail.

    broken.py KIND publish NAME TYPE PORT HOST [TXT…] | browse TYPE | query NAME TYPE | …

KIND, for a responder: `mute` sends nothing but one announcement; `parrot` answers whatever comes,
at once, by multicast and unicast, with all bits wrong, announces again and again, and probes for
nothing; `sloth` probes and answers well formed, but late; `timid` gives way to everything;
`bold` to nothing. As a querier `mute` asks nothing, `parrot` asks every 0.3 s with all bits
wrong and believes everything at once, the others ask a right series and believe nothing.
"""
import json
import os
import select
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import mdnsraw                                              # noqa: E402
from message import Fault, Message, a, aaaa, key, message, name, ptr, q, rr, srv, txt  # noqa: E402

GROUPS = {4: mdnsraw.GROUP4, 6: mdnsraw.GROUP6}


class Sockets:
    def __init__(self):
        self.by = {4: mdnsraw.sock4(), 6: mdnsraw.sock6()}

    def send(self, data, family=None, to=None):
        for f in (4, 6) if family is None else (family,):
            try:
                self.by[f].sendto(data, to or (GROUPS[f], 5353))
            except OSError:
                pass                                        # the cable is out

    def receive(self, wait):
        found = []
        for s in select.select(list(self.by.values()), [], [], max(0, wait))[0]:
            try:
                data, source = s.recvfrom(9000)
            except OSError:
                continue
            found.append((4 if s is self.by[4] else 6, data, source))
        return found


class Responder:
    def __init__(self, kind, label, service, port, host, *strings):
        self.kind, self.sockets, self.due = kind, Sockets(), []
        self.type = name(service, "local")
        self.instance, self.host = name(label.encode(), self.type), name(host, "local")
        number = int(os.uname().nodename.lstrip("h"))
        self.wrong = kind == "parrot"
        self.addresses = [a(f"10.77.0.{number}"), aaaa(f"fe80::ff:fe4d:{number:x}")]
        self.port, self.strings = int(port), [x.encode() for x in strings]

    def records(self, ttl=None):
        w = self.wrong
        short, long = (77, 78) if w else (120, 4500)
        if ttl is not None:
            short = long = ttl
        one = [("PTR", self.type, long, ptr(self.instance), w),
               ("PTR", name("_printer", "_sub", self.type), long, ptr(self.instance), w),
               ("PTR", name("_services._dns-sd._udp.local"), long, ptr(self.type), w),
               ("SRV", self.instance, short, srv(self.port, self.host, 5 if w else 0), not w),
               ("TXT", self.instance, long, txt(*self.strings), not w),
               ("A", self.host, short, self.addresses[0], not w),
               ("AAAA", self.host, short, self.addresses[1], not w)]
        if w:
            one += [("A", name("a.b", "local"), 5, a("127.0.0.1"), True),
                    ("A", self.host, 5, a("127.0.0.1"), True)]
        return [rr(n, t, life, data, flag) for t, n, life, data, flag in one]

    def response(self, **more):
        if self.wrong:
            more.update(id=0x4242, flags=0xFBF3 & ~0x400, questions=[q(self.instance, "SRV")])
        return message(answers=self.records(), **{"flags": 0x8400, **more})

    def probe(self):
        unique = self.records()[3:7]
        if self.kind == "sloth":            # the right form, the wrong pace, half the records
            unique = unique[:1]
        return message([q(self.instance, "ANY", True), q(self.host, "ANY", True)],
                       authority=unique)

    def run(self):
        stop = []
        signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
        signal.signal(signal.SIGHUP, lambda *_: stop.append(0))
        now = time.time()
        if self.kind == "mute":
            self.sockets.send(self.response())
        elif self.kind == "parrot":
            self.due = [(now + i * 0.3, self.response(), None, None) for i in range(400)]
        else:
            step = 0.4 if self.kind == "sloth" else 0.25
            self.due = [(now + i * step, self.probe(), None, None) for i in range(3)]
            self.due += [(now + (3 + i * 3) * step, self.response(), None, None)
                         for i in range(2)]
        while 1 not in stop:
            wait = min([d[0] for d in self.due] + [time.time() + 0.05]) - time.time()
            for family, data, source in self.sockets.receive(wait):
                self.react(family, data, source)
            now = time.time()
            ready = [d for d in self.due if d[0] <= now]
            self.due = [d for d in self.due if d[0] > now]
            for _, data, family, to in ready:
                self.sockets.send(data, family, to)

    def react(self, family, data, source):
        if source[0].startswith("fe80::ff:fe4d") or len(source[0]) < 11 and family == 4:
            return                          # others of its kind: they would never end
        if self.wrong:
            for to in (None, source):
                self.sockets.send(self.response(), family, to)
            return
        if self.kind == "mute":
            return
        try:
            m = Message(data)
        except (Fault, struct.error):
            return
        mine = [r for r in m.records if key(r.name) in (key(self.instance), key(self.host))]
        if self.kind == "timid" and (m.response or m.authority) and mine:
            # It starts all over, a second later, whatever it was.
            now = time.time()
            self.due = [(now + 1 + i * 0.25, self.probe(), None, None) for i in range(3)]
            self.due.append((now + 1.75, self.response(), None, None))
        if self.kind == "sloth" and not m.response and m.questions:
            self.due.append((time.time() + 0.75, self.response(), family, None))


class Querier:
    def __init__(self, kind, what, service=""):
        self.kind, self.sockets = kind, Sockets()
        self.name = name(what if what.endswith("local") else
                         what.encode() if service.startswith("_") else what)
        if service.startswith("_"):
            self.name = name(what.encode(), service, "local")
        elif not what.endswith("local"):
            self.name = name(what, "local")
        self.seen = {}

    def run(self):
        right = self.kind not in ("mute", "parrot")
        begun = time.time()
        gaps = iter([0.2, 1, 2, 4, 8, 16, 32, 64] if right else [0.1] + [0.3] * 1000)
        due = begun + next(gaps)
        while True:
            if time.time() >= due and self.kind != "mute":
                due += next(gaps)
                if right:
                    self.sockets.send(message([q(self.name, "PTR")]))
                else:
                    known = [rr(self.name, "PTR", 4500, data, True) for data, r in self.seen.items()
                             if r.type == 12][:40]
                    # An mdns query that says everything is wrong with it, and for all names.
                    self.sockets.send(message(
                        [q(x, t, True) for x in (self.name, name("host.example.com"),
                                                 name("host.example.com.local"))
                         for t in ("PTR", "A")], known, id=9, flags=0x7FF3))
            for _, data, _ in self.sockets.receive(min(0.05, due - time.time())):
                if self.kind != "parrot":
                    continue
                try:
                    m = Message(data)
                except (Fault, struct.error):
                    continue
                for r in m.records:
                    self.believe(r)

    def believe(self, r):
        label = r.value[0].decode("utf-8", "replace") if r.type == 12 and r.value else str(r.value)
        kind = "added" if r.ttl else "removed"
        self.seen[r.rdata] = r
        print(json.dumps({"event": kind, "instance": label, "rdata": str(r.value),
                          "type": mdnsraw.NAMES.get(r.type, "")}), flush=True)
        if r.flush:
            print(json.dumps({"event": "removed", "instance": label, "type": "A",
                              "rdata": "10.77.0.201"}), flush=True)


def main():
    kind, verb, *words = sys.argv[1:]
    if verb == "publish":
        Responder(kind, *words).run()
    else:
        Querier(kind, *words[:2]).run()


main()
