"""The smallest arena at more machine instructions, all layers trained at batch 1: the last part of docs/MEMORY.md.

cd tests && PYTHONPATH=../site_scons python -m bench.memory.recompute writes it. With --count, the machine instructions
of a step are also counted on the emulated Cortex-M4F (mps2-an386) for the networks of COUNTED.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.memory.cases import NETWORKS, artifacts
from bench.memory.page import LAST, PAGE
from wrap_prose import wrapped

from gradmote.budget.recompute import Tradeoffs, Wish
from gradmote.compiler import Options, Result
from gradmote.report.bench.counting import counter

MORE = (0.1, 0.3, 1.0)
COUNTED = ("ds_cnn", "resnet_8")
BOARD = "mps2-an386"

HEAD = f"""{LAST}

`cd tests && PYTHONPATH=../site_scons python -m bench.memory.recompute --count` writes this part.
All layers are trained at batch 1, with SGD. *as it is* is the image without `--recompute`, and the
other columns are `--recompute +10%`, `+30%` and `+100%`: the smallest scratch that was found with
so many more machine instructions in a step, and how many more these are by the estimate of
`gradmote analyze`. What does not depend on it, *fixed*, is parameters and inputs: the arena is the
sum. *widest* is the scratch that the widest single instruction touches, so that no order and no
recomputation can need less. The trained state has the same bits in all columns.
"""


@dataclass(frozen=True)
class Row:
    """The figures of one network. Bytes, and parts of the time."""

    fixed: int
    widest: int
    plain: int
    scratch: list[int]
    more: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.memory.recompute", description=__doc__)
    parser.add_argument("--count", action="store_true", help=f"count on {BOARD} too")
    parser.add_argument("networks", nargs="*", help="print these alone, and leave the page")
    given = parser.parse_args()
    names, lines, counts = given.networks or list(NETWORKS), [], []
    for network in names:
        found = Tradeoffs(artifacts(network, "full"), Options(), Wish(more=max(MORE)))
        results = [found.best(Wish(more=more)) for more in MORE]
        lines.append(line(network, row(found.plain, results)))
        print(lines[-1], flush=True)
        if given.count and network in COUNTED:
            counts.append(count(network, [found.plain, *results]))
            print(counts[-1], flush=True)
    if not given.networks:
        write(lines, counts)


def row(plain: Result, results: list[Result]) -> Row:
    """Return the figures of a network from its image without the option and those with it."""
    step = next(p for p in plain.compiled.programs if p.kind == "step")
    touched = [{r.buffer for r in (*i.reads, *i.writes) if r.buffer.region == "scratch"} for i in step.instructions]
    taken = [next((t.more for t in result.front if t.taken), 0.0) for result in results]
    return Row(
        plain.layout.scratch_offset,
        max(sum(b.size for b in buffers) for buffers in touched),
        plain.layout.placements["step"].peak,
        [result.layout.placements["step"].peak for result in results],
        taken,
    )


def line(network: str, r: Row) -> str:
    cells = [NETWORKS[network], f"{r.fixed:,}", f"{r.widest:,}", f"{r.plain:,}"]
    cells += [f"{scratch:,} ({more:+.1%})" for scratch, more in zip(r.scratch, r.more, strict=True)]
    return "| " + " | ".join(cells) + " |"


def count(network: str, results: list[Result]) -> str:
    """Return a sentence with the machine instructions of a step of each image, counted on the board."""
    with tempfile.TemporaryDirectory() as folder:
        board = counter(BOARD, Path(folder), [result.image for result in results])
        counted = [board.count(result.image)["step"].whole for result in results]
    first, *others = counted
    words = ", ".join(f"{n / 1e6:.2f} M ({n / first - 1:+.1%})" for n in others)
    name = NETWORKS[network]
    return f"Counted on {BOARD}, a step of {name} takes {first / 1e6:.2f} M instructions as it is, and {words}."


def write(lines: list[str], counts: list[str]) -> None:
    """Replace the part after the other one in the page."""
    columns = ["network", "fixed", "widest", "as it is", *(f"{more:+.0%}" for more in MORE)]
    table = ["| " + " | ".join(columns) + " |", "|---|" + "---:|" * (len(columns) - 1), *lines]
    kept = PAGE.read_text().split(LAST)[0].rstrip("\n")
    PAGE.write_text(f"{kept}\n\n" + wrapped("\n".join([HEAD, *table, "", *counts]).rstrip("\n") + "\n"))


if __name__ == "__main__":
    main()
