"""What a device makes of names and TXT records it is to publish."""
import time
import unicodedata

from check import Inconclusive, scene
from message import name



def published(s, label, **more):
    """Publishes under a label; gives the announcement, and the label that it has on the wire."""
    s.device.publish(label=label, **more)
    packet = s.wait(lambda p: p.response and p.multicast and p.family == 4 and any(
        r.name[1:] == s.device.type for r in p.message.answers if r.type == 33), 6, s.first)
    if packet is None:
        raise Inconclusive("the service was not announced")
    labels = next(r.name for r in packet.message.answers if r.type == 33)
    return packet, labels


@scene("registering", "nothing: the name has a dot, an apostrophe, CJK and a space",
       ("S4-3", "one label on the wire, with all of them"),
       ("S4-8", "in UTF-8"),
       ("M16-4", "no xn-- and no other encoding"),
       ("M16-2", "no byte order mark"))
def rich_text(s):
    label = "Dr. Müller's 印刷機 @ 2.OG"
    packet, labels = published(s, label)
    raw = label.encode()
    s.verdict("S4-3", len(labels) == len(s.device.type) + 1 and labels[0] == raw, packet)
    s.verdict("S4-8", labels[0] == raw, packet)
    s.verdict("M16-4", b"xn--" not in packet.payload and raw in packet.payload, packet)
    s.verdict("M16-2", b"\xef\xbb\xbf" not in packet.payload, packet)


@scene("registering", "nothing: the name is given with decomposed accents",
       ("M16-1", "it is precomposed on the wire"), ("MF-1", "in UTF-8"))
def decomposed(s):
    label = "Büro Köln"
    packet, labels = published(s, unicodedata.normalize("NFD", label))
    for id in ("M16-1", "MF-1"):
        s.verdict(id, labels[0] == unicodedata.normalize("NFC", label).encode(), packet)


@scene("registering", "a query for a service whose name has 63 bytes",
       ("S4-8.longest", "announced in one label"), ("S7-7", "and answered for"))
def longest(s):
    label = "L" * 63
    packet, labels = published(s, label)
    s.verdict("S4-8.longest", labels[0] == label.encode(), packet)
    time.sleep(1.1)
    sight = s.ask((name(label.encode(), s.device.type), "SRV"))
    reply = sight.answer(labels, "SRV")
    s.verdict("S7-7", reply is not None, [sight.packet, reply])


@scene("registering", "a query for the TXT record of a service without attributes",
       ("S6-1.empty", "there is one"), ("S6-3", "it is a single zero byte"))
def no_attributes(s):
    packet, labels = published(s, "No Attributes", txt=())
    found = packet.message.find(labels, "TXT")
    s.verdict("S6-1.empty", bool(found), packet)
    s.verdict("S6-3", [r.rdata for r in found] == [b"\0"], packet)


@scene("registering", "nothing: the TXT record has a flag, an empty value and bytes",
       ("S6-2", "the strings fill the record exactly"),
       ("S6-7", "each is key=value, as given and in that order"),
       ("S6-20", "a value may be any bytes"),
       ("S6-21", "no quotation marks are added"))
def attributes(s):
    txt = ("path=/a=b", "empty=", "flag", "raw=hex:00ff22")
    packet, labels = published(s, "Attributes", txt=txt)
    found = packet.message.find(labels, "TXT")
    data, strings, at = found[0].rdata if found else b"", [], 0
    while at < len(data):
        strings.append(data[at + 1:at + 1 + data[at]])
        at += 1 + data[at]
    s.verdict("S6-2", at == len(data) and bool(data), packet)
    s.verdict("S6-7", strings[:3] == [b"path=/a=b", b"empty=", b"flag"], packet)
    if b"raw=hex:00ff22" in strings:
        s.checks["S6-20"].note = "this target takes no bytes"
    else:
        s.verdict("S6-20", b"raw=\x00\xff\x22" in strings, packet)
    s.verdict("S6-21", b'"' not in data.replace(b"\x00\xff\x22", b""), packet)


@scene("registering", "a query for a TXT record of 3000 bytes",
       ("M17-2", "it is sent in fragments"),
       ("M17-5", "alone in its message"),
       ("M17-6", "which has at most 9000 bytes"))
def large(s):
    label = "Large"
    s.device.publish(label=label, txt=tuple(f"k{i}=" + "v" * 240 for i in range(12)))
    packet = s.wait(lambda p: p.response and p.pieces > 1, 8, s.first)
    s.verdict("M17-2", packet is not None, packet)
    time.sleep(2)
    big = s.heard(s.first, lambda p: p.message is not None and p.pieces > 1)
    s.verdict("M17-5", bool(big) and all(len(p.message.records) == 1 for p in big
                                         if p.response), big)
    s.verdict("M17-6", all(len(p.payload) <= 8972 for p in s.heard()), big)


@scene("registering", "a query for the second of two devices with one name",
       ("M3-2.two", "the second of two programs that want one name gets another"))
def twice(s):
    s.device.publish()
    first = s.device.established(s)
    program = s.device.publish(label=s.device.label, port=9)
    if program is None:
        raise Inconclusive("this target is one program")
    time.sleep(3)
    said = s.heard(s.first, lambda p: p.response)
    names = {r.name for p in said for r in p.message.answers if r.type == 33
             and r.name[1:] == s.device.type and r.ttl}
    s.verdict("M3-2.two", len(names) >= 2, [first] + said[-2:], str(names))


