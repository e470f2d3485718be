"""Measures what several threads gain if as many processors are idle, from what each part of an instruction takes on
one.

    cd tests && python -m bench.speed.parts [NETWORK] [--threads N] [--rounds N]

Parts run one after the other, timed by the processor's clock, so that other programs on the computer do not matter. An
instruction in parts counts as its longest one, and HANDING_OVER more; whole ones count as they are. What threads take
from each other, such as caches and bandwidth, is left out: `python -m bench.speed threads` has it.
"""

from __future__ import annotations

import argparse
import ctypes
import tempfile
import time
from pathlib import Path

from bench.speed import sequences, threads
from bench.speed.cases import training
from rich.progress import track

from gradmote.terminal.terminal import console, table
from gradmote_runtime import Session
from runtime_sources import INCLUDES
from support import objects

#: Seconds in which an instruction in parts reaches the other threads, and waits for them.
HANDING_OVER = 1e-6
SEQUENCES_BATCH = 8


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [*threads.NETWORKS, *sequences.NETWORKS]
    parser.add_argument("network", nargs="?", choices=names)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=11, help="of each timing; the least counts (default: 11)")
    chosen = parser.parse_args()
    wanted = [name for name in names if chosen.network in (None, name)]
    shown = track(wanted, transient=True, console=console())
    columns = ["network", "batch#", "step µs#", "uncut µs#", f"{chosen.threads} threads µs#", "gain#"]
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "time_parts.so")
        objects.run(["gcc", "-O2", "-shared", "-fPIC", "-DGM_THREADS=1", *(f"-I{path}" for path in INCLUDES),
                     str(Path(__file__).with_name("time_parts.c")), "-o", str(library)])  # fmt: skip
        rows = [row(name, chosen.threads, chosen.rounds, library) for name in shown]
    console().print(table("steps on idle processors", (columns, rows)))


def row(network: str, count: int, rounds: int, library: Path) -> list[str]:
    """A line of the table."""
    batch = SEQUENCES_BATCH if network in sequences.NETWORKS else threads.BATCH
    with opened(network, 1) as alone, opened(network, count) as shared:
        parts = Parts(shared, count, library)
        found = [one_round(alone, shared, parts) for _ in range(rounds)]
    whole, uncut, sooner = map(min, zip(*found, strict=True))
    micro = [f"{1e6 * taken:,.0f}" for taken in (whole, uncut, sooner)]
    return [network, str(batch), *micro, f"{whole / sooner:.2f}"]


def opened(network: str, count: int) -> Session:
    """A session of so many threads that has a batch in place, and has done a step."""
    if network in sequences.NETWORKS:
        return sequences.prepared(sequences.compiled(network, SEQUENCES_BATCH)[1], SEQUENCES_BATCH, count)
    session = Session(training(network, "adamw", threads.BATCH, "batch").image, "fused", count)
    threads.prepare(session, network)
    return session


def one_round(alone: Session, shared: Session, parts: Parts) -> tuple[float, float, float]:
    """Seconds of a step on one thread, of what no other thread takes a part of, and of a step on several threads."""
    whole = seconds(alone)
    parts.taken[0:3] = [0.0, 0.0, 0.0]
    total = seconds(shared)
    every, longest, count = parts.taken
    return whole, total - every, total - every + longest + count * HANDING_OVER


class Parts:
    """Takes the place of the threads of an open session, and times the parts: see `taken` of time_parts.c."""

    def __init__(self, session: Session, count: int, library: Path) -> None:
        ffi, lib = session._ffi, session._lib
        self.taken = ffi.new("double[3]")
        self._library = ctypes.CDLL(str(library))
        address = ctypes.cast(self._library.time_parts, ctypes.c_void_p).value
        run = ffi.cast("void (*)(void *, uint32_t, gm_task, void *)", address)
        least = lib.gm_threads_splitter(session._threads).least
        self._splitter = ffi.new("gm_splitter *", [run, self.taken, count, least])
        assert lib.gm_set_splitter(session._session, self._splitter, len(session._memory)) == 0


def seconds(session: Session) -> float:
    """Return what a step takes."""
    start = time.process_time()
    session.step()
    return time.process_time() - start


if __name__ == "__main__":
    main()
