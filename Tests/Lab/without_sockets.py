#!/usr/bin/env python3
"""Runs a program for which a seccomp filter forbids sockets of some families.

    without_sockets.py [--families 2,10] PROGRAM [ARGUMENT…]

By number: 2 is IPv4, 10 is IPv6, both by default; 16 is netlink.
"""
import ctypes
import os
import platform
import struct
import sys

SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
FAIL_WITH_EPERM, ALLOW = 0x00050001, 0x7FFF0000


def step(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


words, families = sys.argv[1:], [2, 10]
if words[0] == "--families":
    families, words = [int(word) for word in words[1].split(",")], words[2:]
steps = [step(LOAD, 0), step(IF_EQUAL, SOCKET, 0, len(families) + 2)]    # the call's number
steps.append(step(LOAD, 16))                                           # its family
for place, family in enumerate(families):
    last = place + 1 == len(families)
    steps.append(step(IF_EQUAL, family, len(families) - 1 - place, 1 if last else 0))
steps = b"".join(steps + [step(RETURN, FAIL_WITH_EPERM), step(RETURN, ALLOW)])
code = ctypes.create_string_buffer(steps)
program = struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(code))
prctl = ctypes.CDLL(None, use_errno=True).prctl
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SECCOMP, FILTER, ctypes.c_char_p(program), 0, 0):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execvp(words[0], words)
