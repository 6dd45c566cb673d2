#!/usr/bin/env python3
"""Compares CryptoProbe's answers with OpenSSL's, through Python's cryptography.

    crypto_check.py PROBE [SEED]

Random keys, nonces, data and messages: ChaCha20-Poly1305 of every length from 0 to 1,025, sealed
and opened, and refused when a bit was changed; SHA-256 and HMAC of the same lengths; HKDF with
every part of another length; 300 products of X25519, half of them with any 32 bytes. Exits 0 if
all are the same.
"""
import random
import subprocess
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(64)
chance = random.Random(seed)
cases = []      # what is asked, and what OpenSSL says


def ask(expected, operation, *operands):
    words = [operation] + [operand.hex() or "-" for operand in operands]
    cases.append((" ".join(words), expected if isinstance(expected, str) else expected.hex() or "-"))


def sha256(message):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(message)
    return digest.finalize()


def hmac(key, message):
    code = HMAC(key, hashes.SHA256())
    code.update(message)
    return code.finalize()


for length in range(1026):
    key, nonce = chance.randbytes(32), chance.randbytes(12)
    data, message = chance.randbytes(chance.randrange(70)), chance.randbytes(length)
    sealed = ChaCha20Poly1305(key).encrypt(nonce, message, data)
    ask(sealed, "seal", key, nonce, data, message)
    ask(message, "open", key, nonce, data, sealed)
    changed = bytearray(sealed)
    changed[chance.randrange(len(sealed))] ^= 1 << chance.randrange(8)
    try:
        ChaCha20Poly1305(key).decrypt(nonce, bytes(changed), data)
        raise AssertionError("OpenSSL opened a changed message")
    except InvalidTag:
        ask("refused", "open", key, nonce, data, bytes(changed))
    ask(sha256(message), "sha256", message)
    code_key = chance.randbytes(chance.randrange(1, 200))
    ask(hmac(code_key, message), "hmac", code_key, message)

for length in range(1, 300):
    salt, material = chance.randbytes(chance.randrange(1, 100)), chance.randbytes(length)
    info = chance.randbytes(chance.randrange(100))
    derived = HKDF(hashes.SHA256(), length, salt, info).derive(material)
    ask(derived, "hkdf", salt, material, info, bytes(length))

for number in range(300):
    scalar = chance.randbytes(32)
    point = chance.randbytes(32)
    if number % 2:
        point = X25519PrivateKey.from_private_bytes(point).public_key().public_bytes_raw()
    shared = X25519PrivateKey.from_private_bytes(scalar).exchange(
        X25519PublicKey.from_public_bytes(point))
    ask(shared, "x25519", scalar, point)

probe = subprocess.run(
    [sys.argv[1], "compute"], input="".join(question + "\n" for question, _ in cases),
    capture_output=True, text=True, check=True)
answers = probe.stdout.splitlines()
assert len(answers) == len(cases), "%d answers to %d questions" % (len(answers), len(cases))
for (question, expected), answer in zip(cases, answers):
    assert answer == expected, "seed %d: %s is not %s: %s" % (seed, answer, expected, question)
print("%d answers are OpenSSL's" % len(cases))
