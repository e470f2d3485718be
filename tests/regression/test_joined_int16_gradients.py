"""Gradients of int16 that are joined have exponents of their own; what joins them takes them as float32.

A scheme that trains some channels of a depthwise layer slices its input, and joins the gradients of the parts.
"""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import Session, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler.compile import compile_image
from gradmote.compiler.options import Options
from gradmote.losses import cross_entropy
from support.quantized.drawn import QdqNetwork

BATCH = 2


def network() -> QdqNetwork:
    """Return a network with a depthwise layer between two others."""
    net = QdqNetwork(np.random.default_rng(1))
    net.shapes["x"] = (1, 2, 6, 6)
    net.quantize(0.02)
    for depthwise in (False, True):
        net.conv(8, "int8", True, "int32", depthwise)
        net.activation("Relu")
        net.quantize()
    net.flatten()
    net.gemm(4, "int8", False, "int32", "transB")
    return net


def gradients(scheme: str, form: str) -> dict[str, np.ndarray]:
    """Return the gradients of one batch, by the names of the parameters."""
    made = build_artifacts(network().model(False), None, cross_entropy(), optimizers.sgd(0.05), scheme=scheme)
    image = compile_image(made, Options(batch=BATCH, accumulate=True, gradients=form)).image
    rng = np.random.default_rng(0)
    with Session(image) as session:
        session.train_step(rng.normal(0, 0.5, (BATCH, 2, 6, 6)).astype(np.float32), np.array([1, 3], np.int32))
        return {name: np.array(session.gradient(name)) for name in session.parameter_names()}


@pytest.mark.parametrize("scheme", ["full", "sparse:0.25", "sparse:0.5"])
def test_they_are_those_of_float32(scheme: str) -> None:
    wanted, found = gradients(scheme, "float"), gradients(scheme, "int16")
    for name, gradient in wanted.items():
        np.testing.assert_allclose(found[name], gradient, atol=4e-3 * np.abs(gradient).max(), err_msg=name)
