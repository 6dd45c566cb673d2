#!/usr/bin/env python3
"""Makes a long capture by repeating the packets of short ones, time running on.

    repeat_capture.py OUT.pcap BYTES FILE.pcap...

Takes classic pcap files with Ethernet frames and times in microseconds, little-endian; others
are left out and named."""
import struct
import sys


def packets(path):
    data = open(path, "rb").read()
    if data[:4] != b"\xd4\xc3\xb2\xa1" or struct.unpack_from("<H", data, 20)[0] != 1:
        print("left out:", path, file=sys.stderr)
        return
    at = 24
    while at + 16 <= len(data):
        _, _, captured, original = struct.unpack_from("<IIII", data, at)
        yield original, data[at + 16:at + 16 + captured]
        at += 16 + captured


def main():
    out, size = sys.argv[1], int(sys.argv[2])
    frames = [frame for path in sys.argv[3:] for frame in packets(path)]
    if not frames:
        sys.exit("no packets to repeat")
    written, number = 24, 0
    with open(out, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        while written < size:
            for original, frame in frames:
                # A packet a millisecond.
                file.write(struct.pack("<IIII", 1_700_000_000 + number // 1000,
                                       number % 1000 * 1000, len(frame), original))
                file.write(frame)
                written += 16 + len(frame)
                number += 1
    print(f"{number} packets, {written} bytes")


main()
