"""The base of a round on the gateway, which checks its devices' deltas against it before taking them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

from gradmote_runtime import Session

from ...errors import DataError
from ..task import RoundTask


class Base:
    """The base of a task's round. Thread-safe."""

    def __init__(self, image: bytes, task: RoundTask) -> None:
        """Make the base of the task. Raises DataError if its digest differs, or the task is for another image."""
        if hashlib.sha256(image).digest() != task.image_digest:
            raise DataError("the task is of another image", "give the server and the gateway the same .mote file")
        self._session, self._lock = Session(image), threading.Lock()
        self._session.load(task.checkpoint)
        self._session.begin_round(task.round)
        if hashlib.sha256(self._session.parameters().cast("B")).digest() != task.base_digest:
            raise DataError(
                "the task's checkpoint does not have the task's base", "send Server.checkpoint() of the same round"
            )

    def check(self, delta: bytes) -> None:
        """Raise RuntimeFault if a delta is not a finite difference from this base."""
        with self._lock:
            self._session.check_delta(delta)

    def nothing(self, shared: Sequence[str] | None) -> bytes:
        """Return the 2-bit delta of a device that is still at the base, and has learned nothing."""
        with self._lock:
            return self._session.round_delta(2, 0, shared)
