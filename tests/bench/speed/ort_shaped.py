"""Time of a training step through the classes of onnxruntime.training.api, in turns with onnxruntime's own.

    cd tests && python -m bench.speed.ort_shaped [NETWORK] [--peers FOLDER] [--rounds N]

It prints what `python -m bench.speed ort` writes to docs/PERFORMANCE.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from bench.speed import host, page
from bench.speed.cases import BATCHES, ON_HOST, HostCase
from bench.speed.peers import Child, peers_python
from rich.progress import track

from gradmote.terminal.terminal import console, table

#: Who is measured: onnxruntime, Module and Optimizer of gradmote.training, Session.step(), and gm_step() alone.
ORT, SHAPED, TWIN, RUNTIME = "onnxruntime", "gradmote.training", "twin", "runtime"
CASES = [HostCase(network, batch, "train") for network in ON_HOST for batch in BATCHES]
#: How far the parameters of two may differ, as a part of how far they went: AdamW takes steps of the learning rate even
#: if a gradient is only rounding noise.
TOLERANCE = 0.2
#: Calls before anything is timed: the first ones compile and allocate.
WARM_UP = 2


def main() -> None:
    """Print the times of steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", choices=ON_HOST)
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="environment of onnxruntime-training, torch")
    parser.add_argument("--rounds", type=int, default=11, help="of each timing (default: 11)")
    chosen = parser.parse_args()
    wanted = [case for case in CASES if chosen.network in (None, case.network)]
    with children(chosen.peers) as found:
        effort = host.Effort(chosen.rounds)
        rows = [row_of(case, found, effort) for case in track(wanted, transient=True, console=console())]
    console().print(table("steps of onnxruntime's classes", page.ort_table({"rows": rows})))


@contextmanager
def children(environment: Path | None) -> Iterator[dict[str, Child]]:
    """A process for each that is measured."""
    python = peers_python(environment)
    found = {name: Child("twin.py") for name in (TWIN, RUNTIME)}
    found |= {SHAPED: Child("gradmote_training.py"), ORT: Child("onnxruntime_training.py", python)}
    try:
        yield found
    finally:
        for child in found.values():
            child.close()


def row_of(case: HostCase, processes: dict[str, Child], effort: host.Effort) -> dict[str, Any]:
    """Seconds of a step of each, all rounds, and how far the losses and parameters of the first steps were apart."""
    with tempfile.TemporaryDirectory() as folder:
        host.write_inputs(case, Path(folder))
        differences = compared(case, processes, requests(case, folder, case.rate))
        timed = host.opened(requests(case, folder, host.TIMED_RATE), processes)
        for child in timed.values():
            child.ask(check=WARM_UP)
        samples = host.in_turns(timed, effort)
    return {"network": case.network, "batch": case.batch, "samples": samples, "differences": differences}


def requests(case: HostCase, folder: str, rate: float) -> dict[str, dict[str, Any]]:
    """Return what each child is to open; all have onnxruntime's AdamW."""
    found = host.requests(case, folder, rate, "adamw_ort")
    runtime, ort = found[host.RUNTIME], found[host.ORT]
    shaped = {**ort, "statistics": case.statistics}
    return {SHAPED: shaped, TWIN: {**runtime, "calls": "python"}, RUNTIME: runtime, ORT: ort}


def compared(case: HostCase, processes: dict[str, Child], wanted: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return how far losses and trained parameters are from onnxruntime's. Raise SystemExit if they are too far apart,
    or if gradmote.training has other losses than the runtime."""
    losses = {n: child.ask(check=host.CHECKED_RUNS) for n, child in host.opened(wanted, processes).items()}
    if not losses[SHAPED] == losses[TWIN] == losses[RUNTIME]:
        raise SystemExit(f"{case}: the losses are not the same: {losses}")
    if not host.is_comparable(case):
        return {}
    pair = {name: {**wanted[name], "program": "parameters"} for name in (SHAPED, ORT)}
    after = {n: np.array(c.ask(check=host.CHECKED_RUNS)) for n, c in host.opened(pair, processes).items()}
    found = {"losses": host.difference(losses[SHAPED], losses[ORT]), "parameters": apart(after[SHAPED], after[ORT])}
    if not (found["losses"] <= host.TOLERANCE and found["parameters"] <= TOLERANCE):
        raise SystemExit(f"{case}: onnxruntime does other work: differences of {found}")
    return found


def apart(found: np.ndarray, expected: np.ndarray) -> float:
    """Distance of parameters after the last step, over how far they went since the first. Both: (steps, numbers)."""
    return float(np.linalg.norm(found[-1] - expected[-1]) / np.linalg.norm(expected[-1] - expected[0]))


if __name__ == "__main__":
    main()
