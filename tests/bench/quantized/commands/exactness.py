"""Compares each layer of quantized networks with onnxruntime, on the integers that onnxruntime has there.

onnxruntime runs without optimizations. "near the middle": results that differ because onnxruntime's sum of float32
products was rounded across the middle of two integers; the exact sum is within 1e-4 of it.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

from bench.quantized.exactness import Count, by_operator

from gradmote.errors import GradmoteError
from support.quantized.catalogue import entries


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized exactness", description=__doc__)
    parser.add_argument("--only", default="", help="networks whose names have this in them")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    total = Count()
    for entry in (e for e in entries() if given.only in e.name):
        model = entry.make()
        if model is None:
            print(f"{entry.name}: skipped: {entry.reason}")
            continue
        try:
            counts = by_operator(model)
        except GradmoteError as error:
            print(f"{entry.name:<44} refused: {error}")
            continue
        for operator, count in counts.items():
            print(f"{entry.name:<44} {operator:<20} {shown(count)}", flush=True)
            total.add(count)
    print(f"{'all':<65} {shown(total)}")
    raise SystemExit(bool(total.differ))


def shown(count: Count) -> str:
    return f"{count.compared:>10,} compared, {count.near} near the middle of two, {count.differ} differ"
