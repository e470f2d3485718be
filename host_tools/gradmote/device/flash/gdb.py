"""A client of a debugger's port, in GDB's remote protocol: memory, resets, and start.

https://sourceware.org/gdb/current/onlinedocs/gdb.html/Remote-Protocol.html
"""

from __future__ import annotations

import socket
import time

from gradmote.errors import DeviceError

_ANSWER_SECONDS = 10.0
_STOPPED = "T"
_CHUNK = 1024  # bytes of memory in one packet; QEMU takes packets of at most 4096 characters


class Gdb:
    """A processor at a debugger's port, halted from the connection until detach().

    All methods raise DeviceError.
    """

    def __init__(self, port: int, timeout: float = _ANSWER_SECONDS) -> None:
        """Wait up to `timeout` seconds for a listener at that port of the host."""
        self._socket = _connected(port, timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(_ANSWER_SECONDS)
        self._received = b""

    def write(self, address: int, data: bytes) -> None:
        """Write memory."""
        for at in range(0, len(data), _CHUNK):
            chunk = data[at : at + _CHUNK]
            self._expect_ok(f"M{address + at:x},{len(chunk):x}:{chunk.hex()}", f"write memory at {address + at:#x}")

    def read(self, address: int, size: int) -> bytes:
        """Return `size` bytes of memory."""
        return b"".join(self._read_chunk(address + at, min(_CHUNK, size - at)) for at in range(0, size, _CHUNK))

    def _read_chunk(self, address: int, size: int) -> bytes:
        answer = self._ask(f"m{address:x},{size:x}")
        if len(answer) != 2 * size:
            raise DeviceError(f"the debugger's port cannot read memory at {address:#x}", "is it another machine?")
        return bytes.fromhex(answer)

    def monitor(self, command: str) -> None:
        """Send a command to the emulator itself, for example system_reset, and discard its answer."""
        self._send(f"qRcmd,{command.encode().hex()}")
        while (answer := self._receive()) != "OK":
            if not answer.startswith("O"):
                raise DeviceError(f"the debugger's port refused '{command}' ({answer})", "is it QEMU's?")

    def detach(self) -> None:
        """Let the processor run, and close the connection."""
        self._expect_ok("D", "let the processor run")
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _expect_ok(self, packet: str, what: str) -> None:
        answer = self._ask(packet)
        if answer != "OK":
            raise DeviceError(f"the debugger's port cannot {what} ({answer or 'not supported'})", "is the board right?")

    def _ask(self, packet: str) -> str:
        self._send(packet)
        return self._receive()

    def _send(self, packet: str) -> None:
        body = packet.encode()
        try:
            self._socket.sendall(b"$%s#%02x" % (body, sum(body) & 0xFF))
        except OSError as error:
            raise _gone(error) from error

    def _receive(self) -> str:
        """Return the next answer.

        Checksums are not compared, because TCP loses nothing. The stub also reports on its own that a
        running processor was halted; this skips such packets.
        """
        while (found := self._packet()) is None or found.startswith(_STOPPED):
            if found is None:
                self._received += self._more()
        return found

    def _more(self) -> bytes:
        try:
            data = self._socket.recv(1 << 16)
        except OSError as error:
            raise _gone(error) from error
        if not data:
            raise _gone("the emulator closed it")
        return data

    def _packet(self) -> str | None:
        start = self._received.find(b"$")
        end = self._received.find(b"#", start)
        if start < 0 or end < 0 or len(self._received) < end + 3:
            return None
        body, self._received = self._received[start + 1 : end], self._received[end + 3 :]
        self._socket.sendall(b"+")
        return body.decode("ascii", errors="replace")


def _connected(port: int, timeout: float) -> socket.socket:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), _ANSWER_SECONDS)
        except OSError as error:
            if time.monotonic() > deadline:
                raise DeviceError(f"nothing listens at the debugger's port {port}", "start the emulator") from error
            time.sleep(0.01)


def _gone(error: object) -> DeviceError:
    return DeviceError(f"lost the debugger's port ({error})", "flash again")
