"""The device under test: a host of the lab, and a program on it that publishes or browses."""
import json
import os
import signal
import subprocess
import threading
import time

from check import Inconclusive, TOP
from message import name

LAB = f"{TOP}/Tests/Lab/lab"
HERE = os.path.dirname(os.path.abspath(__file__))
SUFFIX = "wire"


class Program:
    """A program on the device, and the lines it prints with their times."""

    def __init__(self, device, words):
        self.device, self.lines, self.changed = device, [], threading.Condition()
        self.started = time.time()
        self.process = subprocess.Popen(
            device.inside(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")
        threading.Thread(target=self.read, daemon=True).start()
        device.programs.append(self)

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append((time.time(), line.rstrip("\n")))
                self.changed.notify_all()

    def wait(self, wanted, within):
        """The first line as wanted, and its time."""
        deadline, at = time.time() + within, 0
        with self.changed:
            while True:
                for when, line in self.lines[at:]:
                    if wanted(line):
                        return when, line
                at = len(self.lines)
                left = deadline - time.time()
                if left <= 0:
                    return None
                self.changed.wait(left)

    def objects(self):
        """The lines that are objects of JSON."""
        found = []
        with self.changed:
            lines = list(self.lines)
        for when, line in lines:
            if line.startswith("{"):
                try:
                    found.append((when, json.loads(line)))
                except ValueError:
                    pass
        return found

    def events(self, kind, **members):
        return [(t, o) for t, o in self.objects() if o.get("event") == kind
                and all(o.get(k) == v for k, v in members.items())]

    def event(self, kind, within, **members):
        """The first event as wanted, if it comes in time."""
        def wanted(line):
            if not line.startswith("{"):
                return False
            try:
                o = json.loads(line)
            except ValueError:
                return False
            return o.get("event") == kind and all(o.get(k) == v for k, v in members.items())
        return self.wait(wanted, within)

    def end(self, how=signal.SIGTERM, within=5):
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(within)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self in self.device.programs:
            self.device.programs.remove(self)


class Device:
    """One host of the lab. A kind of target says how it publishes and browses."""
    can_update = False
    restless = False            # never quiet: a broken one

    def __init__(self, number, lab_dir, program):
        self.number, self.program = number, program
        self.mac = bytes([2, 0, 0, 0x4D, number >> 8, number & 255])
        self.v4, self.v6 = f"10.77.0.{number}", f"fe80::ff:fe4d:{number:x}"
        with open(f"{lab_dir}/h{number}/anchor", encoding="ascii") as file:
            self.anchor = file.read().split()[0]
        self.programs, self.state, self.restarts = [], None, 0
        # Names of this device alone: others of the run don't answer for them.
        self.type = name(f"_wire{number}", "_tcp", "local")
        self.service = f"_wire{number}._tcp"
        self.host = name(f"h{number}-{SUFFIX}", "local")
        self.label = f"Wire {number}"

    @property
    def instance(self):
        return name(self.label.encode(), self.type)

    def address(self, family):
        return self.v4 if family == 4 else self.v6

    def inside(self, *words):
        return ["nsenter", "-t", self.anchor, "-n", "-m", "-u", "--", *words]

    def run(self, *words):
        done = subprocess.run(self.inside(*words), capture_output=True, text=True, timeout=20)
        if done.returncode:
            raise Inconclusive(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def cable(self, is_in):
        """The device's interface goes down, or up with all it had."""
        if not is_in:
            self.run("ip", "link", "set", "lan0", "down")
            return
        self.run("sh", "-c", "ip link set lan0 up; ip route replace 224.0.0.0/4 dev lan0")

    # ---- the standard device

    def prepare(self, wanted, stage):
        if wanted == self.state == "standard" and self.programs:
            if all(p.process.poll() is None for p in self.programs):
                self.learn(stage)
                stage.quiet()
                stage.first = stage.link.mark()
                return
        self.stop()
        if wanted == "standard":
            self.publish()
            self.established(stage)
            self.state = wanted
            # Both announcements and the second after them.
            time.sleep(1.0)
            self.learn(stage)
            stage.quiet()
            stage.first = stage.link.mark()

    def established(self, stage, within=8, label=None):
        """Waits for the announcement of the service, and learns its host's name from it."""
        labels = name((label or self.label).encode(), self.type)
        packet = stage.link.wait(
            lambda p: stage.is_device(p) and p.response and p.multicast
            and p.message.find(labels, "SRV", "answers"), stage.first, time.time() + within)
        if packet is None:
            raise Inconclusive("the service was not announced in time")
        self.learn(stage)
        return packet

    def learn(self, stage):
        for p in reversed(stage.link.since(stage.first)):
            if stage.is_device(p) and p.response:
                for r in p.message.records:
                    if r.is_(self.instance, "SRV") and r.ttl:
                        self.host = r.value[3]
                        return

    def stop(self):
        for program in list(self.programs):
            program.end()
        self.state = None

    # ---- what a target can

    def cannot(self, *_, **__):
        raise Inconclusive("this target has no way to do that")

    publish = update = browse = resolve = query = reconfirm = lookup = cannot


class MDNS(Device):
    """The project's own program."""

    def publish(self, label=None, txt=("path=/x", "empty=", "flag"), port=8080, options=()):
        return Program(self, [
            self.program, "publish", "--json", label or self.label, self.service, str(port), *txt,
            "-s", "printer", "--host-suffix", SUFFIX, *options])

    def browse(self, resolving=False, options=()):
        more = ["--resolve"] if resolving else []
        return Program(self, [self.program, "browse", "--json", self.service, *more, *options])

    def query(self, labels, type_, timeout=30, options=()):
        return Program(self, [self.program, "query", "--json", labels, type_, "--timeout",
                              str(timeout), *options])

    def resolve(self, label, timeout=5):
        return Program(self, [self.program, "resolve", "--json", label, self.service,
                              "--timeout", str(timeout)])

    def reconfirm(self, labels, type_):
        return Program(self, [self.program, "reconfirm", "--json", labels, type_])

    def lookup(self, what, timeout=3):
        return Program(self, [self.program, "lookup", "--json", what, "--timeout", str(timeout)])


SERVICE = """<?xml version="1.0" standalone='no'?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<service-group><name>{label}</name><service><type>{type}</type>
<subtype>_printer._sub.{type}</subtype><port>{port}</port>{txt}</service></service-group>
"""


class Avahi(Device):
    """avahi-daemon, for comparison."""
    can_update = True

    def daemon(self, options=()):
        subprocess.run([LAB, "avahi", str(self.number), f"host-name=h{self.number}-{SUFFIX}",
                        *options], check=True, capture_output=True, timeout=30)
        self.running = True

    def write(self, label, txt, port):
        lines = "".join(f"<txt-record>{t}</txt-record>" for t in txt)
        text = SERVICE.format(label=label, type=self.service, port=port, txt=lines)
        subprocess.run(self.inside("sh", "-c", "cat > /etc/avahi/services/wire.service"),
                       input=text, text=True, check=True)

    def publish(self, label=None, txt=("path=/x", "empty=", "flag"), port=8080, options=()):
        if options or any(len(t) > 200 for t in txt):
            self.cannot()
        self.write(label or self.label, txt, port)
        self.daemon()

    def update(self, txt):
        self.write(self.label, txt, 8080)

    def browse(self, resolving=False, options=()):
        if resolving:
            self.cannot()
        self.daemon()
        return AvahiBrowser(self, ["avahi-browse", "-p", "-k", self.service])

    def prepare(self, wanted, stage):
        if wanted == self.state == "standard":
            self.learn(stage)
            stage.quiet()
            stage.first = stage.link.mark()
            return
        super().prepare(wanted, stage)

    def stop(self):
        super().stop()
        if getattr(self, "running", False):
            subprocess.run([LAB, "stop", str(self.number), "avahi"], capture_output=True)
            self.run("rm", "-f", "/etc/avahi/services/wire.service")
            self.running = False


class AvahiBrowser(Program):
    """Its lines as events."""

    def objects(self):
        found = []
        with self.changed:
            lines = list(self.lines)
        for when, line in lines:
            parts = line.split(";")
            if len(parts) >= 6 and parts[0] in "+-":
                found.append((when, {"event": "added" if parts[0] == "+" else "removed",
                                     "instance": unescaped(parts[3])}))
        return found

    def event(self, kind, within, **members):
        deadline = time.time() + within
        while True:
            if found := self.events(kind, **members):
                return found[0]
            if time.time() > deadline:
                return None
            time.sleep(0.01)


def unescaped(text):
    out, at = bytearray(), 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1:at + 4].isdigit():
            out.append(int(text[at + 1:at + 4]))
            at += 4
        else:
            out += text[at].encode()
            at += 1
    return out.decode("utf-8", "replace")


class Zeroconf(Device):
    """python-zeroconf, for comparison."""
    can_update = True

    def publish(self, label=None, txt=("path=/x", "empty=", "flag"), port=8080, options=()):
        if options:
            self.cannot()
        self.publisher = Program(self, [
            "python3", "-u", f"{TOP}/Tests/Lab/zc_publish.py", label or self.label, self.service,
            str(port), *txt, f"@host=h{self.number}-{SUFFIX}", "@new=yes"])
        return self.publisher

    def update(self, txt):
        self.publisher.process.send_signal(signal.SIGHUP)

    def browse(self, resolving=False, options=()):
        return ZeroconfBrowser(self, [
            "python3", "-u", f"{TOP}/Tests/Lab/zc_browse.py", self.service])


class ZeroconfBrowser(AvahiBrowser):
    def objects(self):
        found = []
        with self.changed:
            lines = list(self.lines)
        for when, line in lines:
            if line[:2] in ("+ ", "- "):
                label = line[2:].split("._wire")[0]
                found.append((when, {"event": "added" if line[0] == "+" else "removed",
                                     "instance": label}))
        return found


class Broken(MDNS):
    """`broken.py`: a device that breaks rules on purpose, so that checks can be seen to fail."""
    can_update = True

    @property
    def restless(self):
        return self.program == "parrot"

    def script(self, *words):
        return Program(self, ["python3", "-u", f"{HERE}/broken.py", self.program, *words])

    def publish(self, label=None, txt=("path=/x", "empty=", "flag"), port=8080, options=()):
        self.publisher = self.script(
            "publish", label or self.label, self.service, str(port), f"h{self.number}-{SUFFIX}",
            *txt)
        return self.publisher

    def update(self, txt):
        self.publisher.process.send_signal(signal.SIGHUP)

    def established(self, stage, within=8, label=None):
        time.sleep(0.6)

    def browse(self, resolving=False, options=()):
        return self.script("browse", self.service)

    def query(self, labels, type_, timeout=30, options=()):
        return self.script("query", labels, type_)

    def resolve(self, label, timeout=5):
        return self.script("resolve", label, self.service)

    def reconfirm(self, labels, type_):
        return self.script("reconfirm", labels, type_)

    def lookup(self, what, timeout=3):
        return self.script("lookup", what)


TARGETS = {"mdns": MDNS, "avahi": Avahi, "zeroconf": Zeroconf, "broken": Broken}
