"""Shows which quantized networks infer as onnxruntime does, and train.

A network infers if all outputs are bitwise equal to onnxruntime's with optimizations disabled. It trains if a few steps
of all its weights lower the loss.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError
from gradmote_runtime import Session
from support.quantized import reference
from support.quantized.catalogue import entries

BATCH, STEPS, RATE = 2, 5, 1e-2


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized networks", description=__doc__)
    parser.add_argument("--only", default="", help="networks whose names have this in them")
    parser.add_argument("--no-training", action="store_true")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    for entry in (e for e in entries() if given.only in e.name):
        model = entry.make()
        row = f"skipped: {entry.reason}" if model is None else measured(model, not given.no_training)
        print(f"{entry.name:<44} {row}", flush=True)


def measured(model: onnx.ModelProto, training: bool) -> str:
    found = attempt(differing, model)
    return f"{found}; {attempt(trained, model)}" if training else found


def attempt(measure: Callable[[onnx.ModelProto], str], model: onnx.ModelProto) -> str:
    """Return what was measured, or why it was not. Any error is an answer here."""
    try:
        return measure(model)
    except GradmoteError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"FAILED: {type(error).__name__} {error}"


def differing(model: onnx.ModelProto) -> str:
    """Return how many outputs differ from onnxruntime's, as text."""
    feeds = reference.noise(model, BATCH)
    expected = reference.infer(model, feeds)
    with Session(compile_image(build_artifacts(model), Options(batch=BATCH)).image) as session:
        found = [np.array(y) for y in session.infer(*feeds.values())]
    pairs = list(zip(found, expected, strict=True))
    count, largest = sum(int((a != b).sum()) for a, b in pairs), max(largest_difference(*pair) for pair in pairs)
    return f"{count} of {sum(b.size for b in expected)} outputs differ" + (f" by {largest:.1e}" if count else "")


def largest_difference(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found.astype(np.float64) - expected).max())


def trained(model: onnx.ModelProto) -> str:
    """Return the loss before and after some steps on one batch, all weights trained, as text."""
    feeds = reference.noise(model, BATCH)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(RATE))
    with Session(compile_image(made, Options(batch=BATCH)).image) as session:
        labels = np.arange(BATCH) % math.prod(session.outputs("eval")[0]["shape"][1:])
        losses_seen = [session.step(*feeds.values(), labels.astype(np.int32)) for _ in range(STEPS)]
    return f"the loss goes from {losses_seen[0]:.4f} to {losses_seen[-1]:.4f}"
