#!/usr/bin/env python3
"""Puts a responder and a querier on the link to the test, rule by rule.

    run.py --target TARGET [--interface lan0] [--devices 1,3] [--quick] [--group GROUP]…
           [--only TEXT]… [--json FILE|-] [--attempts 3] [--list] [-v]

TARGET is mdns (--program PATH or $VICINITY_MDNS), avahi, zeroconf, or broken:KIND. In a host of
the lab it tests the other hosts (or --devices); elsewhere it sets up a lab of its own
(LAB_NAME, --hosts 7) and runs there. It speaks in raw frames on the interface of its own host,
in the name of hosts that it invents. A check that fails is done again before it counts.
With --json - the counts and the checks that did not pass are all that is printed.

Exit status: 0 no failure but those of known.txt, 1 failures, 2 wrong command line.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import check                                                # noqa: E402
import scenes                                               # noqa: E402,F401
from device import LAB, TARGETS, TOP                        # noqa: E402


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--target", default="mdns")
    p.add_argument("--program", default=os.environ.get("VICINITY_MDNS",
                                                       f"{TOP}/.build/debug/mdns"))
    p.add_argument("--interface", default="lan0")
    p.add_argument("--devices")
    p.add_argument("--hosts", type=int, default=7)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--group", action="append", default=[])
    p.add_argument("--only", action="append", default=[])
    p.add_argument("--json")
    p.add_argument("--attempts", type=int, default=3)
    p.add_argument("--list", action="store_true")
    p.add_argument("-v", "--verbose", action="store_true")
    return p.parse_args()


def chosen(a):
    """The scenes that the words ask for."""
    found = []
    for s in check.SCENES:
        if a.quick and not s.quick or a.group and s.group not in a.group:
            continue
        ids = [f"{s.name}/{id}" for id, _ in s.checks]
        if a.only and not any(t in i for t in a.only for i in ids):
            continue
        found.append(s)
    return found


def known(target):
    """What is known to fail: lines of `TARGET CHECK REASON`."""
    found = {}
    with open(f"{HERE}/known.txt", encoding="utf-8") as file:
        for line in file:
            words = line.split(None, 2)
            if len(words) == 3 and words[0] == target:
                found[words[1]] = words[2].strip()
    return found


def in_a_lab(a):
    """Runs all this again in the last host of a lab made for it."""
    env = dict(os.environ, LAB_QUIET="1")
    env.setdefault("LAB_NAME", "wire" + str(os.getpid() % 100000))
    env.setdefault("LAB_DIR", f"/tmp/mdns-{env['LAB_NAME']}")
    try:
        subprocess.run([LAB, "up", str(a.hosts)], env=env, check=True)
        return subprocess.run([LAB, "run", str(a.hosts), sys.executable, *sys.argv],
                              env=env).returncode
    finally:
        subprocess.run([LAB, "down"], env=env)


def devices(a):
    folder = os.environ["LAB_DIR"]
    mine = int(os.uname().nodename.lstrip("h"))
    with open(f"{folder}/hosts", encoding="ascii") as file:
        all_ = range(1, int(file.read()) + 1)
    numbers = [int(n) for n in a.devices.split(",")] if a.devices else [
        n for n in all_ if n != mine]
    kind, _, manner = a.target.partition(":")
    return [TARGETS[kind](n, folder, manner or os.path.abspath(a.program)) for n in numbers]


def report(a, done, known_failures, seconds):
    counts = collections.Counter(c.verdict for c in done)
    rules = {c.rule for c in done}
    settled = {c.rule for c in done if c.verdict != check.OPEN}
    for c in done:
        c.known = known_failures.get(c.name) if c.verdict == check.FAIL else None
    new = [c for c in done if c.verdict == check.FAIL and not c.known]
    stale = [c.name for c in done if c.name in known_failures and c.verdict == check.PASS]
    value = {"target": a.target, "seconds": round(seconds, 1), "pass": counts["pass"],
             "fail": counts["fail"], "inconclusive": counts["inconclusive"],
             "unexpected": [c.name for c in new], "known": len(stale) + counts["fail"] - len(new),
             "rules": sorted(settled), "checks": [c.value() for c in done]}
    if a.json == "-":
        value["checks"] = [c.value() for c in done if c.verdict != check.PASS]
        print(json.dumps(value))
        return 1 if new else 0
    for c in sorted(done, key=lambda c: c.name):
        if c.verdict == check.PASS and not (a.verbose and c.failures):
            continue
        print(f"\n{c.verdict}{' (known: ' + c.known + ')' if c.known else ''}: {c.name}")
        print(f"  {c.title}")
        print(f"  sent: {c.scene.sent}")
        print(f"  {c.note}" + (f" ({c.failures} failed)" if c.failures else ""))
        for line in c.evidence:
            print(f"    {line[:400]}")
    print(f"\n{a.target}: {len(done)} checks of {len(rules)} rules ({len(settled)} with a "
          f"verdict): {counts[check.PASS]} pass, {counts[check.FAIL]} fail "
          f"({len(new)} not known), {counts[check.OPEN]} inconclusive; {seconds:.0f} s")
    for text in stale:
        print(f"known.txt: {text} passes")
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
    return 1 if new else 0


def main():
    a = arguments()
    if a.target.partition(":")[0] not in TARGETS:
        raise SystemExit(2)
    if a.target == "mdns" and not os.access(a.program, os.X_OK) and not a.list:
        print(f"{a.program} is not there: --program or VICINITY_MDNS names it", file=sys.stderr)
        return 2
    picked = chosen(a)
    if a.list:
        for s in picked:
            for id, title in s.checks:
                print(f"{s.group:12} {s.name}/{id}: {title}")
        print(len({id.split(".")[0] for s in picked for id, _ in s.checks}), "rules")
        return 0
    if not os.path.exists("/run/.in-a-lab-host"):
        return in_a_lab(a)
    from link import Link
    link = Link(a.interface)
    lock = threading.Lock()

    def say(c):
        if a.verbose:
            with lock:
                print(f"{c.verdict:12} {c.name}: {c.title} ({c.note})", flush=True)

    begun = time.time()
    done = check.Run(link, devices(a), picked, a.attempts, say).run()
    return report(a, done, known(a.target), time.time() - begun)


if __name__ == "__main__":
    sys.exit(main())
