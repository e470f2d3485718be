"""The port of a gateway, at which servers request rounds."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable

from ...errors import GradmoteError, OutputError
from ..summary import SumRequest
from ..task import RoundTask
from .gateway import Gateway
from .signed_replies import pack_signed
from .wire import ALIVE, REFUSED, REPLIES, SUM, SUMMED, TASK, TEST, TESTS, Channel, greet_as_gateway

#: The most connections at a time; others are closed at once.
MOST_CLIENTS = 16
#: The seconds between two signs of life while devices train, and the longest silence allowed to a client.
ALIVE_SECONDS = 2.0
IDLE_SECONDS = 600.0
_ACCEPT_SECONDS = 0.2
#: The kind of a frame -> the kind of the answer, and the function that makes it from the frame's body.
_WORK: dict[int, tuple[int, Callable[[Gateway, bytes], bytes]]] = {
    TASK: (REPLIES, lambda gateway, body: pack_signed(gateway.train(RoundTask.unpack(body)))),
    TEST: (TESTS, lambda gateway, body: pack_signed(gateway.test(RoundTask.unpack(body)))),
    SUM: (SUMMED, lambda gateway, body: gateway.sum(SumRequest.unpack(body)).pack()),
}


class Service:
    """A listening socket, with a thread for each connection."""

    def __init__(self, gateway: Gateway, host: str, port: int, tell: Callable[[str], None] = lambda text: None) -> None:
        """Listen. Raises OutputError if the port is taken. tell: called with each refusal."""
        self._gateway, self._tell = gateway, tell
        self.states: dict[str, str] = {}  #: what each device is doing, for signs of life
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise OutputError(f"cannot listen at {host}:{port} ({error})", "choose another port, or 0") from error
        self.host, self.port = self._socket.getsockname()[:2]
        self._free = threading.Semaphore(MOST_CLIENTS)
        self._ended = threading.Event()

    def serve(self) -> None:
        """Accept connections until stop()."""
        self._socket.settimeout(_ACCEPT_SECONDS)
        while not self._ended.is_set():
            with contextlib.suppress(OSError):
                line, _ = self._socket.accept()
                if self._free.acquire(blocking=False):
                    threading.Thread(target=self._serve_one, args=(line,), daemon=True).start()
                else:
                    line.close()
        self._socket.close()

    def stop(self) -> None:
        """Make serve() return. May be called from any thread."""
        self._ended.set()

    def _serve_one(self, line: socket.socket) -> None:
        """Serve one connection to its end; an error in it ends only this connection."""
        try:
            with line:
                channel = greet_as_gateway(line, self._gateway.keys.gateway)
                while True:
                    self._answer(channel)
        except (GradmoteError, OSError) as error:
            if not self._ended.is_set():
                self._tell(str(error))
        finally:
            self._free.release()

    def _answer(self, channel: Channel) -> None:
        kind, body = channel.receive(IDLE_SECONDS)
        try:
            if kind not in _WORK:
                raise GradmoteError(f"a frame of kind {kind}", "send a task")
            answer, work = _WORK[kind]
            channel.send(answer, self._made(channel, lambda: work(self._gateway, body)))
        except GradmoteError as error:
            channel.send(REFUSED, str(error).encode()[:1000])

    def _made(self, channel: Channel, work: Callable[[], bytes]) -> bytes:
        """Return the result of work(), sending signs of life meanwhile. The work finishes even if the client leaves."""
        found: list[bytes | BaseException] = []
        worker = threading.Thread(target=lambda: found.append(_result(work)), daemon=True)
        worker.start()
        while worker.is_alive():
            worker.join(ALIVE_SECONDS)
            if worker.is_alive():
                channel.send(ALIVE, json.dumps(dict(self.states)).encode())
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]


def _result(work: Callable[[], bytes]) -> bytes | BaseException:
    """Return the result of work(), or its error."""
    try:
        return work()
    except Exception as error:
        return error if isinstance(error, GradmoteError) else GradmoteError(f"the gateway failed: {error!r}")
