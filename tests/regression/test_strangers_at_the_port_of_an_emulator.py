"""A program that connected to the port of an emulator after its own client made the start wait for ever.

Ports are used again: a client that had lost its board went on connecting to what was another emulator's port by then.
"""

from __future__ import annotations

import socket
import subprocess
import sys

from gradmote.device.listening import Listening, start_emulator

#: Accepts one connection, as an emulator does, and says so.
ACCEPTS_ONE = """
import socket, sys
taken, _ = socket.socket(fileno=int(sys.argv[1])).accept()
taken.sendall(b"hello")
sys.stdin = taken.makefile("rb")
sys.stdin.read(1)
"""


def test_a_client_is_served_while_strangers_wait() -> None:
    port = Listening()
    command = [sys.executable, "-c", ACCEPTS_ONE, port.options("line")[1].partition("fd=")[2].partition(",")[0]]
    strangers: list[socket.socket] = []

    def connect() -> socket.socket:
        own = socket.create_connection(("127.0.0.1", port.port))
        strangers.extend(socket.create_connection(("127.0.0.1", port.port)) for _ in range(2))
        return own

    process = start_emulator(command, [port], stdout=subprocess.DEVNULL)
    with port.client(connect, lambda: None) as client:
        assert client.recv(5) == b"hello"
        client.sendall(b".")
        assert process.wait() == 0
    for stranger in strangers:
        stranger.close()
