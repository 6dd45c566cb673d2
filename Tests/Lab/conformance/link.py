"""The tester's end of the cable: raw frames, with the kernel's time for each of both directions.

Peers are invented: each has addresses of its own that no kernel owns, so their packets can come
from anywhere, and what is sent to them is seen here and answered by nobody. Only what a
neighbour must do, ARP and neighbour discovery, is done for them."""
import collections
import socket
import struct
import threading
import time

from message import Fault, Message

GROUP = {4: "224.0.0.251", 6: "ff02::fb"}
SO_TIMESTAMPNS = 35
OUTGOING = 4                        # PACKET_OUTGOING


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packed(address):
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)


def unpacked(data):
    return socket.inet_ntop(socket.AF_INET if len(data) == 4 else socket.AF_INET6, data)


class Packet:
    """One UDP datagram on the link."""

    def __init__(self, when, mac, mine, family, source, destination, hops, pieces):
        self.when, self.mac, self.mine, self.family = when, mac, mine, family
        self.source, self.destination, self.hops = source, destination, hops
        self.pieces = pieces        # fragments it came in
        self.message = self.fault = None

    def read(self, data):
        self.sport, self.dport, length = struct.unpack_from("!3H", data)
        self.payload = data[8:length] if length >= 8 else data[8:]
        try:
            self.message = Message(self.payload)
        except (Fault, struct.error) as fault:
            self.fault = str(fault)
        return self

    @property
    def multicast(self):
        return self.destination == GROUP[self.family]

    @property
    def response(self):
        return self.message is not None and self.message.response

    @property
    def query(self):
        return self.message is not None and not self.message.response

    def line(self, start):
        what = str(self.message) if self.message else f"no message ({self.fault})"
        if self.pieces > 1:
            what += f" in {self.pieces} fragments"
        way = "sent" if self.mine else "seen"
        return (f"{(self.when - start) * 1000:9.1f} ms {way} {self.source}:{self.sport} > "
                f"{self.destination}:{self.dport} hops {self.hops} {what}")


class Link:
    def __init__(self, interface):
        self.interface = interface
        self.packets, self.changed = [], threading.Condition()
        self.owned, self.neighbours, self.pieces = set(), {}, {}
        self.tx = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.tx.bind((interface, 0))
        self.mac = self.tx.getsockname()[4]
        self.rx = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.rx.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        for option in (socket.SO_RCVBUF, 33):       # 33: SO_RCVBUFFORCE
            try:
                self.rx.setsockopt(socket.SOL_SOCKET, option, 8 << 20)
            except OSError:
                pass
        self.rx.bind((interface, 3))
        self.ident = 0
        threading.Thread(target=self.receive, daemon=True).start()

    # ---- receiving

    def receive(self):
        while True:
            frame, ancillary, _, address = self.rx.recvmsg(65536, 128)
            when = time.time()
            for level, kind, data in ancillary:
                if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS and len(data) >= 16:
                    seconds, nano = struct.unpack("qq", data[:16])
                    when = seconds + nano / 1e9
            try:
                self.frame(frame, when, address[2] == OUTGOING)
            except (struct.error, IndexError):
                pass                                # no frame of ours to judge

    def frame(self, frame, when, mine):
        mac, kind = frame[6:12], struct.unpack_from("!H", frame, 12)[0]
        body = frame[14:]
        if kind == 0x806 and not mine:
            self.arp(body)
        elif kind == 0x800:
            self.ip4(mac, body, when, mine)
        elif kind == 0x86DD:
            self.ip6(mac, body, when, mine)

    def ip4(self, mac, body, when, mine):
        head, total, ident, offset = (body[0] & 15) * 4, *struct.unpack_from("!3H", body, 2)
        source, destination = unpacked(body[12:16]), unpacked(body[16:20])
        if body[9] != 17:
            return
        part = body[head:total]
        self.whole((source, destination, ident), (offset & 0x1FFF) * 8, bool(offset & 0x2000),
                   part, (when, mac, mine, 4, source, destination, body[8]))

    def ip6(self, mac, body, when, mine):
        length, following, hops = struct.unpack_from("!HBB", body, 4)
        source, destination = unpacked(body[8:24]), unpacked(body[24:40])
        part = body[40:40 + length]
        ident, offset, more = 0, 0, False
        if following == 0:                          # hop-by-hop: MLD reports
            following, part = part[0], part[8 * (part[1] + 1):]
        if following == 44:
            following, _, place, ident = struct.unpack_from("!BBHI", part)
            offset, more, part = place & ~7, bool(place & 1), part[8:]
        if following == 58 and not mine:
            self.neighbour(mac, source, part)
        if following == 17:
            self.whole((source, destination, ident), offset, more, part,
                       (when, mac, mine, 6, source, destination, hops))

    def whole(self, which, offset, more, part, head):
        pieces = 1
        if offset or more:
            have = self.pieces.setdefault(which, {})
            have[offset] = (part, more)
            at, data = 0, b""
            while at in have:
                data += have[at][0]
                if not have[at][1]:
                    break
                at = len(data)
            else:
                return
            pieces, part = len(have), data
            del self.pieces[which]
        packet = Packet(*head, pieces).read(part)
        if 5353 not in (packet.sport, packet.dport):
            return
        with self.changed:
            if not packet.mine:
                self.neighbours[packet.source] = packet.mac
            self.packets.append(packet)
            self.changed.notify_all()

    def arp(self, body):
        if struct.unpack_from("!H", body, 6)[0] != 1 or unpacked(body[24:28]) not in self.owned:
            return
        reply = body[:6] + b"\0\2" + self.mac + body[24:28] + body[8:18]
        self.tx.send(body[8:14] + self.mac + b"\x08\x06" + reply)

    def neighbour(self, mac, source, part):
        if part[0] != 135 or unpacked(part[8:24]) not in self.owned or source == "::":
            return
        body = b"\x88\0\0\0\x60\0\0\0" + part[8:24] + b"\2\1" + self.mac
        self.datagram6(58, body, unpacked(part[8:24]), source, 255, mac)

    # ---- sending

    def datagram6(self, protocol, body, source, destination, hops, mac):
        pseudo = packed(source) + packed(destination) + struct.pack("!II", len(body), protocol)
        total = checksum(pseudo + body)
        at = 6 if protocol == 17 else 2
        body = body[:at] + struct.pack("!H", total or 0xFFFF) + body[at + 2:]
        head = struct.pack("!IHBB", 6 << 28, len(body), protocol, hops)
        self.tx.send(mac + self.mac + b"\x86\xdd" + head + packed(source) + packed(destination)
                     + body)

    def datagram4(self, body, source, destination, hops, mac):
        pseudo = packed(source) + packed(destination) + struct.pack("!HH", 17, len(body))
        body = body[:6] + struct.pack("!H", checksum(pseudo + body) or 0xFFFF) + body[8:]
        self.ident = self.ident + 1 & 0xFFFF
        head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), self.ident, 0, hops, 17, 0)
        head += packed(source) + packed(destination)
        head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
        self.tx.send(mac + self.mac + b"\x08\0" + head + body)

    def send(self, payload, family, source, to=None, sport=5353, dport=5353, hops=255):
        """Sends a datagram; gives it back as the link saw it, with the kernel's time."""
        destination = to or GROUP[family]
        mac = self.neighbours.get(destination)
        if to is None:
            mac = bytes.fromhex("01005e0000fb" if family == 4 else "3333000000fb")
        if mac is None:
            raise ValueError(f"nothing was seen of {destination} yet")
        body = struct.pack("!4H", sport, dport, 8 + len(payload), 0) + payload
        with self.changed:
            mark = len(self.packets)
        if family == 4:
            self.datagram4(body, source, destination, hops, mac)
        else:
            self.datagram6(17, body, source, destination, hops, mac)
        return self.wait(lambda p: p.mine and p.payload == payload and p.source == source,
                         mark, time.time() + 1)

    # ---- looking

    def mark(self):
        with self.changed:
            return len(self.packets)

    def since(self, mark):
        with self.changed:
            return self.packets[mark:]

    def wait(self, wanted, mark, deadline):
        """The first packet from `mark` on that is as wanted, or nil at the deadline."""
        with self.changed:
            at = mark
            while True:
                while at < len(self.packets):
                    if wanted(self.packets[at]):
                        return self.packets[at]
                    at += 1
                left = deadline - time.time()
                if left <= 0:
                    return None
                self.changed.wait(left)


class Peers:
    """Invented hosts; a new one has addresses that nobody has used for a while."""

    def __init__(self, link):
        self.link, self.lock, self.number = link, threading.Lock(), 0
        self.recent = collections.deque()

    def new(self):
        with self.lock:
            self.number += 1
            n = 100 + self.number % 150
            peer = Peer(self.link, f"10.77.0.{n}", f"fe80::ee:{self.number:x}")
            self.link.owned |= {peer.v4, peer.v6}
            return peer


class Peer:
    def __init__(self, link, v4, v6):
        self.link, self.v4, self.v6 = link, v4, v6

    def address(self, family):
        return self.v4 if family == 4 else self.v6

    def send(self, payload, family=4, source=None, **more):
        return self.link.send(payload, family, source or self.address(family), **more)
