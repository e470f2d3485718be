"""Measurement of a program and of all processes that it starts, daemons included. Linux only.

This process becomes the parent of orphans (PR_SET_CHILD_SUBREAPER), so that daemons stay in its tree. Every 50 ms it
reads /proc: the CPU time of each process is what it was when it was last seen, and memory is the largest sum at one
moment. A process that lives for less than 50 ms may be missed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SUBREAPER = 36
_TICK, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Taken:
    """cpu_s: seconds of the processor of all processes. rss_mb: the largest sum of what each has in memory, in which
    shared pages count once for each process. pss_mb: the same with each shared page counted once in all, seen once a
    second. wall_s: seconds until the program ended."""

    cpu_s: float
    rss_mb: float
    pss_mb: float
    wall_s: float
    processes: int


def measure(command: Sequence[str], environment: Mapping[str, str], log: Path, limit_s: float = 3600) -> Taken:
    """Run a program, and return what it took. Raise CalledProcessError if it fails, TimeoutExpired if it takes longer
    than the limit."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    cpu: dict[tuple[int, int], float] = {}
    rss = pss = 0.0
    begun, looks = time.monotonic(), 0
    with log.open("w") as output:
        program = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            while program.poll() is None:
                found = _descendants(os.getpid())
                cpu.update({(number, start): seconds for number, start, seconds, _ in found})
                rss = max(rss, sum(size for *_, size in found))
                if looks % 20 == 0:
                    pss = max(pss, sum(_pss(number) for number, *_ in found))
                looks += 1
                if time.monotonic() - begun > limit_s:
                    raise subprocess.TimeoutExpired(list(command), limit_s)
                time.sleep(0.05)
            wall = time.monotonic() - begun
        finally:
            _end_all(cpu)
    if program.returncode:
        raise subprocess.CalledProcessError(program.returncode, list(command), log.read_text()[-4000:])
    return Taken(sum(cpu.values()), rss / 1e6, pss / 1e6, wall, len(cpu))


def _end_all(cpu: dict[tuple[int, int], float]) -> None:
    """End the processes that the program left running, and note what they took until then."""
    while left := _descendants(os.getpid()):
        cpu.update({(number, start): seconds for number, start, seconds, _ in left})
        for number, *_ in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.05)


def _descendants(ancestor: int) -> list[tuple[int, int, float, int]]:
    """Return number, start, CPU seconds and resident bytes of each process below one."""
    rows = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                rows[int(folder.name)] = fields
    below, found = {ancestor}, []
    while new := {number for number, fields in rows.items() if int(fields[1]) in below} - below:
        below |= new
    for number in below - {ancestor}:
        fields = rows[number]
        used = (int(fields[11]) + int(fields[12])) / _TICK
        found.append((number, int(fields[19]), used, int(fields[21]) * _PAGE))
    return found


def _pss(number: int) -> int:
    """Return a process's bytes in memory, of shared pages its part; 0 once it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    return 0
