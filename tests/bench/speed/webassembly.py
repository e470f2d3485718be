"""Time of a training step in WebAssembly, in node: with vectors and without, in turns with the twin.

    cd tests && python -m bench.speed.webassembly [NETWORK [BATCH]] [--kernels] [--modules FOLDER]

It prints what `python -m bench.speed wasm` writes to docs/PERFORMANCE.md, or with --kernels the time of each kernel.
--modules takes gradmote.wasm and gradmote-simd.wasm from a folder instead of those of this checkout.
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
from bench.speed.cases import TITLES, HostCase, samples
from bench.speed.peers import Child, Process
from rich.progress import track

from gradmote.formats.image import read_image
from gradmote.report.bench.kernel_totals import Kernel, kernels_of
from gradmote.terminal.printable import Rows
from gradmote.terminal.terminal import console, table
from gradmote_runtime import Session
from gradmote_runtime.timing import seconds_of_each
from support import npm_package

#: Who is measured: the twin from Python, gm_step() alone, and the npm package with its two modules.
TWIN, RUNTIME, SIMD, PLAIN = "twin", "runtime", "simd", "plain"
CASES = [HostCase(network, batch, "train") for network in ("mlp", "lenet", "ds_cnn") for batch in (1, 32)]
PROFILE = "strict"
#: Steps from whose times the least of each instruction is taken.
PROFILED_STEPS = 30
#: Seconds of steps before anything is timed.
WARM_UP = 1.0


def main() -> None:
    """Print the times of steps, or of kernels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", choices=sorted({case.network for case in CASES}))
    parser.add_argument("batch", nargs="?", type=int, choices=sorted({case.batch for case in CASES}))
    parser.add_argument("--kernels", action="store_true", help="time each kernel")
    parser.add_argument("--modules", type=Path, metavar="FOLDER", help="folder of other modules")
    parser.add_argument("--rounds", type=int, default=11, help="of each timing (default: 11)")
    chosen = parser.parse_args()
    wanted = [c for c in CASES if chosen.network in (None, c.network) and chosen.batch in (None, c.batch)]
    with children(chosen.modules) as found:
        if chosen.kernels:
            for case in wanted:
                console().print(table(f"{TITLES[case.network]}, batch {case.batch}", kernel_rows(case, found)))
            return
        effort = host.Effort(chosen.rounds)
        rows = [row_of(case, found, effort) for case in track(wanted, transient=True, console=console())]
        console().print(table("steps in WebAssembly", page.webassembly_table({"rows": rows})))


@contextmanager
def children(modules: Path | None = None) -> Iterator[dict[str, Process]]:
    """Start a process for each contestant. Raise SystemExit if a tool is missing. modules: another folder of them."""
    if npm_package.lacking():
        raise SystemExit(f"there is no {npm_package.lacking()}: ./run setup installs what builds the npm package")
    script = npm_package.project() / "scripts" / "timed.mjs"
    folder = [] if modules is None else [modules.resolve()]
    found: dict[str, Process] = {name: Child("twin.py") for name in (TWIN, RUNTIME)}
    found |= {form: Process("node", script, form, *folder) for form in (SIMD, PLAIN)}
    try:
        yield found
    finally:
        for process in found.values():
            process.close()


def row_of(case: HostCase, processes: dict[str, Process], effort: host.Effort) -> dict[str, Any]:
    """Return seconds of a step of each, all rounds. Raise SystemExit if the losses of two differ in a bit."""
    with tempfile.TemporaryDirectory() as folder:
        open_case(case, processes, Path(folder))
        losses = {name: process.ask(check=host.CHECKED_RUNS) for name, process in processes.items()}
        if any(found != losses[TWIN] for found in losses.values()):
            raise SystemExit(f"{case}: the losses are not the same: {losses}")
        warm_up(processes)
        return {"network": case.network, "batch": case.batch, "samples": host.in_turns(processes, effort)}


def warm_up(processes: dict[str, Process]) -> None:
    """Let node run steps until its engine has optimized all that is hot."""
    for form in (SIMD, PLAIN):
        once = processes[form].ask(time=1)
        processes[form].ask(time=max(1, round(WARM_UP / max(once, 1e-6))))


def open_case(case: HostCase, processes: dict[str, Process], folder: Path) -> None:
    """Let each process open the image of a case, with one batch of noise."""
    x, y = samples(case.network, case.batch)
    (folder / "step.mote").write_bytes(host.image_of(case, "adamw", case.statistics))
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    shared = {"folder": str(folder), "image": "step.mote", "rate": host.TIMED_RATE}
    for name, calls in ((TWIN, "python"), (RUNTIME, "c")):
        processes[name].ask(open={**shared, "program": case.program, "calls": calls, "profile": PROFILE})
    for form in (SIMD, PLAIN):
        processes[form].ask(open={**shared, "x": x.ravel().tolist(), "y": y.tolist()})


# ---- Kernels ---------------------------------------------------------------------------------------------------------


def kernel_rows(case: HostCase, processes: dict[str, Process]) -> Rows:
    """The microseconds of each kernel in a step, the slowest with vectors first; ratios are of neighbours."""
    with tempfile.TemporaryDirectory() as folder:
        open_case(case, processes, Path(folder))
        image = host.image_of(case, "adamw", case.statistics)
        each = {RUNTIME: native_seconds(image, case)}
        warm_up(processes)
        each |= {form: processes[form].ask(instructions=PROFILED_STEPS) for form in (SIMD, PLAIN)}
    sums = {name: by_kernel(image, seconds) for name, seconds in each.items()}
    columns = ["kernel", "native µs#", "simd µs#", "plain µs#", "simd / native#", "plain / simd#"]
    slowest = sorted(sums[SIMD], key=lambda kernel: -sums[SIMD][kernel])
    rows = [kernel_row(str(kernel), *(found[kernel] for found in sums.values())) for kernel in slowest]
    return columns, [*rows, kernel_row("all", *(sum(found.values()) for found in sums.values()))]


def kernel_row(name: str, native: float, simd: float, plain: float) -> list[str]:
    times = [page.figure(1e6 * seconds) for seconds in (native, simd, plain)]
    return [name, *times, f"{simd / native:.2f}", f"{plain / simd:.2f}"]


def native_seconds(image: bytes, case: HostCase) -> list[float]:
    """The least seconds that each instruction of a step took here."""
    with Session(image, PROFILE) as session:
        x, y = samples(case.network, case.batch)
        session.learning_rate = host.TIMED_RATE
        count = len(step_of(image)["instructions"])
        runs = []
        for _ in range(PROFILED_STEPS):
            session.set_input(0, x)
            session.set_label(0, y)
            runs.append(seconds_of_each(session, "step", count))
    return [float(least) for least in np.min(runs, axis=0)]


def step_of(image: bytes) -> dict[str, Any]:
    return next(program for program in read_image(image).programs if program["kind"] == "step")


def by_kernel(image: bytes, seconds: list[float]) -> dict[Kernel, float]:
    """The seconds of each kernel of the step."""
    found: dict[Kernel, float] = {}
    for kernel, taken in zip(kernels_of(read_image(image), step_of(image)), seconds, strict=True):
        found[kernel] = found.get(kernel, 0.0) + taken
    return found


if __name__ == "__main__":
    main()
