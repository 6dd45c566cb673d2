#!/usr/bin/env python3
"""Speaks Noise with CryptoProbe over pipes, by another implementation.

    noise_peer.py PROBE noiseprotocol|dissononce initiator|responder XX|XXpsk3

The role is this side's. Runs the handshake, compares static keys and handshake hashes, sends
100 messages and gets each back, replaces the keys of both directions twice in between, and at
last sends a message that was changed: the probe must end with an error. Exits 0 if all of it is
as it must be.
"""
import os
import struct
import subprocess
import sys

PROLOGUE = b"CryptoProbe"


class NoiseProtocol:
    """PyPI noiseprotocol."""

    def __init__(self, initiator, pattern, static, psk):
        from noise.connection import Keypair, NoiseConnection
        name = "Noise_%s_25519_ChaChaPoly_SHA256" % pattern
        self.state = NoiseConnection.from_name(name.encode())
        (self.state.set_as_initiator if initiator else self.state.set_as_responder)()
        self.state.set_prologue(PROLOGUE)
        self.state.set_keypair_from_private_bytes(Keypair.STATIC, static)
        if psk:
            self.state.set_psks(psk)
        self.state.start_handshake()
        self.handshake = self.state.noise_protocol.handshake_state

    def write(self, payload):
        return bytes(self.state.write_message(payload))

    def read(self, message):
        return bytes(self.state.read_message(message))

    def remote_static(self):
        return self.handshake.rs.public_bytes

    def hash(self):
        return bytes(self.state.get_handshake_hash())

    def seal(self, plaintext):
        return bytes(self.state.encrypt(plaintext))

    def open(self, message):
        return bytes(self.state.decrypt(message))

    def rekey(self):
        self.state.rekey_outbound_cipher()
        self.state.rekey_inbound_cipher()


class Dissononce:
    """PyPI dissononce."""

    def __init__(self, initiator, pattern, static, psk):
        from dissononce.cipher.chachapoly import ChaChaPolyCipher
        from dissononce.dh.x25519.private import PrivateKey
        from dissononce.dh.x25519.x25519 import X25519DH
        from dissononce.hash.sha256 import SHA256Hash
        from dissononce.processing.handshakepatterns.interactive.XX import XXHandshakePattern
        from dissononce.processing.impl.cipherstate import CipherState
        from dissononce.processing.impl.handshakestate import HandshakeState
        from dissononce.processing.impl.symmetricstate import SymmetricState
        from dissononce.processing.modifiers.psk import PSKPatternModifier
        chosen = XXHandshakePattern()
        if psk:
            chosen = PSKPatternModifier(3).modify(chosen)
        assert chosen.name == pattern
        dh = X25519DH()
        self.initiator = initiator
        self.symmetric = SymmetricState(CipherState(ChaChaPolyCipher()), SHA256Hash())
        self.state = HandshakeState(self.symmetric, dh)
        self.state.initialize(
            chosen, initiator, PROLOGUE, s=dh.generate_keypair(PrivateKey(static)),
            psks=[psk] if psk else None)
        self.ciphers = None

    def write(self, payload):
        message = bytearray()
        self.ciphers = self.state.write_message(payload, message) or self.ciphers
        return bytes(message)

    def read(self, message):
        payload = bytearray()
        self.ciphers = self.state.read_message(message, payload) or self.ciphers
        return bytes(payload)

    def remote_static(self):
        return self.state.rs.data

    def hash(self):
        return self.symmetric.get_handshake_hash()

    def cipher(self, sending):
        return self.ciphers[0 if sending == self.initiator else 1]

    def seal(self, plaintext):
        return self.cipher(True).encrypt_with_ad(b"", plaintext)

    def open(self, message):
        return self.cipher(False).decrypt_with_ad(b"", message)

    def rekey(self):
        # It keeps the tag in the key and begins to count at zero again, which Noise does not
        # (4.2, 11.3).
        for cipher in self.ciphers:
            number = cipher._nonce
            cipher.initialize_key(cipher.cipher.rekey(cipher._key)[:32])
            cipher.set_nonce(number)


def main():
    program, library, role, pattern = sys.argv[1:]
    initiator = role == "initiator"
    psk = os.urandom(32) if "psk" in pattern else None
    kind = {"noiseprotocol": NoiseProtocol, "dissononce": Dissononce}[library]
    static = os.urandom(32)
    peer = kind(initiator, pattern, static, psk)
    words = [program, "noise", "responder" if initiator else "initiator"]
    probe = subprocess.Popen(
        words + ([psk.hex()] if psk else []), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)

    def send(message):
        probe.stdin.write(struct.pack(">H", len(message)) + message)
        probe.stdin.flush()

    def receive():
        head = probe.stdout.read(2)
        assert len(head) == 2, "the probe ended: %s" % probe.stderr.read()
        size, = struct.unpack(">H", head)
        message = probe.stdout.read(size)
        assert len(message) == size
        return message

    probe_key = receive()
    for number in range(3):
        payload = bytes([number]) * number
        if (number % 2 == 0) == initiator:
            send(peer.write(payload))
        else:
            assert peer.read(receive()) == payload
    assert peer.remote_static() == probe_key, "another static key than announced"
    assert receive() == peer.hash(), "the handshake hashes differ"
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    own_key = X25519PrivateKey.from_private_bytes(static).public_key().public_bytes_raw()
    assert receive() == own_key, "the probe has another static key of this side"

    for number in range(100):
        message = os.urandom([0, 1, 63, 1000, 16384, 65519][number % 6])
        send(peer.seal(message))
        assert peer.open(receive()) == message, "message %d differs" % number
        if number in (30, 60):
            send(peer.seal(b"rekey"))
            assert peer.open(receive()) == b"rekey"
            peer.rekey()

    changed = bytearray(peer.seal(b"the last"))
    changed[3] ^= 4
    send(bytes(changed))
    assert probe.stdout.read() == b"", "an answer to a changed message"
    errors = probe.stderr.read()
    assert probe.wait(20) == 1 and b"not authentic" in errors, errors
    print("%s as %s of %s: done" % (library, role, pattern))


main()
