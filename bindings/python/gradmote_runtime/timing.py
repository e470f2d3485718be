"""Times the instructions of a program."""

from __future__ import annotations

from gradmote.errors import RuntimeFault

from .session import Session
from .tensors import PROGRAMS

#: Nanoseconds from which an instruction is told by CPU time, which stands still while other processes run; reading that
#: clock takes too long for shorter ones.
LONG = 100_000


def seconds_of_each(session: Session, program: str, count: int) -> list[float]:
    """Runs a program on what is in place. Seconds of each of its instructions, of which there are `count`. RuntimeFault
    where it fails."""
    session._places.use(program)
    ffi, lib = session._ffi, session._lib
    wall, cpu = ffi.new("int64_t[]", count), ffi.new("int64_t[]", count)
    status = lib.gm_host_time_each(session._open(), PROGRAMS.index(program), wall, cpu, count)
    if status != lib.GM_OK:
        raise RuntimeFault(status, program)
    return [1e-9 * (max(1, w) if w < LONG else min(w, c)) for w, c in zip(wall, cpu)]
