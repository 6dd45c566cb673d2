#!/usr/bin/env python3
"""Runs a program whose sends the kernel refuses while a file says so.

    refuse.py FILE PROGRAM [ARGUMENT…]

While FILE holds the name of an error, as EPERM or ENOBUFS, each `sendmsg` of the program fails
with it; while it is empty or missing they pass. It needs root. The program has this process's
id; a process beside it watches (seccomp_unotify(2)).
"""
import ctypes
import errno
import fcntl
import os
import platform
import select
import struct
import sys

SENDMSG, SECCOMP = {"x86_64": (46, 317), "aarch64": (211, 277)}[platform.machine()]
PIDFD_GETFD, NO_NEW_PRIVILEGES, FILTER, NEW_LISTENER = 438, 38, 1, 8
LOAD, IF_EQUAL, RETURN, ASK, ALLOW = 0x20, 0x15, 0x06, 0x7FC00000, 0x7FFF0000
RECEIVE, SEND, CONTINUE = 0xC0502100, 0xC0182101, 1
libc = ctypes.CDLL(None, use_errno=True)


def call(what, result):
    if result < 0:
        sys.exit(f"refuse.py: {what}: {os.strerror(ctypes.get_errno())}")
    return result


def install():
    """Has the kernel ask before each sendmsg, and returns the descriptor it asks by."""
    steps = b"".join(struct.pack("HBBI", *step) for step in [
        (LOAD, 0, 0, 0), (IF_EQUAL, 0, 1, SENDMSG), (RETURN, 0, 0, ASK), (RETURN, 0, 0, ALLOW)])
    code = ctypes.create_string_buffer(steps)
    program = struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(code))
    call("prctl", libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    return call("seccomp", libc.syscall(SECCOMP, FILTER, NEW_LISTENER, ctypes.c_char_p(program)))


def refusal(path):
    """The error number that sends fail with now; 0 for none."""
    try:
        with open(path) as file:
            word = file.read().strip()
    except FileNotFoundError:
        return 0
    return getattr(errno, word) if word else 0


def watch(path, listener):
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while True:
        if poll.poll()[0][1] & select.POLLHUP:      # the program has ended
            return
        question = bytearray(80)
        try:
            fcntl.ioctl(listener, RECEIVE, question)
        except OSError:                             # it was ended while it waited
            continue
        identifier = struct.unpack_from("Q", question)[0]
        error = refusal(path)
        answer = struct.pack("QqiI", identifier, 0, -error, 0 if error else CONTINUE)
        try:
            fcntl.ioctl(listener, SEND, answer)
        except OSError:
            continue


def main():
    path, words = sys.argv[1], sys.argv[2:]
    program = os.getpid()
    number, written = os.pipe()
    ready, done = os.pipe()
    if os.fork() == 0:
        # Holds none of the program's pipes, whose end others wait for.
        os.setsid()
        empty = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(empty, descriptor)
        os.close(written)
        os.close(ready)
        text = os.read(number, 16)
        if not text:
            sys.exit(1)
        process = os.pidfd_open(program)
        listener = call("pidfd_getfd", libc.syscall(PIDFD_GETFD, process, int(text), 0))
        os.dup2(empty, 2)
        os.write(done, b"1")
        os.close(done)
        watch(path, listener)
        os._exit(0)
    os.close(number)
    os.close(done)
    listener = install()
    os.write(written, str(listener).encode())
    if not os.read(ready, 1):
        sys.exit("refuse.py: nobody watches")
    os.close(listener)
    os.close(written)
    os.close(ready)
    os.execvp(words[0], words)


if __name__ == "__main__":
    main()
