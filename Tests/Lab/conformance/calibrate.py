#!/usr/bin/env python3
"""Shows that each check can fail: runs them all against devices that break rules.

    calibrate.py [KIND…] [--json FILE]

For each check the kinds of broken.py that it failed for; the list of those that none made fail
is at the end, and their number is the exit status's reason.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["mute", "parrot", "sloth", "timid", "bold"]


def main():
    kinds = [w for w in sys.argv[1:] if not w.startswith("-")] or KINDS
    found = {}
    for kind in kinds:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            target = kind if kind in ("avahi", "zeroconf") else f"broken:{kind}"
            subprocess.run([sys.executable, f"{HERE}/run.py", "--target", target, "--quick",
                            "--attempts", "1", "--hosts", "9", "--json", file.name],
                           stdout=subprocess.DEVNULL)
            for check in json.load(file)["checks"]:
                verdicts = found.setdefault(check["check"], [])
                if check["verdict"] == "fail":
                    verdicts.append(kind)
        print(f"{kind}: {sum(kind in v for v in found.values())} checks fail", flush=True)
    for check, verdicts in sorted(found.items()):
        print(f"{check}: {' '.join(verdicts) or '-'}")
    never = sorted(c for c, v in found.items() if not v)
    print(f"{len(found) - len(never)} of {len(found)} checks were seen to fail")
    return 1 if never else 0


if __name__ == "__main__":
    sys.exit(main())
