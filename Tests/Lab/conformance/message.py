"""DNS messages of the tester: a decoder that keeps what a check wants to know (where a name was
compressed, which bits were set), and an encoder that writes what it is told, right or wrong.

Names are tuples of byte labels: no text form can hide a dot or a byte."""
import socket
import struct

TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "HINFO": 13, "TXT": 16, "AAAA": 28,
         "SRV": 33, "OPT": 41, "NSEC": 47, "AXFR": 252, "ANY": 255}
NAMES = {v: k for k, v in TYPES.items()}
QR, AA, TC, RD, RA, Z, AD, CD = 0x8000, 0x400, 0x200, 0x100, 0x80, 0x40, 0x20, 0x10
UNICAST = FLUSH = 0x8000
SECTIONS = ("answers", "authority", "additional")


def name(*parts):
    """A name of labels; a str with dots gives several, bytes are one label."""
    labels = []
    for part in parts:
        if isinstance(part, tuple):
            labels += part
        elif isinstance(part, bytes):
            labels.append(part)
        else:
            labels += [label.encode() for label in part.rstrip(".").split(".")]
    return tuple(labels)


def key(labels):
    """What two equal names share: the labels without ASCII case."""
    return tuple(label.lower() for label in labels)


def text(labels):
    return ".".join(
        label.decode("utf-8", "backslashreplace").replace("\\", "\\\\").replace(".", "\\.")
        for label in labels) + "."


def wire(labels):
    return b"".join(bytes([len(x)]) + x for x in labels) + b"\0"


class Fault(Exception):
    """What is wrong with a message."""


class Question:
    def __init__(self, labels, type_, class_):
        self.name, self.type, self.raw_class = labels, type_, class_

    @property
    def qu(self):
        return bool(self.raw_class & UNICAST)

    def __str__(self):
        mark = "?" + ("QU" if self.qu else "QM")
        return f"{text(self.name)} {NAMES.get(self.type, self.type)} {mark}"


class Record:
    """One record as it was on the wire; `rdata` is with the names in full."""

    def __init__(self, labels, type_, class_, ttl, rdata, value, section, squeezed=(False, False)):
        self.name, self.type, self.ttl, self.rdata = labels, type_, ttl, rdata
        self.flush, self.cls = bool(class_ & FLUSH), class_ & 0x7FFF
        self.value, self.section = value, section
        self.owner_compressed, self.rdata_compressed = squeezed

    def is_(self, labels, type_):
        return self.type == TYPES[type_] and key(self.name) == key(labels)

    def same(self, other):
        return (key(self.name), self.type, self.rdata) == (
            key(other.name), other.type, other.rdata)

    def __str__(self):
        flag = " flush" if self.flush else ""
        return f"{text(self.name)} {NAMES.get(self.type, self.type)} {self.ttl}{flag} {show(self)}"


def show(r):
    if r.type in (2, 5, 12):
        return text(r.value)
    if r.type == 33:
        return "%d %d %d %s" % (*r.value[:3], text(r.value[3]))
    if r.type == 47:
        kinds = " ".join(str(NAMES.get(t, t)) for t in sorted(r.value[1]))
        return f"{text(r.value[0])} [{kinds}]"
    return r.value if isinstance(r.value, str) else r.rdata[:24].hex()


class Message:
    def __init__(self, data):
        self.data, self.questions = data, []
        self.answers, self.authority, self.additional = [], [], []
        if len(data) < 12:
            raise Fault("shorter than a header")
        self.id, self.flags, *self.counts = struct.unpack_from("!6H", data)
        at = 12
        for _ in range(self.counts[0]):
            labels, at, _ = read_name(data, at)
            if at + 4 > len(data):
                raise Fault("question cut short")
            self.questions.append(Question(labels, *struct.unpack_from("!2H", data, at)))
            at += 4
        for section, count in zip(SECTIONS, self.counts[1:]):
            for _ in range(count):
                record, at = read_record(data, at, section)
                getattr(self, section).append(record)
        self.trailing = len(data) - at

    @property
    def response(self):
        return bool(self.flags & QR)

    @property
    def records(self):
        return self.answers + self.authority + self.additional

    def find(self, labels, type_, *sections):
        return [r for s in sections or SECTIONS for r in getattr(self, s) if r.is_(labels, type_)]

    def asks(self, labels, type_=None):
        return [q for q in self.questions if key(q.name) == key(labels)
                and (type_ is None or q.type == TYPES[type_])]

    @property
    def probe(self):
        return not self.response and bool(self.authority)

    def __str__(self):
        kind = "response" if self.response else "probe" if self.probe else "query"
        parts = [f"{kind} id={self.id} flags={self.flags:04x} {len(self.data)} bytes"]
        if self.questions:
            parts.append("q[" + "; ".join(map(str, self.questions)) + "]")
        for section in SECTIONS:
            records = getattr(self, section)
            if records:
                more = "; …" if len(records) > 12 else ""
                parts.append(section[:4] + "[" + "; ".join(map(str, records[:12])) + more + "]")
        return " ".join(parts)


def read_name(data, at):
    """-> (labels, where it ends, whether it has a pointer)"""
    labels, end, limit, size = [], None, at, 0
    while True:
        if at >= len(data):
            raise Fault("name cut short")
        n = data[at]
        if n >= 0xC0:
            if at + 1 >= len(data):
                raise Fault("pointer cut short")
            target = (n & 0x3F) << 8 | data[at + 1]
            if end is None:
                end = at + 2
            if target >= limit or target < 12:
                raise Fault("pointer that does not lead back")
            limit = at = target
        elif n & 0xC0:
            raise Fault("label of a reserved kind")
        elif n == 0:
            return tuple(labels), (end if end is not None else at + 1), end is not None
        else:
            if at + 1 + n > len(data):
                raise Fault("label cut short")
            labels.append(data[at + 1:at + 1 + n])
            size += n + 1
            if size > 255:
                raise Fault("name too long")
            at += 1 + n


def read_record(data, at, section):
    labels, at, owner = read_name(data, at)
    if at + 10 > len(data):
        raise Fault("record cut short")
    type_, class_, ttl, length = struct.unpack_from("!HHIH", data, at)
    at += 10
    end = at + length
    if end > len(data):
        raise Fault("rdata beyond the message")
    rdata, value, squeezed = data[at:end], None, False
    if type_ in (2, 5, 12):
        value, _, squeezed = read_name(data, at)
        rdata = wire(value)
    elif type_ == 33:
        target, _, squeezed = read_name(data, at + 6)
        value = (*struct.unpack_from("!3H", data, at), target)
        rdata = data[at:at + 6] + wire(target)
    elif type_ == 47:
        following, bitmap, squeezed = read_name(data, at)
        value = (following, read_bitmap(data[bitmap:end]), data[bitmap:end])
        rdata = wire(following) + data[bitmap:end]
    elif type_ == 1 and length == 4:
        value = socket.inet_ntoa(rdata)
    elif type_ == 28 and length == 16:
        value = socket.inet_ntop(socket.AF_INET6, rdata)
    return Record(labels, type_, class_, ttl, rdata, value, section, (owner, squeezed)), end


def read_bitmap(data):
    kinds, at = set(), 0
    while at + 2 <= len(data):
        block, length = data[at], data[at + 1]
        for i, byte in enumerate(data[at + 2:at + 2 + length]):
            kinds |= {block * 256 + i * 8 + bit for bit in range(8) if byte & 0x80 >> bit}
        at += 2 + length
    return kinds


# ---- what is sent

def q(labels, type_, qu=False, cls=1):
    number = TYPES.get(type_, type_)
    return wire(labels) + struct.pack("!2H", number, cls | (UNICAST if qu else 0))


def rr(labels, type_, ttl, rdata, flush=False, cls=1):
    number = TYPES.get(type_, type_)
    return wire(labels) + struct.pack(
        "!HHIH", number, cls | (FLUSH if flush else 0), ttl, len(rdata)) + rdata


def copy(record, ttl=None, flush=None):
    """The same record again, perhaps with another TTL."""
    return rr(record.name, record.type, record.ttl if ttl is None else ttl, record.rdata,
              record.flush if flush is None else flush, record.cls)


def message(questions=(), answers=(), authority=(), additional=(), id=0, flags=0):
    parts = [list(x) for x in (questions, answers, authority, additional)]
    return struct.pack("!6H", id, flags, *map(len, parts)) + b"".join(sum(parts, []))


def query(*questions, known=(), **more):
    return message(questions, known, **more)


def response(*answers, flags=QR | AA, **more):
    return message(answers=answers, flags=flags, **more)


def a(address):
    return socket.inet_aton(address)


def aaaa(address):
    return socket.inet_pton(socket.AF_INET6, address)


def ptr(target):
    return wire(target)


def srv(port, target, priority=0, weight=0):
    return struct.pack("!3H", priority, weight, port) + wire(target)


def txt(*strings):
    return b"".join(bytes([len(s)]) + s for s in strings) or b"\0"


def nsec(labels, *types):
    bitmap = bytearray(32)
    for t in types:
        number = TYPES.get(t, t)
        bitmap[number // 8] |= 0x80 >> number % 8
    bitmap = bytes(bitmap).rstrip(b"\0") or b"\0"
    return wire(labels) + bytes([0, len(bitmap)]) + bitmap
