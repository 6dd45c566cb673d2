"""Checks as values, scenes that come to their verdicts, and the run of all of them."""
import os
import re
import threading
import time
import traceback

from message import QR, AA, Fault, key, q, query, response
from link import Peers

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
SCENES = []
PASS, FAIL, OPEN = "pass", "fail", "inconclusive"


class Inconclusive(Exception):
    """Why a scene could not come to a verdict."""


class Check:
    """One rule, how it is put to the test, and what came of it."""

    def __init__(self, scene, id, title, family):
        self.scene, self.id, self.title, self.family = scene, id, title, family
        self.rule = id.split(".")[0]
        self.verdict, self.note, self.evidence = OPEN, "no verdict", []
        self.failures = 0
        self.known = None

    @property
    def name(self):
        return f"{self.scene.name}/{self.id}" + (f"/ipv{self.family}" if self.family else "")

    def value(self):
        statement, level = STATEMENTS.get(self.rule, (None, None))
        return {"check": self.name, "rule": self.rule, "level": level, "statement": statement,
                "group": self.scene.group, "title": self.title, "sent": self.scene.sent,
                "verdict": self.verdict, "note": self.note, "known": self.known,
                "failedAttempts": self.failures, "evidence": self.evidence}


class Scene:
    """What is done to the device, once, and the checks that this serves."""

    def __init__(self, group, sent, checks, run, device, families, quick):
        self.group, self.sent, self.checks, self.run = group, sent, checks, run
        self.device, self.families, self.quick = device, families, quick
        self.name = run.__name__


def scene(group, sent, *checks, device=None, families=(None,), quick=True):
    """Declares a scene; a check is (id of its rule, what must or must not be seen). A second
    check of one rule is `id.word`. `device` says which one it needs: `standard`, established and
    quiet, or None, where the scene starts its own."""
    def declare(run):
        SCENES.append(Scene(group, sent, checks, run, device, families, quick))
        return run
    return declare


def statements():
    """The rules as the page of rules has them."""
    found = {}
    try:
        with open(f"{TOP}/.docs/rules.md", encoding="utf-8") as page:
            for row in page:
                cells = [c.strip() for c in re.split(r"(?<!\\)\|", row)]
                if len(cells) > 6 and re.fullmatch(r"[A-Z]+\d*-\d+", cells[1]):
                    found[cells[1]] = (cells[4], cells[3])
    except OSError:
        pass
    return found


STATEMENTS = statements()


class Sight:
    """A packet that was sent, and what the device does after it."""

    def __init__(self, stage, packet, mark):
        self.stage, self.packet, self.mark, self.when = stage, packet, mark, packet.when

    def seen(self, wait, wanted=lambda p: p.response and not enumeration(p)):
        """All of the device's packets until `wait` seconds after it. The enumeration of types
        is the one name that the devices share: an answer for it alone is another scene's."""
        left = self.when + wait - time.time()
        if left > 0:
            time.sleep(left)
        return [p for p in self.stage.heard(self.mark, wanted) if p.when <= self.when + wait]

    def first(self, wait, wanted=lambda p: p.response):
        return self.stage.link.wait(
            lambda p: self.stage.is_device(p) and wanted(p), self.mark, self.when + wait)

    def answer(self, labels, type_, wait=1.5, where=("answers",), **more):
        """The first response of the device that has this record. It may have to wait out the
        second of M6-21, and this machine may be busy."""
        return self.first(wait, lambda p: p.response and p.message.find(labels, type_, *where)
                          and all(getattr(p, k) == v for k, v in more.items()))

    def after(self, packet):
        return (packet.when - self.when) * 1000


def enumeration(packet):
    return all(key(r.name)[:2] == (b"_services", b"_dns-sd") for r in packet.message.records)


class Stage:
    """What a scene works with: the link, a device, peers, and its checks."""

    def __init__(self, link, peers, device, scene, family):
        self.link, self.peers, self.device, self.scene = link, peers, device, scene
        self.family = family or 4
        self.start = time.time()
        self.first = link.mark()
        self.checks = {id: Check(scene, id, title, family) for id, title in scene.checks}

    # ---- the device's packets

    def is_device(self, packet):
        return not packet.mine and packet.mac == self.device.mac

    def heard(self, mark=None, wanted=lambda p: True):
        mark = self.first if mark is None else mark
        return [p for p in self.link.since(mark) if self.is_device(p) and wanted(p)]

    def wait(self, wanted, within, mark=None):
        mark = self.link.mark() if mark is None else mark
        return self.link.wait(lambda p: self.is_device(p) and wanted(p), mark,
                              time.time() + within)

    def quiet(self, span=1.05):
        """Waits until the device has multicast nothing for a while (M6-21)."""
        end = time.time() + 12
        if self.device.restless:
            time.sleep(0.05)
            return
        while time.time() < end:
            last = [p.when for p in self.link.since(max(0, self.link.mark() - 3000))
                    if self.is_device(p) and p.multicast]
            left = (last[-1] + span - time.time()) if last else 0
            if left <= 0:
                return
            time.sleep(left + 0.005)
        raise Inconclusive("the device never was quiet")

    # ---- sending

    def peer(self):
        return self.peers.new()

    def send(self, payload, peer=None, family=None, **more):
        mark = self.link.mark()
        peer = peer or self.peer()
        packet = peer.send(payload, family or self.family, **more)
        if packet is None:
            raise Inconclusive("what was sent did not leave")
        return Sight(self, packet, mark)

    def ask(self, *questions, peer=None, family=None, to=None, sport=5353, known=(), **more):
        """Sends a query of (name, type) or (name, type, qu) or packed questions."""
        made = [x if isinstance(x, bytes) else q(*x) for x in questions]
        return self.send(query(*made, known=known, **more), peer, family, to=to, sport=sport)

    def tell(self, *records, peer=None, family=None, to=None, sport=5353, flags=QR | AA,
             source=None, hops=255, **more):
        """Sends a response."""
        return self.send(response(*records, flags=flags, **more), peer, family, to=to,
                         sport=sport, source=source, hops=hops)

    # ---- verdicts

    def verdict(self, id, ok, packets=(), note=""):
        """Says whether a rule was kept; the first failure of a scene stays."""
        check = self.checks[id]
        if check.verdict == FAIL:
            return ok
        check.verdict, check.note = (PASS if ok else FAIL), note
        packets = [packets] if hasattr(packets, "line") else list(packets)
        packets = sorted({id_(p): p for p in packets if p is not None}.values(),
                         key=lambda p: p.when)
        check.evidence = [p.line(self.start) for p in packets[:40]]
        return ok


def id_(packet):
    return packet.mark if isinstance(packet, Sight) else id(packet)


def perform(stage):
    """Runs a scene once."""
    try:
        stage.scene.run(stage)
    except Inconclusive as reason:
        left_open(stage, str(reason))
    except (Fault, OSError, ValueError) as error:
        left_open(stage, f"{type(error).__name__}: {error}")
    except Exception:                                       # noqa: BLE001
        left_open(stage, "the scene broke: " + traceback.format_exc(limit=-2))
    return stage.checks


def left_open(stage, reason):
    for check in stage.checks.values():
        if check.verdict == OPEN:
            check.note = reason
            check.evidence = [p.line(stage.start) for p in stage.heard()[-12:]]


class Run:
    """All scenes over all devices: each device takes the next scene that is left."""

    def __init__(self, link, devices, scenes, attempts, say):
        self.link, self.devices, self.attempts, self.say = link, devices, attempts, say
        self.peers, self.lock, self.done = Peers(link), threading.Lock(), []
        self.left = [(s, f) for s in scenes for f in s.families]
        # Those that start a device of their own take longest, so they come first.
        self.left.sort(key=lambda x: x[0].device is not None)

    def next(self, device):
        with self.lock:
            if not self.left:
                return None
            ready = [x for x in self.left if x[0].device == device.state] or self.left
            # Somebody must do the scenes on the standard device while others do the rest.
            if device.number == self.devices[0].number:
                ready = [x for x in self.left if x[0].device] or ready
            job = ready[0]
            self.left.remove(job)
            return job

    def work(self, device):
        while (job := self.next(device)) is not None:
            scene, family = job
            checks = self.one(device, scene, family)
            with self.lock:
                self.done += checks
                for check in checks:
                    self.say(check)
        device.stop()

    def one(self, device, scene, family):
        result = {}
        for attempt in range(self.attempts):
            stage = Stage(self.link, self.peers, device, scene, family)
            try:
                device.prepare(scene.device, stage)
                checks = perform(stage)
            except Inconclusive as reason:
                left_open(stage, str(reason))
                checks = stage.checks
            if scene.device is None:
                device.stop()
            for id, check in checks.items():
                old = result.get(id)
                if old is None or RANK[check.verdict] > RANK[old.verdict]:
                    check.failures += old.failures if old else 0
                    result[id] = check
                if check.verdict == FAIL:
                    result[id].failures += 1
            if all(c.verdict == PASS for c in result.values()):
                break
            if not any(c.verdict == FAIL for c in result.values()) and attempt:
                break
            device.stop()
        return list(result.values())

    def run(self):
        threads = [threading.Thread(target=self.work, args=(d,)) for d in self.devices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.done


RANK = {OPEN: 0, FAIL: 1, PASS: 2}
same_name = lambda a, b: key(a) == key(b)                    # noqa: E731
