"""Counts machine instructions of int8 and int16 on emulated boards: of kernels, a multiply-accumulate or a weight, and
of whole training steps. Targets are in brackets, with an exclamation mark if they are missed.

Panels are those that the compiler gives. No emulated board with a Cortex-M0 has room for these kernels: a Cortex-M3
runs its code, and whole steps are not counted. dX and dW are the gradients of inputs and weights, of 16 bits. In
depthwise layers whose stride is larger than 1, most of the gradient's work is on zeros.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.quantized.counts import products, steps, updates
from bench.quantized.counts.cores import CORES
from bench.quantized.counts.figures import Figure, as_json, lines

TABLES = {"products": products.TABLE, "updates": updates.TABLE, "steps": steps.TABLE}


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized counts", description=__doc__)
    parser.add_argument("--cores", nargs="+", choices=[*CORES], default=["cortex-m4f"])
    parser.add_argument("--tables", nargs="+", choices=[*TABLES], default=[*TABLES])
    parser.add_argument("--rows", nargs="+", metavar="WORDS", default=[""], help="rows whose names have one of these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parsed = parser.parse_args(arguments)
    found: dict[str, list[Figure]] = {name: [] for name in parsed.tables}
    for core in parsed.cores:
        for name in parsed.tables:
            figures = list(TABLES[name].figures(CORES[core], lambda row: any(words in row for words in parsed.rows)))
            found[name] += figures
            if figures and not parsed.json:
                print("\n".join(lines(f"{core}: {TABLES[name].title}", figures)), end="\n\n", flush=True)
    if parsed.json:
        print(as_json(found))
