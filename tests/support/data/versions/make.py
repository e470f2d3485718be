"""Writes a folder of files in the current formats: `python tests/support/data/versions/make.py`.

Run this once for each version of a format, at the last commit that writes it; commit the result, which then stays.
tests/unit/image/test_earlier_versions.py checks every later runtime against it.

image.mote trains with AdamW, BatchNormalization on statistics of the batch, and dropout, and has properties and a
store of samples. PROFILE.gmck is its checkpoint after STEPS steps and replays with that numerics profile,
PROFILE_half.gmck the same in packed form, expected.json the SHA-256 of the state after loading each, and after as
many more steps.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.generated import records
from gradmote_runtime import Session

HERE = Path(__file__).resolve().parent
PROFILES = ("fused", "strict")
BATCH, FEATURES, CLASSES = 4, 6, 3
STEPS = 5

NODES = """
    h = Gemm<transB=1>(x, w1, b1)
    n = BatchNormalization(h, scale, shift, mean, variance)
    a = Relu(n)
    d = Dropout(a, ratio)
    y = Gemm<transB=1>(d, w2, b2)"""
WEIGHTS = {"w1": (8, 6), "b1": (8,), "scale": (8,), "shift": (8,), "mean": (8,), "w2": (3, 8), "b2": (3,)}


def drawn(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Return numbers in -1 .. 1 that do not depend on any library's random generator."""
    count = int(np.prod(shape))
    steps = (np.arange(1, count + 1, dtype=np.int64) * 7919 + seed * 104729) % 2003
    return (steps.astype(np.float32) / np.float32(1001) - np.float32(1)).reshape(shape)


def model() -> onnx.ModelProto:
    ends = f"(float[N,{FEATURES}] x) => (float[N,{CLASSES}] y)"
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> small {ends} {{{NODES}}}')
    values = {name: drawn(shape, seed) for seed, (name, shape) in enumerate(WEIGHTS.items())}
    values |= {"variance": drawn((8,), 20) + np.float32(1.5), "ratio": np.array(0.25, np.float32)}
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(v, n) for n, v in values.items())
    return proto


def image() -> bytes:
    optimizer = optimizers.adamw(0.01, weight_decay=0.1)
    artifacts = build_artifacts(model(), None, losses.cross_entropy(), optimizer, batch_norm="batch")
    return compile_image(artifacts, Options(batch=BATCH, seed=5, properties=2, store=StoreOptions(6))).image


def train(session: Session, first: int) -> None:
    """Run steps `first` to `first` + STEPS: each on its own batch, then on samples of the store."""
    for step in range(first, first + STEPS):
        labels = (np.arange(BATCH) * 5 + step) % CLASSES
        session.step(drawn((BATCH, FEATURES), 50 + step), labels.astype(np.int32))
        session.learn(step % CLASSES, drawn((FEATURES,), 90 + step))
        session.replay()
    session.set_property("steps", first + STEPS)
    session.set_property("share", 0.375)


def checkpoint_of(image: bytes, profile: str, half: bool) -> tuple[bytes, dict[str, str]]:
    """Return (checkpoint after STEPS steps, SHA-256 of the state after loading it, and after as many more steps)."""
    with Session(image, profile) as session:
        session.set_linear_schedule(0.01, 2, 40)
        train(session, 0)
        data = session.save(half)
        session.load(data)
        loaded = session.state_sha256()
        train(session, STEPS)
        return data, {"loaded": loaded, "trained": session.state_sha256()}


def write(folder: Path) -> None:
    folder.mkdir()
    (folder / "image.mote").write_bytes(image())
    expected: dict[str, Any] = {}
    for profile, half in product(PROFILES, (False, True)):
        name = f"{profile}_half" if half else profile
        data, expected[name] = checkpoint_of((folder / "image.mote").read_bytes(), profile, half)
        (folder / f"{name}.gmck").write_bytes(data)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    write(HERE / f"image_{records.FORMAT_VERSION}_checkpoint_{records.CHECKPOINT_VERSION}")
