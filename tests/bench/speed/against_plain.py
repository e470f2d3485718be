"""Time of kernels with this computer's vectors beside that of the plain C ones, both optimized, in turns.

    cd tests && python -m bench.speed.against_plain [--rounds N] [--profile fused]

The instructions are those of recurrent layers, and of attention as models bring it: products over samples and heads.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from c.arch.simd_cases import Case
from c.arch.simd_programs import Form
from rich.progress import track

from gradmote.report.bench.spread import Spread
from gradmote.terminal.terminal import console, table
from runtime_sources import PROFILES
from support import objects

MAIN = Path(__file__).with_name("time_kernel.c")
#: Seconds of the runs of one round.
ROUND = 0.02
STEPS, SAMPLES, HIDDEN = 16, (1, 8, 32), 64
HEADS, LENGTH, WIDTH = 4, 128, 32


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11, help="of each timing (default: 11)")
    parser.add_argument("--profile", choices=PROFILES, default="fused")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plain, vectors = (program(chosen.profile, flags, Path(folder)) for flags in (["-DGM_ARCH=0"], []))
        rows = [row(*case, plain, vectors, chosen.rounds) for case in track(cases(), transient=True, console=console())]
    columns = ["instruction", "shape", "plain µs#", "vectors µs#", "plain / vectors#"]
    console().print(table(f"kernels, {chosen.profile}", (columns, rows)))


def program(profile: str, flags: list[str], folder: Path) -> list[str]:
    """The command of the timing program, compiled with these flags."""
    form = Form([*objects.command_for_host("gcc", "-O3", profile), *flags], main=MAIN)
    own = folder / ("plain" if flags else "vectors")
    own.mkdir()
    return form.compile(own)


def cases() -> list[tuple[str, str, Case]]:
    """Instruction, what it computes, and the drawn case."""
    found = []
    for batch in SAMPLES:
        for name in ("LSTM_CELLS", "LSTM_CELLS_GRAD", "GRU_CELLS", "GRU_CELLS_GRAD"):
            found.append((name, f"{STEPS} steps, {batch} of {HIDDEN}", ordinary(name, recurrent(batch))))
    for title, strides in products().items():
        found.append(("MATMUL", title, ordinary("MATMUL", strides)))
    for name in ("SOFTMAX", "SOFTMAX_GRAD"):
        given = {"outer": HEADS * LENGTH, "classes": LENGTH, "inner": 1}
        found.append((name, f"{HEADS}x{LENGTH}x{LENGTH}", ordinary(name, given)))
    return found


def ordinary(name: str, parameters: dict[str, int]) -> Case:
    """Return a case whose numbers are all ordinary: with the first seed that draws no special ones."""
    return next(case for seed in range(100) if not (case := Case(name, parameters, seed)).special)


def recurrent(batch: int) -> dict[str, int]:
    slot = batch * HIDDEN
    strides = {f"{state}_step": slot for state in ("h", "c", "part", "dpart", "dy")} | {"dy_row": HIDDEN}
    return {"steps": STEPS, "batch": batch, "hidden": HIDDEN, "reverse": 0, "coupled": 0, "reset_after": 1} | strides


def products() -> dict[str, dict[str, int]]:
    """Return the products of attention, of one sample: heads are side by side in a row, as projections leave them."""
    row = HEADS * WIDTH
    scores, weighted = matrix(LENGTH, LENGTH, WIDTH), matrix(LENGTH, WIDTH, LENGTH)
    by_head = {"d0": 1, "d1": HEADS, "a0": 0, "b0": 0, "y0": 0}
    head, square = WIDTH, LENGTH * LENGTH
    return {
        "scores: Q K transposed": scores | by_head | {"a1": head, "b1": head, "y1": square, "a_row": row, "a_col": 1,
                                                     "b_row": 1, "b_col": row, "y_row": LENGTH},
        "P V, dS K": weighted | by_head | {"a1": square, "b1": head, "y1": head, "a_row": LENGTH, "a_col": 1,
                                           "b_row": row, "b_col": 1, "y_row": row},
        "P transposed dY, dS transposed Q": weighted | by_head | {"a1": square, "b1": head, "y1": head, "a_row": 1,
                                                                  "a_col": LENGTH, "b_row": row, "b_col": 1,
                                                                  "y_row": row},
    }  # fmt: skip


def matrix(m: int, n: int, k: int) -> dict[str, int]:
    return {"m": m, "n": n, "k": k}


def row(name: str, shape: str, case: Case, plain: list[str], vectors: list[str], rounds: int) -> list[str]:
    """A line of the table."""
    once = min(seconds(vectors, case, 1) for _ in range(3))
    times = max(1, round(ROUND / once))
    taken = [(seconds(plain, case, times) / times, seconds(vectors, case, times) / times) for _ in range(rounds)]
    slow, fast = (Spread.of(np.array(column)).median for column in zip(*taken, strict=True))
    return [name, shape, f"{1e6 * slow:,.1f}", f"{1e6 * fast:,.1f}", f"{slow / fast:.2f}"]


def seconds(command: list[str], case: Case, times: int) -> float:
    """Return the seconds of the processor that so many runs take."""
    asked = np.uint32(times).tobytes() + case.text()
    return float(subprocess.run(command, input=asked, capture_output=True, check=True).stdout)


if __name__ == "__main__":
    main()
