"""A quantized network trains on an emulated Cortex-M4F to the bits of its twin, its rounding at random included."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from gradmote import Session, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler.compile import compile_image
from gradmote.compiler.options import Options
from gradmote.device import open_target
from gradmote.losses import cross_entropy
from support.quantized.drawn import QdqNetwork

STEPS = 12


def image(weights: str, gradients: str, scheme: str = "full") -> bytes:
    """Return an image of a network with a full, a depthwise and a dense layer."""
    net = QdqNetwork(np.random.default_rng(1))
    net.shapes["x"] = (1, 2, 6, 6)
    net.quantize(0.02)
    for depthwise in (False, True):
        net.conv(4, "int8", True, "int32", depthwise)
        net.activation("Relu")
        net.quantize()
    net.flatten()
    net.gemm(3, "int8", False, "int32", "transB")
    made = build_artifacts(net.model(False), None, cross_entropy(), optimizers.sgd(0.05, momentum=0.9), scheme=scheme)
    return compile_image(made, Options(batch=2, gradients=gradients, weights=weights)).image


@pytest.mark.parametrize("gradients", ["float", "int16"])
@pytest.mark.parametrize("weights", ["int8", "int16"])
def test_state_is_that_of_the_twin(firmware: object, weights: str, gradients: str) -> None:
    learn_alike(image(weights, gradients))


def test_parts_of_layers_train_alike(firmware: object) -> None:
    learn_alike(image("int8", "int16", "bias+sparse:0.5:last:2+sparse:0.75"))


def learn_alike(made: bytes) -> None:
    rng = np.random.default_rng(0)
    with open_target("qemu:mps2-an386") as target, Session(made, "strict") as twin:
        target.load_image(made)
        for _ in range(STEPS):
            x, y = rng.normal(0, 0.5, (2, 2, 6, 6)).astype(np.float32), rng.integers(0, 3, 2).astype(np.int32)
            twin.step(x, y)
            target.write("input", 0, x)
            target.write("label", 0, y)
            target.run("step")
        assert hashlib.sha256(target.state()).hexdigest() == twin.state_sha256()
