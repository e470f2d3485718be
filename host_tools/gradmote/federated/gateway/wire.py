"""The connection between a server and a gateway: frames with a length, signed by both ends.

The client is the end that connects. Each end sends a nonce, and proves that it knows the key:

    gateway -> client   MAGIC, nonce of the gateway
    client -> gateway   nonce of the client, tag("client", both nonces)
    gateway -> client   tag("gateway", both nonces), or TAG_SIZE zeros if the client does not know the key

Then both send frames: length u32 (of kind and body), kind u8, body, tag. The tag's key is
HMAC(key, "session", both nonces); it covers direction, number of the frame, kind and body. A frame that was
changed, repeated, left out, sent back, or taken from another connection therefore has a wrong tag.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import struct
import time

from ...errors import DataError, DeviceError
from .keys import NONCE_SIZE, TAG_SIZE, is_tag, tag

#: The first bytes that a gateway of this version sends.
MAGIC = b"gradmote gateway 1\n"
#: The kinds of frames: a task, its replies, a sign of life with a JSON text, and an error with a text.
TASK, REPLIES, ALIVE, REFUSED = 1, 2, 3, 4
#: A task to test its base, and the tests; a request for a sum of deltas, and the sum.
TEST, TESTS, SUM, SUMMED = 5, 6, 7, 8
#: The most bytes in a frame's body.
MOST_BYTES = 2**28
#: The most seconds for the other end's part of the greeting, and for a frame's bytes once it has begun.
GREETING_SECONDS = 5.0
FRAME_SECONDS = 120.0
#: The reply to a client that does not know the key. A gateway that is shutting down sends nothing.
_NO = bytes(TAG_SIZE)
_HEAD = struct.Struct("<IB")
_PIECE = 2**16


class Refused(DataError):
    """The error for a peer that does not know the key, or violates the protocol."""


class Channel:
    """A connection after the greeting."""

    def __init__(self, line: socket.socket, key: bytes, ours: bytes, theirs: bytes) -> None:
        """Take over a socket. key: of the session. ours, theirs: the names of the two directions."""
        self._line, self._key, self._ours, self._theirs = line, key, ours, theirs
        self._sent = self._received = 0

    def send(self, kind: int, body: bytes) -> None:
        """Send one frame. Raises DeviceError if the peer is gone or accepts nothing for FRAME_SECONDS."""
        head = _HEAD.pack(1 + len(body), kind)
        signed = tag(self._key, "frame", self._ours, self._sent.to_bytes(8, "little"), head, body)
        self._sent += 1
        _send(self._line, head + body + signed)

    def receive(self, patience: float, most: int = MOST_BYTES) -> tuple[int, bytes]:
        """Return kind and body of the next frame.

        patience: the seconds until its first byte. most: the largest size of its body. Raises DeviceError if the
        peer is gone or silent, and Refused if the frame is too long or its tag is wrong.
        """
        head = _receive(self._line, 1, patience)
        deadline = time.monotonic() + FRAME_SECONDS
        head += _receive(self._line, _HEAD.size - 1, deadline - time.monotonic())
        length, kind = _HEAD.unpack(head)
        if not 1 <= length <= most + 1:
            raise Refused(f"a frame of {length} bytes", f"it has at most {most}")
        body = _receive(self._line, length - 1, deadline - time.monotonic())
        found = _receive(self._line, TAG_SIZE, deadline - time.monotonic())
        number = self._received.to_bytes(8, "little")
        if not is_tag(found, self._key, "frame", self._theirs, number, head, body):
            raise Refused("a frame whose tag is wrong", "somebody changed or repeated it")
        self._received += 1
        return kind, body

    def close(self) -> None:
        """Close the connection. Closing twice does no harm."""
        with contextlib.suppress(OSError):
            self._line.close()


def greet_as_gateway(line: socket.socket, key: bytes) -> Channel:
    """Greet a client that connected. Raises Refused if it has the wrong key, DeviceError if it disconnects."""
    ours = secrets.token_bytes(NONCE_SIZE)
    _send(line, MAGIC + ours)
    answer = _receive(line, NONCE_SIZE + TAG_SIZE, GREETING_SECONDS)
    theirs, found = answer[:NONCE_SIZE], answer[NONCE_SIZE:]
    if not is_tag(found, key, "client", ours, theirs):
        _send(line, _NO)
        raise Refused("a client that does not know the key", "give both ends the same key file")
    _send(line, tag(key, "gateway", ours, theirs))
    return Channel(line, tag(key, "session", ours, theirs), b"down", b"up")


def greet_as_client(line: socket.socket, key: bytes) -> Channel:
    """Greet a gateway. Raises Refused for a non-gateway or a wrong key, DeviceError if the peer disconnects."""
    start = _receive(line, len(MAGIC) + NONCE_SIZE, GREETING_SECONDS)
    if not start.startswith(MAGIC):
        raise Refused("this is not a gateway of this version", "check address and port, and update the older end")
    theirs, ours = start[len(MAGIC) :], secrets.token_bytes(NONCE_SIZE)
    _send(line, ours + tag(key, "client", theirs, ours))
    found = _receive(line, TAG_SIZE, GREETING_SECONDS)
    if found == _NO:
        raise Refused("the gateway does not take our key", "give both ends the same key file")
    if not is_tag(found, key, "gateway", theirs, ours):
        raise Refused("a gateway that does not know the key", "give both ends the same key file")
    return Channel(line, tag(key, "session", theirs, ours), b"up", b"down")


def _send(line: socket.socket, data: bytes) -> None:
    try:
        line.settimeout(FRAME_SECONDS)
        line.sendall(data)
    except OSError as error:
        raise DeviceError(f"the connection was lost ({error})", "connect again") from error


def _receive(line: socket.socket, count: int, patience: float) -> bytes:
    """Return `count` bytes. Memory grows with the bytes received, not with the announced size."""
    data, deadline = bytearray(), time.monotonic() + patience
    while len(data) < count:
        try:
            line.settimeout(max(deadline - time.monotonic(), 0.001))
            piece = line.recv(min(count - len(data), _PIECE))
        except OSError as error:
            raise DeviceError(f"the other end sends nothing ({error})", "connect again") from error
        if not piece:
            raise DeviceError("the other end closed the connection", "connect again")
        data += piece
    return bytes(data)
