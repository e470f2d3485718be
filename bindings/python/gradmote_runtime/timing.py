"""Measure the time of each instruction of a program."""

from __future__ import annotations

from gradmote.errors import RuntimeFault

from .session import Session
from .tensors import PROGRAMS

#: Instructions of at least this many nanoseconds are timed by the CPU clock, which stops while other processes run.
#: Reading it takes too long for shorter ones.
LONG = 100_000


def seconds_of_each(session: Session, program: str, count: int) -> list[float]:
    """Run a program on the data in the arena, and return the seconds of each of its instructions.

    count: how many instructions the program has. Raises RuntimeFault if it fails.
    """
    session._buffers.begin_run(program)
    ffi, lib = session._ffi, session._lib
    wall, cpu = ffi.new("int64_t[]", count), ffi.new("int64_t[]", count)
    status = lib.gm_host_time_each(session._open(), PROGRAMS.index(program), wall, cpu, count)
    if status != lib.GM_OK:
        raise RuntimeFault(status, program)
    return [1e-9 * (max(1, w) if w < LONG else min(w, c)) for w, c in zip(wall, cpu)]
