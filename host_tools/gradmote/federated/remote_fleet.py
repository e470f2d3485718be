"""The devices of a gateway, as a fleet of a server."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable

from ..errors import DataError, DeviceError
from .fields import printable
from .gateway.keys import Keys, read_keys
from .gateway.signed_replies import unpack_signed
from .gateway.wire import ALIVE, REFUSED, REPLIES, SUM, SUMMED, TASK, TEST, TESTS, Channel, Refused, greet_as_client
from .replies import DeviceReply, DeviceTest
from .summary import SumRequest
from .task import RoundTask

#: The longest silence of a gateway while its devices train, and the pause between two attempts to reach it, in seconds.
SILENCE = 30.0
_PAUSE = 0.5
_CONNECT_SECONDS = 5.0
_MOST_TEXT = 1000
_MOST_STATES = 2**24


class RemoteFleet:
    """The devices of a running gateway, possibly on another computer.

    Makes a lost connection again, and repeats the task: the gateway answers it with the same bytes, and trains no
    device twice.

    address: HOST:PORT. keys: the key file of the gateway, or its contents. patience: the seconds to wait for a
    gateway that is away. on_progress: called with {device: state} from time to time.
    """

    def __init__(
        self,
        address: str,
        keys: Keys | str | os.PathLike[str],
        patience: float = 60.0,
        on_progress: Callable[[dict[str, str]], None] = lambda states: None,
    ) -> None:
        """Read the keys; connect to nothing yet. Raises DataError for a wrong address or key file."""
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or int(port) > 65535:
            raise DataError(f"'{address}' is not an address of a gateway", "write HOST:PORT")
        self._address, self._patience, self._on_progress = (host, int(port)), patience, on_progress
        self.keys = keys if isinstance(keys, Keys) else read_keys(keys)
        self._channel: Channel | None = None

    def names(self) -> list[str]:
        """Return the devices in the key file, sorted."""
        return sorted(self.keys.devices)

    def train(self, task: RoundTask) -> list[DeviceReply]:
        """Return a row for each device in the task, sorted by name.

        Raises Refused if the gateway does not know the key, DataError if it refuses the task, and DeviceError if it
        is away for longer than `patience`.
        """
        return unpack_signed(DeviceReply, self.keys, task, self._asked(task), self._answer(TASK, task.pack(), REPLIES))

    def test(self, task: RoundTask) -> list[DeviceTest]:
        """Return the test of the task's base for each device in the task, on its own samples, sorted by name.

        Raises the errors of train().
        """
        return unpack_signed(DeviceTest, self.keys, task, self._asked(task), self._answer(TEST, task.pack(), TESTS))

    def sum(self, request: SumRequest) -> bytes:
        """Return the sum of deltas that the gateway keeps, for `Server.add_sum()`. Raises the errors of train()."""
        return self._answer(SUM, request.pack(), SUMMED)

    def _answer(self, kind: int, body: bytes, wanted: int) -> bytes:
        """Return the body of the answer to a frame. wanted: the kind of the answer."""
        heard = time.monotonic()
        while True:
            try:
                channel = self._connected()
                channel.send(kind, body)
                while (answer := self._heard(channel, wanted)) is None:
                    heard = time.monotonic()
                return answer
            except Refused:
                self.close()
                raise
            except DeviceError:
                self.close()
                if time.monotonic() - heard > self._patience:
                    raise
                time.sleep(_PAUSE)

    def _asked(self, task: RoundTask) -> list[str]:
        return sorted(self.keys.devices if task.devices is None else task.devices)

    def _connected(self) -> Channel:
        if self._channel is None:
            try:
                line = socket.create_connection(self._address, _CONNECT_SECONDS)
            except OSError as error:
                where = ":".join(map(str, self._address))
                hint = "start it: gradmote federate gateway CONFIG"
                raise DeviceError(f"no gateway answers at {where} ({error})", hint) from error
            try:
                self._channel = greet_as_client(line, self.keys.gateway)
            except BaseException:
                line.close()
                raise
        return self._channel

    def _heard(self, channel: Channel, wanted: int) -> bytes | None:
        """Return the body of the wanted frame; None after a sign of life."""
        kind, body = channel.receive(SILENCE)
        if kind == wanted:
            return body
        if kind == ALIVE:
            self._on_progress(self._states(body))
            return None
        if kind == REFUSED:
            raise DataError(f"the gateway refuses: {printable(body.decode(errors='replace')[:_MOST_TEXT])}")
        raise Refused(f"a frame of kind {kind} from the gateway", "update the older end")

    def _states(self, body: bytes) -> dict[str, str]:
        """Return the states of devices in the key file, from a sign of life, as printable text. Raises Refused."""
        try:
            found = json.loads(body[:_MOST_STATES])
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise Refused("the gateway's sign of life is not a JSON object", "update the older end")
        known = ((name, state) for name, state in found.items() if name in self.keys.devices)
        return {name: printable(state[:_MOST_TEXT]) for name, state in known if isinstance(state, str)}

    def close(self) -> None:
        """Close the connection; the next task opens another one."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def __enter__(self) -> RemoteFleet:
        """Return this fleet; leaving the `with` block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connection."""
        self.close()
