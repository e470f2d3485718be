"""A guard that lets one thread at a time call the C runtime.

Python runs other threads during a call into the extension module. The runtime's session serves one thread at a time, so
a second thread must stay out meanwhile: it could free memory that the first one uses.

Signals come at any time: if the handler of Ctrl-C raises, no lock may stay taken. `with` ensures this, because CPython
handles no signal between taking the lock and entering the block, nor between leaving the block and releasing the lock
(bpo-29988). Everything that a call does to a session is one call of C.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import Any, NoReturn

from gradmote.errors import GradmoteError


class Exclusive:
    """The functions and constants of the extension module.

    A thread that calls a function while another one is in a call gets GradmoteError; if both came at the same moment,
    it waits. lock: held during each call.
    """

    def __init__(self, lib: Any) -> None:
        """Wrap `lib`, the `lib` of an extension module, for one session."""
        self._lib = lib
        self.lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        """Return a guarded function, or a constant or callback unchanged.

        It becomes an attribute, so that this method runs once for each name.
        """
        found = getattr(self._lib, name)
        value = _guarded(found, self.lock) if isinstance(found, types.BuiltinFunctionType) else found
        setattr(self, name, value)
        return value

    def unguarded(self, name: str) -> Any:
        """Return a function that takes no session, or whose caller holds the lock."""
        return getattr(self._lib, name)


def _guarded(function: Callable[..., Any], lock: threading.Lock) -> Callable[..., Any]:
    is_held = lock.locked

    def call(*arguments: Any) -> Any:
        if is_held():
            refuse()
        with lock:  # waits for a thread that came at the same moment
            return function(*arguments)

    return call


def refuse() -> NoReturn:
    """Raise GradmoteError, because another thread holds the lock."""
    raise GradmoteError(
        "another thread is in a call of this session",
        "give each thread a session of its own, or hold a lock around the calls of this one",
    )
