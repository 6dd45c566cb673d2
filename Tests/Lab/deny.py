#!/usr/bin/env python3
"""Says of every name that another host probes for that it is taken (RFC 6762 §8.1).

    deny.py SECONDS [--if lan0]

A line for each probe: seconds since the start, then the names. The answer goes to the group,
with the cache-flush bit.
"""
import argparse
import select
import struct
import sys
import time

import mdnsraw as m


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("seconds", type=float)
    p.add_argument("--if", dest="ifname", default="lan0")
    a = p.parse_args()
    s = m.sock4(a.ifname)
    print("listening", flush=True)
    start = time.monotonic()
    while (left := start + a.seconds - time.monotonic()) > 0:
        if not select.select([s], [], [], left)[0]:
            break
        b, _ = s.recvfrom(9000)
        msg = m.parse(b)
        if msg["flags"] & 0x8000 or not msg["authority"]:
            continue
        names = [q[0] for q in msg["questions"] if not q[0].endswith(".arpa")]
        print(f"{time.monotonic() - start:.3f} {' | '.join(names)}", flush=True)
        answers = []
        for name in names:
            if "._tcp." in name:
                rdata = struct.pack("!3H", 0, 0, 9) + m.wire("elsewhere.local")
                answers.append(m.record(name, "SRV", 120, rdata, flush=True))
            else:
                answers.append(m.record(name, "A", 120, bytes([192, 0, 2, 9]), flush=True))
        if answers:
            s.sendto(m.packet(answers=answers, flags=0x8400), (m.GROUP4, m.PORT))
    sys.stdout.flush()


main()
