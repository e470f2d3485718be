"""Kills a process at a counted system call, with ptrace(2), which needs all requests to come from one thread."""

from __future__ import annotations

import ctypes
import os
import signal
import threading

_SYSCALL, _SEIZE, _INTERRUPT = 24, 0x4206, 0x4207
_EVERY_CHILD = 0x40000000  # __WALL


def _ptrace(request: int, process: int) -> None:
    """Make a request. Raises PermissionError if this computer lets no process trace its children."""
    call = ctypes.CDLL(None, use_errno=True).ptrace
    call.restype, call.argtypes = ctypes.c_long, [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if call(request, process, None, None) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


class Cut:
    """Kills a child after a number of system call stops: one before each call and one after it.

    A child that is killed while it is stopped before a call does not make the call.
    """

    def __init__(self, process: int, stops: int) -> None:
        """Stop the child; start() lets it continue."""
        self._process, self._stops = process, stops
        self._stopped, self._go = threading.Event(), threading.Event()
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._stopped.wait()
        if self._error is not None:
            raise self._error

    def start(self) -> None:
        self._go.set()

    def join(self) -> None:
        """Wait until the child is killed."""
        self._thread.join()

    def _run(self) -> None:
        try:
            _ptrace(_SEIZE, self._process)
            _ptrace(_INTERRUPT, self._process)
            os.waitpid(self._process, _EVERY_CHILD)
        except OSError as error:
            self._error = error
            return
        finally:
            self._stopped.set()
        self._go.wait()
        for _ in range(self._stops):
            _ptrace(_SYSCALL, self._process)
            os.waitpid(self._process, _EVERY_CHILD)
        os.kill(self._process, signal.SIGKILL)
