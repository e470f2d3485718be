"""A classifier of 5 numbers into 4 classes, compiled with a store."""

from __future__ import annotations

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.compiler import Options, Result, compile_model
from gradmote.compiler.sample_store import StoreOptions
from support.oracle import make_model, node, values

ELEMENTS, CLASSES, BATCH = 5, 4, 3


def classifier() -> onnx.ModelProto:
    return make_model([node("Gemm", "x w b", "y")], {"w": values(1, 5, 4), "b": values(2, 4)}, {"x": ("N", 5)})


def taught(store: StoreOptions | None, **options: object) -> Result:
    settings = Options(batch=BATCH, store=store, **options)  # type: ignore[arg-type]
    return compile_model(classifier(), losses.cross_entropy(), optimizers.adamw(0.05), settings)


def samples(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 3, (count, ELEMENTS)).astype(np.float32), rng.integers(0, CLASSES, count)
