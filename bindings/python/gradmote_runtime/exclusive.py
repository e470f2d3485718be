"""Calls of the C runtime, one at a time.

A call into the extension module lets other threads of Python run. The runtime's session serves one thread at a time, so
a second thread must not come in meanwhile: it could free what the first computes with.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import Any

from gradmote.errors import GradmoteError


class Exclusive:
    """The functions and constants of the extension module. GradmoteError where two threads call functions at once."""

    def __init__(self, lib: Any) -> None:
        """Wrap `lib`, the `lib` of an extension module, for one session."""
        self._lib = lib
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        """Return the function, guarded; constants and callbacks as they are. It is an attribute from then on."""
        found = getattr(self._lib, name)
        value = _guarded(found, self._lock) if isinstance(found, types.BuiltinFunctionType) else found
        setattr(self, name, value)
        return value


def _guarded(function: Callable[..., Any], lock: threading.Lock) -> Callable[..., Any]:
    acquire, release = lock.acquire, lock.release

    def call(*arguments: Any) -> Any:
        if not acquire(False):
            raise GradmoteError(
                "another thread is in a call of this session",
                "give each thread a session of its own, or hold a lock around the calls of this one",
            )
        try:
            return function(*arguments)
        finally:
            release()

    return call
