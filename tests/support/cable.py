"""A serial cable between this computer and an emulated board: pulled out, put back, or at the wrong speed."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import socket
import threading
import tty


class Cable:
    """port: a serial port of this computer, connected to the board at `url`. sent: the number of bytes to the board."""

    def __init__(self, url: str) -> None:
        self._address = ("127.0.0.1", int(url.rpartition(":")[2]))
        self.sent = 0
        self.garbles = False  #: as if the two ends run at different speeds
        self.plug()

    def plug(self) -> None:
        self._board = socket.create_connection(self._address)
        self._far, self._near = pty.openpty()
        tty.setraw(self._near)
        self.port = os.ttyname(self._near)
        self._quit, stop = os.pipe()
        self._pump = threading.Thread(target=self._carry, args=(self._board, self._far, self._quit))
        self._stop = stop
        self._pump.start()

    def unplug(self) -> None:
        os.write(self._stop, b"x")
        self._pump.join()
        self._board.close()
        for descriptor in (self._far, self._near, self._quit, self._stop):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _carry(self, board: socket.socket, far: int, stop: int) -> None:
        while True:
            ready, _, _ = select.select([board, far, stop], [], [])
            if stop in ready:
                return
            if board in ready:
                data = board.recv(4096)
                if not data:
                    return
                os.write(far, self._line(data))
            if far in ready:
                data = os.read(far, 4096)
                board.sendall(self._line(data))
                self.sent += len(data)

    def _line(self, data: bytes) -> bytes:
        return bytes(0x80 | byte * 37 & 0x7F for byte in data) if self.garbles else data
