"""Run each operator with its attributes drawn against onnxruntime and finite differences:

cd tests && python -m numeric.sweep [--cases 200] [--seed 0] [OPERATOR ...]
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter

from numeric.sweep.draws import DRAWS, drawn
from numeric.sweep.explained import explanation
from numeric.sweep.outcomes import KINDS, outcome
from rich.console import Console


def main() -> None:
    """Print a row for each operator as it ends, then what needs an explanation."""
    parser = argparse.ArgumentParser(prog="numeric.sweep", description="Sweep operators' attributes.")
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="by default all")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refusals", action="store_true", help="show each refusal once")
    given = parser.parse_args()
    logging.disable()  # of weights that train without a layer
    console, open_ones = Console(width=160), list[str]()
    print_row(console, "operator", "cases", *KINDS, "explained")
    total: Counter[str] = Counter()
    for op_type in given.operators or sorted(DRAWS):
        counts: Counter[str] = Counter()
        said: dict[str, int] = {}
        for seed in range(given.seed, given.seed + given.cases):
            draw = drawn(op_type, seed)
            found = outcome(draw)
            kind = found.kind
            if KINDS[kind] and explanation(draw, found):
                kind = "explained"
            elif KINDS[kind]:
                open_ones.append(f"{op_type} seed {seed} opset {draw.opset}: {kind}, {found.said} {draw.attributes} "
                                 f"{ {n: a.shape for n, a in draw.floats.items()} } {draw.constants}")  # fmt: skip
            if found.kind in ("refused", "no gradient", "invalid"):
                said.setdefault(f"{found.kind}: {found.said}", seed)
            counts[kind] += 1
        total += counts
        print_row(console, op_type, str(given.cases), *(str(counts[kind] or "") for kind in (*KINDS, "explained")))
        if given.refusals:
            for text, seed in said.items():
                console.print(f"{op_type} seed {seed} {text}", soft_wrap=True, highlight=False, markup=False)
    console.print(dict(total))
    for text in open_ones:
        console.print(text, soft_wrap=True, highlight=False, markup=False)
    console.print(f"{len(open_ones)} unexplained of {sum(total.values())}")


def print_row(console: Console, name: str, *cells: str) -> None:
    """Print a line of the table."""
    line = f"{name:27}" + "".join(f"{cell:>13}" for cell in cells)
    console.print(line, soft_wrap=True, highlight=False, markup=False)


if __name__ == "__main__":
    main()
