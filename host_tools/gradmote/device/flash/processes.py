"""Processes: run a tool, and keep its last lines in case it fails; find those started earlier, and end them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gradmote.errors import DeviceError

# ---- Tools -----------------------------------------------------------------------------------------------------------

_LINES_KEPT = 12


def run_tool(
    command: Sequence[str],
    failure: str,
    hint: str,
    folder: Path | None = None,
    on_line: Callable[[str], None] = lambda line: None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command to its end, line by line.

    Raises DeviceError if its status is not 0: `failure` with the status and last lines, and `hint`.
    KeyboardInterrupt ends the tool too.
    """
    last: deque[str] = deque(maxlen=_LINES_KEPT)
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as process:  # fmt: skip
        try:
            for line in process.stdout or ():
                last.append(line.rstrip())
                on_line(last[-1])
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        printed = "".join(f"\n  {line}" for line in last)
        raise DeviceError(f"{failure}: {Path(command[0]).name} ended with status {process.returncode}{printed}", hint)


# ---- Processes started earlier, on every system ----------------------------------------------------------------------


try:
    import fcntl
except ImportError:  # Windows: QEMU does not lock its pid file there
    fcntl = None  # type: ignore[assignment]

_QUERY = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
_STILL_ACTIVE = 259


def pid_in(file: Path) -> int | None:
    """Return the process id in one of QEMU's pid files, or None if that process has ended.

    QEMU keeps the file locked while it runs, so that a stale file never points to another process.
    """
    try:
        with file.open("r+") as opened:
            return int(opened.read()) if _is_held(opened.fileno(), file) else None
    except (FileNotFoundError, ValueError):
        return None


def _is_held(descriptor: int, file: Path) -> bool:
    """Return whether the process of a pid file is running."""
    if fcntl is None:
        return _runs_on_windows(int(file.read_text()))
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _runs_on_windows(pid: int) -> bool:
    import ctypes

    system: Any = ctypes  # only Windows has windll
    kernel = system.windll.kernel32
    handle, status = kernel.OpenProcess(_QUERY, False, pid), ctypes.c_ulong()
    if not handle:
        return False
    kernel.GetExitCodeProcess(handle, ctypes.byref(status))
    kernel.CloseHandle(handle)
    return status.value == _STILL_ACTIVE


def end(pid: int, at_once: bool = False) -> None:
    """Ask a process to end, or with `at_once` kill it. On Windows it is always killed."""
    number = signal.SIGKILL if at_once and sys.platform != "win32" else signal.SIGTERM
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
