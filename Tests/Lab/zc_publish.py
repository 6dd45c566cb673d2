#!/usr/bin/env python3
"""Registers DNS-SD services with python-zeroconf until it is told to stop.

    zc_publish.py NAME TYPE PORT [key=value…]
    zc_publish.py --count N NAME TYPE PORT [key=value…]   NAME-0001 … NAME-N

TYPE is _http._tcp (".local." is added). On SIGTERM the services are withdrawn
with goodbye packets. On SIGHUP the TXT record of the first one is changed
(key "rev" counts up). A key=value of the form @subtype=_printer registers the
service under that subtype alone (python-zeroconf then has no pointer from the
type itself); @host=NAME sets the host name, @new=yes lets zeroconf rename the
service on a conflict, @only=v4 or v6 speaks over that alone. A value of the form hex:00ff
stands for those bytes.
"""
import asyncio
import signal
import socket
import sys
import time

import ifaddr
from zeroconf import IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf


def addresses():
    out = []
    for a in ifaddr.get_adapters():
        if a.name == "lo":
            continue
        for ip in a.ips:
            if ip.is_IPv4:
                out.append(socket.inet_aton(ip.ip))
            else:
                out.append(socket.inet_pton(socket.AF_INET6, ip.ip[0]))
    return out


async def main():
    argv = sys.argv[1:]
    count = 0
    if argv and argv[0] == "--count":
        count = int(argv[1])
        argv = argv[2:]
    if len(argv) < 3:
        sys.exit(__doc__)
    name, typ, port = argv[0], argv[1].rstrip("."), int(argv[2])
    if not typ.endswith(".local"):
        typ += ".local"
    typ += "."
    props, subtype, host, rename = {}, None, socket.gethostname(), False
    version = IPVersion.All
    for kv in argv[3:]:
        k, sep, v = kv.partition("=")
        if k == "@subtype":
            subtype = v
        elif k == "@host":
            host = v
        elif k == "@new":
            rename = True
        elif k == "@only":
            version = IPVersion.V4Only if v == "v4" else IPVersion.V6Only
        elif v.startswith("hex:"):
            props[k] = bytes.fromhex(v[4:])
        else:
            props[k] = v if sep else None
    azc = AsyncZeroconf(ip_version=version)
    stop = asyncio.Event()
    again = asyncio.Event()
    loop = asyncio.get_running_loop()
    for s in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(s, stop.set)
    loop.add_signal_handler(signal.SIGHUP, again.set)
    ip = addresses()
    names = [name] if not count else [f"{name}-{i:04d}" for i in range(1, count + 1)]

    def info(n, p):
        t = f"{subtype}._sub.{typ}" if subtype else typ
        return ServiceInfo(t, f"{n}.{typ}", port=port, properties=p,
                           server=f"{host}.local.", addresses=ip)

    infos = [info(n, props) for n in names]
    t0 = time.time()
    # The first await ends once probing is done, the second once announced.
    for i in range(0, len(infos), 50):
        started = await asyncio.gather(*(
            azc.async_register_service(x, allow_name_change=rename, cooperating_responders=False)
            for x in infos[i:i + 50]))
        if len(infos) == 1:
            await started[0]
    print(f"registered {len(infos)} {infos[0].name} in {time.time() - t0:.3f} s", flush=True)
    rev = 1
    while not stop.is_set():
        done, pending = await asyncio.wait(
            [asyncio.ensure_future(stop.wait()), asyncio.ensure_future(again.wait())],
            return_when=asyncio.FIRST_COMPLETED)
        for p in pending:
            p.cancel()
        if again.is_set() and not stop.is_set():
            again.clear()
            rev += 1
            infos[0] = info(names[0], {**props, "rev": str(rev)})
            await (await azc.async_update_service(infos[0]))
            print(f"updated {infos[0].name} rev={rev}", flush=True)
    await azc.async_unregister_all_services()
    await azc.async_close()
    print("withdrawn", flush=True)


asyncio.run(main())
