"""Counts the int8 results that differ from onnxruntime's without optimizations, by operator and by network.

Two forms run there: the QDQ graph as it is, whose convolutions and matrix products are float32 sums, and the graph of
operators on int8 that Gradmote makes of it, by their bodies (QLinearConv and others, whose sums are exact). If the two
forms differ from each other, onnxruntime disagrees with itself; the last column says how often.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from support.oracle import host_profiles
from support.quantized import drawn_operators, reference
from support.quantized.catalogue import entries
from support.quantized.comparing import Arrays, InGradmote, InOnnxruntime, differing, fused, with_every_result

#: Batches that each drawn model is run on.
REPEATS = 25
BATCH = 2
#: The share of results that may differ: a ConvTranspose has no body but a float32 sum.
MIDWAY = 1e-5


@dataclass
class Counts:
    """The numbers of outputs that were compared, and that differ."""

    outputs: int = 0
    from_qdq: int = 0
    from_bodies: int = 0
    among_themselves: int = 0

    def add(self, other: Counts) -> None:
        self.outputs += other.outputs
        self.from_qdq += other.from_qdq
        self.from_bodies += other.from_bodies
        self.among_themselves += other.among_themselves

    def row(self, name: str) -> str:
        return f"{name:<44}{self.outputs:>12,}{self.from_qdq:>12}{self.from_bodies:>12}{self.among_themselves:>14}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized forward", description=__doc__)
    parser.add_argument("--outputs", type=int, default=1_000_000, help="how many to compare in all operators")
    parser.add_argument("--only", default="", help="operators and networks whose names have this in them")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print(f"{'':<44}{'outputs':>12}{'from QDQ':>12}{'from bodies':>12}{'QDQ/bodies':>14}")
    total = Counts()
    names = [name for name in drawn_operators.OPERATORS if given.only in name]
    for name in names:
        counts = of_operator(name, given.outputs // len(names))
        total.add(counts)
        print(counts.row(name), flush=True)
    operators = total.from_bodies / max(total.outputs, 1)
    for entry in (e for e in entries() if given.only in e.name):
        model = entry.make()
        counts = compared(with_every_result(model), [reference.noise(model, BATCH)], BATCH) if model else Counts()
        total.add(counts)
        print(counts.row(entry.name if model else f"{entry.name}: skipped, {entry.reason}"), flush=True)
    print(total.row("all"))
    if operators > MIDWAY:
        raise SystemExit(f"more than {MIDWAY:.0e} of the operators' results differ from their bodies'")


def of_operator(name: str, least: int) -> Counts:
    """Compare models of one operator until so many outputs were."""
    counts = Counts()
    forms = itertools.product((np.int8, np.uint8), (False, True))
    for seed, (dtype, per_channel) in enumerate(itertools.cycle(forms)):
        if counts.outputs >= least:
            return counts
        model, data = drawn_operators.model_of(name, seed, dtype, per_channel)
        counts.add(compared(model, shuffled(data), None))
    raise AssertionError


def shuffled(data: Arrays) -> Iterator[Arrays]:
    """Yield the data, and then the same numbers in other orders."""
    rng = np.random.default_rng(0)
    yield data
    for _ in range(REPEATS - 1):
        yield {name: rng.permutation(array.ravel()).reshape(array.shape) for name, array in data.items()}


def compared(model: onnx.ModelProto, batches: Sequence[Arrays] | Iterator[Arrays], batch: int | None) -> Counts:
    """Compare all outputs of a model for all batches, in every profile."""
    qdq, bodies = InOnnxruntime(model), InOnnxruntime(fused(model, batch))
    ours = [InGradmote(model, batch, profile) for profile in host_profiles()]
    counts = Counts()
    for feeds in batches:
        expected, exact = qdq(feeds), bodies(feeds)
        found = [run(feeds) for run in ours]
        counts.outputs += sum(y.size for y in expected)
        counts.from_qdq += max(differing(y, expected) for y in found)
        counts.from_bodies += max(differing(y, exact) for y in found)
        counts.among_themselves += differing(exact, expected)
    return counts
