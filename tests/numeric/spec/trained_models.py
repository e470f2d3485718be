"""Images that both implementations train, made by the product: an MLP and a CNN on scikit-learn's digits."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
from fuzz import seeds

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.optimizers import Optimizer
from support import digits
from support.drawn_cnn import DrawnNetwork
from support.oracle import make_model, node

OPTIMIZERS: dict[str, Optimizer] = {
    "sgd": optimizers.sgd(0.05),
    "momentum": optimizers.sgd(0.05, momentum=0.9, weight_decay=0.001),
    "adam": optimizers.adam(0.01),
    "adamw": optimizers.adamw(0.01, weight_decay=0.01),
}
#: The optimizers above, and variants with bfloat16 moments.
RULES = [*OPTIMIZERS, "momentum, bf16", "adam, bf16", "adamw, bf16"]
BATCH = 8


def _drawn(*shape: int) -> np.ndarray:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 0.3).astype(np.float32)


def cnn(normalized: bool = False) -> onnx.ModelProto:
    """Return a network of a convolution, a pool, another convolution and a dense layer, for 8 x 8 pixels."""
    weights = {"c1": _drawn(6, 1, 3, 3), "b1": _drawn(6), "c2": _drawn(8, 6, 3, 3), "b2": _drawn(8)}
    weights |= {"d": _drawn(32, 10), "e": _drawn(10), "shape": np.array([-1, 1, 8, 8])}
    first = [node("Reshape", "x shape", "p"), node("Conv", "p c1 b1", "h1", pads=[1, 1, 1, 1])]
    if normalized:
        weights |= {"one": np.ones(6, np.float32), "zero": np.zeros(6, np.float32), "mean": np.zeros(6, np.float32)}
        weights |= {"var": np.ones(6, np.float32)}
        first.append(node("BatchNormalization", "h1 one zero mean var", "n1"))
    rest = [
        node("Relu", "n1" if normalized else "h1", "a1"),
        node("MaxPool", "a1", "q1", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "q1 c2 b2", "h2"),
        node("Relu", "h2", "a2"),
        node("Flatten", "a2", "f"),
        node("Gemm", "f d e", "y"),
    ]
    return make_model([*first, *rest], weights, {"x": ("N", 64)})


@cache
def image(network: str, optimizer: str, accumulate: bool = False, store: int = 0) -> bytes:
    """Return the image of "mlp", "dropout", "cnn" or "normalized", with cross entropy. optimizer: one of RULES."""
    rule, _, moments = optimizer.partition(", ")
    model = {"mlp": lambda: digits.model(), "dropout": lambda: digits.model(0.25), "cnn": cnn,
             "normalized": lambda: cnn(normalized=True)}[network]()  # fmt: skip
    mode = "batch" if network == "normalized" else None
    built = build_artifacts(model, None, losses.cross_entropy(), OPTIMIZERS[rule], batch_norm=mode)
    kept = StoreOptions(store) if store else None
    options = Options(batch=BATCH, accumulate=accumulate, store=kept, properties=2, moments=moments or None)
    return compile_image(built, options).image


@cache
def quantized(accumulate: bool = False, store: int = 0) -> bytes:
    """Return the image of an int8 network with int8 input, int8 weights and gradients of int16."""
    return seeds.image_of("quantized", accumulate=accumulate, store=StoreOptions(store) if store else None)


@cache
def streamed(seed: int) -> bytes:
    """Return the image of a drawn network whose layers run row by row."""
    model = DrawnNetwork(seed).make(layers=3)
    built = build_artifacts(model, None, losses.cross_entropy(), OPTIMIZERS["sgd"], scheme="head")
    return compile_image(built, Options(stream_rows=True, properties=2)).image
