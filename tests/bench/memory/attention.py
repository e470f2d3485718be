"""Attention in blocks beside its instructions one by one: a part of docs/MEMORY.md.

cd tests && PYTHONPATH=../site_scons python -m bench.memory.attention writes it. Given lengths of sequences, it prints
their rows alone.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from bench.memory.page import BLOCKS, PAGE, SAVED
from bench.speed import sequences
from wrap_prose import wrapped

from gradmote import losses, optimizers
from gradmote.compiler import Options, Result, compile_model
from gradmote.compiler.options import ATTENTION
from gradmote.report.analyze import analyze_result

LENGTHS, BATCHES = (32, 64, 128, 256), (1, 8)
ROUNDS = 11

HEAD = f"""{BLOCKS}

`cd tests && PYTHONPATH=../site_scons python -m bench.memory.attention` writes this part. The
network is a block of a transformer, of width {sequences.WIDTH} with {sequences.HEADS} heads, over
sequences of some *length*. All but the scale of its scores trains, with AdamW. *scratch* is that of
a training step in bytes, as it is and with `--attention blocks`. *instructions* are those of a step
on a Cortex-M4F, by the estimate of `gradmote analyze`. *µs* is the time of a step on one thread of
the computer that wrote this part, the median of {ROUNDS} in turns. The trained state has the same
bits both ways.
"""

COLUMNS = ["length", "batch", "scratch", "in blocks", "instructions", "in blocks", "µs", "in blocks"]


def main() -> None:
    """Write the part, or print some rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory.attention", description=__doc__)
    parser.add_argument("lengths", type=int, nargs="*", help="print the rows of these alone, and leave the page")
    given = parser.parse_args()
    lines = []
    for length in given.lengths or LENGTHS:
        for batch in BATCHES:
            lines.append("| " + " | ".join(row(length, batch)) + " |")
            print(lines[-1], flush=True)
    if not given.lengths:
        write(lines)


def row(length: int, batch: int) -> list[str]:
    """A line of the table."""
    sequences.LENGTH = length
    both = [compiled(batch, way) for way in ATTENTION]
    scratch = [result.layout.placements["step"].peak for result in both]
    counted = [estimated(r) for r in both]
    sessions = [sequences.prepared(result.image, batch) for result in both]
    taken = sequences.in_turns([session.step for session in sessions], time.process_time, ROUNDS)
    micro = [1e6 * float(np.median(each)) for each in taken]
    return [str(length), str(batch), *(f"{number:,.0f}" for number in (*scratch, *counted, *micro))]


def compiled(batch: int, way: str) -> Result:
    """The image whose attention runs in this way."""
    model, update = sequences.transformer(batch), optimizers.adamw(1e-9)
    return compile_model(model, losses.cross_entropy(), update, Options(batch, attention=way), freeze=["root"])


def estimated(result: Result) -> float:
    """The machine instructions of a step, as `gradmote analyze` estimates them."""
    return float(analyze_result(result, "").main.machine or 0)


def write(lines: list[str]) -> None:
    """Replace the part before the next one in the page."""
    table = ["| " + " | ".join(COLUMNS) + " |", "|" + "---:|" * len(COLUMNS), *lines]
    before, _, rest = PAGE.read_text().partition(SAVED)
    kept = before.partition(BLOCKS)[0].rstrip("\n")
    PAGE.write_text(f"{kept}\n\n" + wrapped("\n".join([HEAD, *table]) + "\n") + f"\n{SAVED}{rest}")


if __name__ == "__main__":
    main()
