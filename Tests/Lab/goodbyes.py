#!/usr/bin/env python3
"""Prints each goodbye (a record with a lifetime of 0) that comes by multicast:
    IPv4 NAME TYPE RDATA        rdata of a type not known to mdnsraw in hexadecimal
"""
import select

import mdnsraw as m

families = {m.sock4(): "IPv4", m.sock6(): "IPv6"}
print("listening", flush=True)
while True:
    for s in select.select(list(families), [], [])[0]:
        msg = m.parse(s.recvfrom(9000)[0])
        for part in ("answers", "additional"):
            for name, typ, ttl, _, rdata in msg[part]:
                if ttl == 0 and msg["flags"] & 0x8000:
                    text = rdata.hex() if isinstance(rdata, bytes) else rdata
                    print(families[s], name, typ, text, flush=True)
