"""Whole networks of each tool that quantizes: they infer as onnxruntime does, learn, and go back as QDQ models."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from bench.quantized import exactness

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.quantized import by_onnxruntime, exported, reference
from support.quantized.by_onnxruntime import EXTRA, FORMS, Form

BATCH, STEPS, RATE = 4, 8, 0.02
#: Scores that no QuantizeLinear rounds are sums in float32, which onnxruntime adds in another order.
ROUNDING = 1e-6


def close(found: np.ndarray, expected: np.ndarray, model: onnx.ModelProto) -> bool:
    """Return whether scores are equal: to the bit if a QuantizeLinear made them."""
    if model.graph.node[-1].op_type in ("DequantizeLinear", "QuantizeLinear"):
        return bool((found == expected).all())
    return bool(np.abs(found - expected).max() <= ROUNDING * np.abs(expected).max())


def same(found: np.ndarray, model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> bool:
    """Return whether scores are onnxruntime's, or differ only in what rounding of its float32 sums decides.

    An integer sum is exact; onnxruntime's may be on the other side of a middle of two integers (docs/QUANTIZATION.md).
    """
    if close(found, reference.infer(model, feeds)[0], model):
        return True
    counts = exactness.by_operator(model, BATCH).values()
    return any(count.near for count in counts) and not any(count.differ for count in counts)


def scores(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
    with Session(compile_image(build_artifacts(model), Options(batch=BATCH)).image) as session:
        return np.array(session.infer(*feeds.values())[0])


def check(model: onnx.ModelProto) -> None:
    feeds = reference.noise(model, BATCH)
    assert same(scores(model, feeds), model, feeds)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(RATE))
    with Session(compile_image(made, Options(batch=BATCH)).image) as session:
        classes = math.prod(session.outputs()[0]["shape"][1:])
        labels = np.arange(BATCH, dtype=np.int32) % classes
        curve = [session.step(*feeds.values(), labels) for _ in range(STEPS)]
        learned = np.array(session.infer(*feeds.values())[0])
        better = trained_model(model, session.save())
    assert curve[-1] < curve[0]
    assert not np.array_equal(learned, reference.infer(model, feeds)[0])
    assert same(learned, better, feeds)


@pytest.mark.parametrize("name", exported.NAMES)
def test_of_torchao_and_tf2onnx(name: str) -> None:
    check(exported.network(name))


@pytest.mark.parametrize("form", [*FORMS, *(Form(extra=extra) for extra in EXTRA)], ids=str)
def test_of_onnxruntime(form: Form) -> None:
    check(by_onnxruntime.network("ds_cnn", form))
