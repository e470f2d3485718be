"""What several threads gain where as many processors are idle, from what each part of each instruction takes on one.

    cd tests && python -m bench.speed.parts [NETWORK] [--threads N] [--rounds N]

Parts run one after the other, timed by the processor's clock, so that other programs on the computer do not matter. An
instruction in parts counts as its longest one, and HANDING_OVER more; whole ones count as they are. What threads take
from each other, such as caches and bandwidth, is left out: `python -m bench.speed threads` has it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from bench.speed import sequences, threads
from bench.speed.cases import training
from rich.progress import track

from gradmote.report.terminal import console, table
from gradmote_runtime import Session

#: Seconds in which an instruction in parts reaches the other threads, and waits for them.
HANDING_OVER = 1e-6
SEQUENCES_BATCH = 8


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [*threads.NETWORKS, *sequences.NETWORKS]
    parser.add_argument("network", nargs="?", choices=names)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--rounds", type=int, default=11, help="of each timing; the least counts (default: 11)"
    )
    chosen = parser.parse_args()
    wanted = [name for name in names if chosen.network in (None, name)]
    shown = track(wanted, transient=True, console=console())
    columns = ["network", "batch#", "step µs#", "uncut µs#", f"{chosen.threads} threads µs#", "gain#"]
    rows = [row(name, chosen.threads, chosen.rounds) for name in shown]
    console().print(table("steps on idle processors", (columns, rows)))


def row(network: str, count: int, rounds: int) -> list[str]:
    """A line of the table."""
    batch = SEQUENCES_BATCH if network in sequences.NETWORKS else threads.BATCH
    with opened(network, 1) as alone, opened(network, count) as shared:
        parts = Parts(shared, count)
        found = [one_round(alone, shared, parts) for _ in range(rounds)]
    whole, sooner, uncut = map(min, zip(*found, strict=True))
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
    """Seconds of a step on one thread, of one on several, and of what no other thread takes a part of."""
    whole = seconds(alone.step)
    parts.spent = parts.longest = 0.0
    uncut = seconds(shared.step) - parts.spent
    return whole, uncut + parts.longest, uncut


class Parts:
    """Takes the place of the threads of an open session, and times the parts. spent: seconds in all calls for parts;
    longest: those that they would take on threads."""

    def __init__(self, session: Session, count: int) -> None:
        ffi, lib = session._ffi, session._lib
        self.spent, self.longest = 0.0, 0.0
        self._run_parts = ffi.callback("void(void *, uint32_t, gm_task, void *)", self._run)
        least = lib.gm_threads_splitter(session._threads).least
        self._splitter = ffi.new("gm_splitter *", [self._run_parts, ffi.NULL, count, least])
        assert lib.gm_set_splitter(session._session, self._splitter, len(session._memory)) == 0

    def _run(self, _: object, count: int, task: Callable[[Any, int], None], argument: object) -> None:
        start = time.process_time()
        self.longest += max(seconds(task, argument, part) for part in range(count)) + HANDING_OVER
        self.spent += time.process_time() - start


def seconds(run: Callable[..., object], *arguments: object) -> float:
    start = time.process_time()
    run(*arguments)
    return time.process_time() - start


if __name__ == "__main__":
    main()
