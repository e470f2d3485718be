"""A TCP port of this computer for an emulator to serve, which no other program can take first."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gradmote.errors import DeviceError

_Client = TypeVar("_Client")

#: On Windows a started program cannot inherit the socket, so the emulator opens the port itself.
_HANDED_OVER = os.name != "nt"
_RETRY_SECONDS = 0.01
#: The kernel's table of connections, and the state of an open one: proc(5), net/tcp_states.h.
_CONNECTIONS, _ESTABLISHED = Path("/proc/net/tcp"), "01"


class Listening:
    """A port that listens from the start, until an emulator takes it over."""

    def __init__(self, port: int = 0) -> None:
        """Take a port, by default a free one; raise OSError if another program has it."""
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = int(self._socket.getsockname()[1])
        self.url = f"socket://127.0.0.1:{self.port}"

    def options(self, name: str, waits: bool = False) -> list[str]:
        """Return QEMU's options for a character device of that name that serves the port.

        With `waits` the board starts when the first client connects, so that none of its output is
        lost.
        """
        where = f"fd={self._socket.fileno()}" if _HANDED_OVER else f"host=127.0.0.1,port={self.port}"
        wait = "on" if waits else "off"
        return ["-chardev", f"socket,id={name},{where},server=on,wait={wait},nodelay=on"]

    def client(self, connect: Callable[[], _Client], check: Callable[[], None]) -> _Client:
        """Return the result of `connect` once the emulator has accepted it. check: raises if the emulator ended."""
        if not _HANDED_OVER:
            return _repeated(connect, check)
        client = connect()
        while self._waits():
            check()
            time.sleep(_RETRY_SECONDS)
        self.close()
        return client

    def _waits(self) -> bool:
        """Return whether the emulator still has to accept a connection; later strangers may wait forever."""
        return bool(select.select([self._socket], [], [], 0)[0]) and not _has_owner(self.port)

    def close(self) -> None:
        """Leave the port to the emulator. Closing twice does no harm."""
        self._socket.close()


def start_emulator(command: Sequence[str], ports: Sequence[Listening], **options: Any) -> subprocess.Popen[bytes]:
    """Start a command that has the options for these ports."""
    if not _HANDED_OVER:
        for port in ports:
            port.close()
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
    handed = [port._socket.fileno() for port in ports]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=handed, **options)


def _has_owner(port: int) -> bool:
    """Return whether, on Linux, a process has accepted a connection to the port: one with an inode."""
    try:
        lines = _CONNECTIONS.read_text().splitlines()[1:]
    except OSError:
        return False  # another system
    of_port = (fields for fields in map(str.split, lines) if fields[1].endswith(f":{port:04X}"))
    return any(fields[3] == _ESTABLISHED and fields[9] != "0" for fields in of_port)


def _repeated(connect: Callable[[], _Client], check: Callable[[], None]) -> _Client:
    """Try to connect until the emulator listens."""
    while True:
        check()
        try:
            return connect()
        except DeviceError:
            time.sleep(_RETRY_SECONDS)
