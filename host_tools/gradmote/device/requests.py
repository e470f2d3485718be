"""Requests to a board, repeated if the line loses them, with bulk data in adaptive chunks."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from gradmote.errors import DeviceError
from gradmote.generated import console

from . import diagnostics
from .chunk_sizing import ChunkSizer
from .device_log import DeviceLog
from .link import Link
from .protocol import Frame, Parser, encode, error_of, message_id, reply_values, request_payload

#: A callback that gets (bytes done, all bytes).
Progress = Callable[[int, int], None]

#: How often a request is sent before a board counts as silent.
ATTEMPTS = 6

#: The bytes before the data in a READ reply, and in IMAGE_DATA and CHECKPOINT_DATA.
_READ_OVERHEAD = 4
_CHUNK_OVERHEAD = 4

#: The seconds without an answer after which a request is sent again. Erasing flash takes long; a
#: board that runs a program sends ALIVE frames in the meantime.
_PATIENCE = {"IMAGE_BEGIN": 30.0, "CHECKPOINT_BEGIN": 30.0, "SAVE": 30.0, "IMAGE_END": 10.0, "RUN": 10.0, "INFO": 0.7}
_PATIENCE |= {"REPLAY": 10.0, "SCORE": 10.0, "UPDATE_BEGIN": 30.0, "UPDATE_END": 60.0, "IMAGE_RESUME": 30.0}
_PATIENCE |= {"ROUND_BEGIN": 30.0, "DELTA_END": 30.0}
_DEFAULT_PATIENCE = 1.0

#: The seconds to wait after corrupted bytes. For a short request these can only have been the
#: answer or the text before it, so a quiet line suffices; otherwise the wait is longer than the time
#: between two ALIVE frames.
_PATIENCE_AFTER_DAMAGE = 1.2
_QUIET = console.BYTE_TIMEOUT_MS / 1000

#: The smallest payload limit in bytes of any board's firmware.
_SMALLEST_FRAME_LIMIT = 64

_BAD_FRAME = next(code for code, (name, _, _) in console.FAULTS.items() if name == "BAD_FRAME")


class Requests:
    """A conversation with the board on a link.

    Requests are repeated if the line corrupts or loses something; a board answers a repeated request
    without doing its work twice.

    Args:
        link: The connection. This object owns it.
        on_text: Called with the text that the board prints between frames.
        attempts: How often a request is sent before the board counts as silent.
    """

    def __init__(self, link: Link, on_text: Callable[[str], None] | None = None, attempts: int = ATTEMPTS) -> None:
        """Take over a link; send nothing yet."""
        self._link = link
        self._chunks = ChunkSizer(attempts)
        self._parser = Parser()
        self._on_text = on_text or (lambda text: None)
        self._sequence = random.randrange(256)
        self._log = DeviceLog()
        self._may_restart = True
        self.retries = 0  #: how many requests had to be sent again
        self.raw_info: dict[str, Any] = {}  #: the last reply to INFO; empty before it

    @property
    def url(self) -> str:
        """The address of the connection."""
        return self._link.url

    def close(self) -> None:
        """Close the connection. Closing twice does no harm."""
        self._link.close()

    def request(self, name: str, **values: Any) -> dict[str, Any]:
        """Send one message, and return the fields of its reply.

        Raises RuntimeFault or DeviceError with the board's code.
        """
        self._sequence = (self._sequence + 1) % 256
        frame = Frame(message_id(name), self._sequence, request_payload(name, values))
        while (reply := self._exchange(name, frame)) is None:
            pass
        return self._decoded(name, reply)

    def _try(self, name: str, **values: Any) -> dict[str, Any] | None:
        """Send the request of one chunk once.

        Returns None if it was lost; a smaller chunk may get through.
        """
        self._sequence = (self._sequence + 1) % 256
        reply = self._exchange(name, Frame(message_id(name), self._sequence, request_payload(name, values)))
        self._chunks.adapt(arrived=reply is not None)
        return None if reply is None else self._decoded(name, reply)

    def _exchange(self, name: str, frame: Frame) -> Frame | None:
        """Send a frame once, and return its reply, or None if the line lost one of the two.

        Raises DeviceError after too many losses.
        """
        self._link.write(encode(frame))
        reply, damaged = self._await_reply(name, frame)
        if reply is None:
            self.retries += 1
        if self._chunks.gives_up(reply is not None, damaged):
            raise self._no_answer(name)
        return reply

    def _await_reply(self, name: str, request: Frame) -> tuple[Frame | None, bool]:
        """Return (the reply to `request`, whether corrupted bytes arrived).

        The reply is None if the request has to be sent again.
        """
        patience = _PATIENCE.get(name, _DEFAULT_PATIENCE)
        deadline = time.monotonic() + patience
        damaged, alive = False, b""
        while (left := deadline - time.monotonic()) > 0:
            data = self._link.read(min(left, _QUIET))
            before = self._parser.damaged
            for item in self._parser.feed(data) if data else self._parser.expire():
                if isinstance(item, bytes):
                    self._show(item, name)
                    damaged = damaged or _is_of_a_frame(item)
                elif _is_damage_report(item):
                    return None, True
                elif item.sequence == request.sequence and item.type == console.ALIVE_TYPE:
                    if item.payload != alive:  # else it works on nothing
                        deadline, alive = time.monotonic() + patience, item.payload
                elif item.sequence == request.sequence and _answers(item, request):
                    return item, damaged
            damaged = damaged or self._parser.damaged > before
            if damaged and not data and patience <= _DEFAULT_PATIENCE:
                break
            if self._parser.damaged > before:
                deadline = min(deadline, time.monotonic() + _PATIENCE_AFTER_DAMAGE)
        return None, damaged

    def _show(self, text: bytes, name: str) -> None:
        self._log.add(text)
        self._on_text(text.decode(errors="replace"))
        if not self._may_restart and self._log.greeted:
            fault = self._log.fault
            self._log = DeviceLog()
            raise diagnostics.restarted(self._link.url, name, fault)

    def _decoded(self, name: str, reply: Frame) -> dict[str, Any]:
        if reply.type == console.ERROR_TYPE:
            raise error_of(struct.unpack("<i", reply.payload)[0], f"{self._link.url}: {name}")
        return reply_values(name, reply.payload)

    def _no_answer(self, name: str) -> DeviceError:
        if self.raw_info:
            return diagnostics.silent_now(self._link.url, name, self.raw_info["board"])
        return diagnostics.silent(self._link.url, name, self._log, self._parser.damaged > 0)

    def type(self, line: str, patience: float = 30.0) -> str:
        """Type a line like a person, and return what the board prints up to its next prompt.

        Raises DeviceError if nothing arrives for `patience` seconds.
        """
        printed = ""
        self._link.write(line.encode() + b"\r")
        while not printed.endswith("\n> "):
            data = self._link.read(patience)
            if not data:
                raise self._no_answer(line)
            texts = [item for item in self._parser.feed(data) if isinstance(item, bytes)]
            printed += b"".join(texts).decode(errors="replace")
        return printed.removesuffix("> ")

    # ---- Data in chunks ---------------------------------------------------------------------------------------

    def _send_chunks(
        self,
        name: str,
        data: bytes,
        progress: Progress | None = None,
        start: int = 0,
        at: str = "offset",
        overhead: int = _CHUNK_OVERHEAD,
        others: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Send the data from `start` on, in chunks small enough for the link.

        A chunk may arrive twice, which does no harm.
        """
        while start < len(data):
            chunk = data[start : start + self._chunk_size(overhead)]
            if self._try(name, **{at: start}, data=chunk, **others) is not None:
                start += len(chunk)
                if progress:
                    progress(start, len(data))

    def _chunk_size(self, overhead: int) -> int:
        limit = self._payload_limit()
        if limit < _SMALLEST_FRAME_LIMIT:
            raise diagnostics.impossible(self._link.url, f"its longest frames of {limit} bytes")
        return self._chunks.size(limit - overhead)

    def _payload_limit(self) -> int:
        return min(int(self.raw_info["frame_limit"]), console.PAYLOAD_LIMIT)

    def read(
        self, source: str, program: int = 0, role: int = 0, index: int = 0, progress: Progress | None = None
    ) -> bytes:
        """Return all bytes of a source (generated.console.SOURCES)."""
        what = {"source": console.SOURCES[source], "program": program, "role": role, "index": index}
        return self._read_parts("READ", source, what, progress)

    def _read_parts(self, name: str, source: str, what: Mapping[str, Any], progress: Progress | None = None) -> bytes:
        """Return all bytes of a source, read in parts by requests of one name. source: its name in messages."""
        data = b""
        total = 1
        while len(data) < total:
            reply = self._try(name, **what, offset=len(data), length=self._chunk_size(_READ_OVERHEAD))
            if reply is not None:
                total = reply["total"]
                data += reply["data"]
                if len(data) > total or (len(data) < total and not reply["data"]):
                    raise diagnostics.impossible(self._link.url, f"{source} has {total} bytes, and sends {len(data)}")
                if progress:
                    progress(len(data), total)
        return data

    def read_start(self, source: str, count: int) -> bytes:
        """Return the first `count` bytes of a source, which must fit one frame."""
        reply = self.request("READ", source=console.SOURCES[source], program=0, role=0, index=0, offset=0, length=count)
        return bytes(reply["data"])

    def read_range(self, source: str, offset: int, size: int) -> bytes:
        """Return the bytes [offset, offset + size) of an image or a checkpoint."""
        what = {"source": console.SOURCES[source], "program": 0, "role": 0, "index": 0}
        data = b""
        while len(data) < size:
            length = min(self._chunk_size(_READ_OVERHEAD), size - len(data))
            reply = self._try("READ", **what, offset=offset + len(data), length=length)
            data += b"" if reply is None else reply["data"]
            if reply is not None and not reply["data"]:
                raise DeviceError(f"{self._link.url}: {source} ends at {offset + len(data)}", "connect again")
        return data


def _is_damage_report(frame: Frame) -> bool:
    return frame.type == console.ERROR_TYPE and frame.payload == struct.pack("<i", _BAD_FRAME)


def _is_of_a_frame(text: bytes) -> bool:
    """Return whether text may be part of a frame with a corrupted start.

    It then contains a byte in the range of reply types. So does a board's echo of non-ASCII letters.
    """
    return max(text) >= console.REPLY_BIT


def _answers(reply: Frame, request: Frame) -> bool:
    return reply.type in (request.type | console.REPLY_BIT, console.ERROR_TYPE)
