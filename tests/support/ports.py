"""Ports for programs that need to know one before they listen."""

from __future__ import annotations

import random
import socket

#: Systems assign ports above these on their own, so that no other program is given one of these meanwhile.
OWN_PORTS = range(20_000, 32_000)


def free_port() -> int:
    """Return a TCP port of this computer at which nothing listens."""
    while True:
        port = random.SystemRandom().choice(OWN_PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
