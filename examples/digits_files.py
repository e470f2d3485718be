"""Digits as files: an image and raw numbers, for training by the examples in other languages.

./run example digits_files
./run example digits_files --out digits --accumulate      # for onnxruntime's class shape: trainStep, optimizerStep
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import Dataset

from data import digits
from shared import report
from shared.networks import Network

RATE = 0.003


def network() -> onnx.ModelProto:
    """Return an MLP 64-32-10."""
    return Network((64,)).linear(32).relu().linear(10).model()


def main(out: Path = Path("build/digits"), accumulate: bool = False) -> int:
    """Write model.mote and {train,test}.{f32,i32} into the folder OUT: pixels as float32, labels as int32.

    The image takes one sample per step. Returns the number of samples to train on.
    """
    samples = digits.load()
    options = Options(batch=1, accumulate=accumulate)
    compiled = compile_model(network(), losses.cross_entropy(), optimizers.adamw(RATE), options)
    out.mkdir(parents=True, exist_ok=True)
    (out / "model.mote").write_bytes(compiled.image)
    write_samples(samples, out)
    report.say(f"{out}: model.mote, and {len(samples.x)} digits to train on")
    return len(samples.x)


def write_samples(samples: Dataset, out: Path) -> None:
    """Write pixels between 0 and 1, and labels, as little-endian numbers without a header."""
    parts = {"train": (samples.x, samples.y), "test": (samples.x_test, samples.y_test)}
    for name, (x, y) in parts.items():
        pixels = np.asarray(x, np.float32) * samples.scale
        (out / f"{name}.f32").write_bytes(pixels.astype("<f4").tobytes())
        (out / f"{name}.i32").write_bytes(np.asarray(y, "<i4").tobytes())


if __name__ == "__main__":
    report.run(main)
