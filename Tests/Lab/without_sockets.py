#!/usr/bin/env python3
"""Runs a program for which a seccomp filter forbids sockets of IPv4 and IPv6.

    without_sockets.py PROGRAM [ARGUMENT…]
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


steps = b"".join([
    step(LOAD, 0), step(IF_EQUAL, SOCKET, 0, 4),                 # the call's number
    step(LOAD, 16), step(IF_EQUAL, 2, 1, 0), step(IF_EQUAL, 10, 0, 1),   # its family
    step(RETURN, FAIL_WITH_EPERM), step(RETURN, ALLOW)])
code = ctypes.create_string_buffer(steps)
program = struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(code))
prctl = ctypes.CDLL(None, use_errno=True).prctl
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SECCOMP, FILTER, ctypes.c_char_p(program), 0, 0):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[1], sys.argv[1:])
