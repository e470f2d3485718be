"""Runs a tool, and keeps its last lines in case it fails."""

from __future__ import annotations

import os
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gradmote.errors import DeviceError

_LINES_KEPT = 12


def run(
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
