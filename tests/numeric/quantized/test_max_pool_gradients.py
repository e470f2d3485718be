"""The gradient of a MaxPool of int8 stays in 16 bits, and has the place and, within its rounding, the size of that in
float32."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import flatten
from support.oracle import host_profiles
from support.quantized import reference
from support.quantized.drawn import QdqNetwork

BATCH, SIZE = 2, 9
#: Kernel, stride, dilation, padding: windows apart, touching, overlapping, and ones that leave inputs out.
WINDOWS = [(2, 2, 1, 0), (2, 3, 1, 0), (3, 3, 1, 1), (3, 1, 1, 1), (3, 2, 1, 1), (2, 3, 2, 0), (2, 1, 2, 1)]
KINDS = ("int16", "float")


def network(kernel: int, stride: int, dilation: int, pad: int) -> onnx.ModelProto:
    net = QdqNetwork(np.random.default_rng(kernel + 7 * stride), shapes={"x": (BATCH, 2, SIZE, SIZE)})
    net.quantize()
    net.conv(4, "int8", True, "int32")
    net.quantize()
    side = (SIZE + 2 * pad - (kernel - 1) * dilation - 1) // stride + 1
    attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "dilations": [dilation] * 2, "pads": [pad] * 4}
    net.value = net.add("MaxPool", [net.value], (BATCH, 4, side, side), **attributes)
    net.quantize()
    net.conv(3, "int8", True, "none")
    net.quantize()
    net.flatten()
    net.gemm(3, "int8", True, "int32", "gemm")
    return net.model()


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_gradients_are_those_of_float32(window: tuple[int, int, int, int]) -> None:
    model = network(*window)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.01))
    feeds = [*reference.noise(model, BATCH).values(), np.array([0, 2], np.int32)]
    found: dict[str, dict[str, np.ndarray]] = {}
    for kind in KINDS:
        image = compile_image(made, Options(batch=BATCH, accumulate=True, gradients=kind)).image
        for profile in host_profiles():
            with Session(image, profile) as session:
                session.poison()
                session.train_step(*feeds)
                found[kind] = {name: np.array(session.gradient(name)) for name in session.parameter_names()}
    for name, expected in found["float"].items():
        difference = np.linalg.norm((found["int16"][name] - expected).ravel())
        assert difference <= 1e-3 * np.linalg.norm(expected.ravel()), name


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_nothing_of_it_is_float(window: tuple[int, int, int, int]) -> None:
    made = build_artifacts(network(*window), None, losses.cross_entropy(), optimizers.sgd(0.01))
    opcodes = {i.opcode for p in flatten(made, Options(batch=BATCH)).programs for i in p.instructions}
    assert "MAX_POOL_GRAD_S16" in opcodes
    assert not opcodes & {"MAX_POOL_GRAD", "MAX_POOL_INDEX_GRAD", "DEQUANTIZE_S16"}
