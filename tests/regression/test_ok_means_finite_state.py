"""A step that answers OK leaves a finite state, though a row of a gradient that a fused update makes overflows."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import RuntimeFault
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support.oracle import make_model, node

BATCH = 4
OPTIMIZERS = [
    optimizers.sgd(0.1),
    optimizers.sgd(0.1, momentum=0.9),
    optimizers.adam(0.01),
    optimizers.adamw(0.01),
    optimizers.adamw_ort(0.01),
]
RULES = {
    "sgd": optimizers.sgd(0.1),
    "momentum": optimizers.sgd(0.1, momentum=0.9),
    "decay": optimizers.sgd(0.1, momentum=0.9, weight_decay=0.002),
    "odd_moments": optimizers.adam(0.01, beta1=0.99, beta2=0.9),
    "no_epsilon": optimizers.adam(0.01, eps=0.0),
    "fast": optimizers.sgd(20000.0),
}


def image_of(optimizer: optimizers.Optimizer) -> bytes:
    """Return a perceptron 64-32-10 with first weights so small that huge inputs still give ordinary activations."""
    rng = np.random.default_rng(0)
    weights = {
        "w": (rng.normal(0, 1, (64, 32)) * 1e-28).astype(np.float32),
        "b": np.zeros(32, np.float32),
        "v": rng.normal(0, 1, (32, 10)).astype(np.float32),
        "c": np.zeros(10, np.float32),
    }
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("Gemm", "r v c", "y")]
    made = build_artifacts(make_model(nodes, weights, {"x": ("N", 64)}), None, losses.cross_entropy(), optimizer)
    return compile_image(made, Options(batch=BATCH)).image


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: o.rule)
@pytest.mark.parametrize("profile", ["fused", "strict"])
@pytest.mark.parametrize("size", [1e12, 1e20, 1e30, 1e37])
def test_a_row_of_a_fused_update_that_overflows_is_refused(optimizer, profile, size):
    session = Session(image_of(optimizer), profile)
    rng = np.random.default_rng(1)
    batch, labels = (rng.normal(0, size, (BATCH, 64))).astype(np.float32), np.arange(BATCH, dtype=np.int32)
    for _ in range(3):
        try:
            session.step(batch, labels)
        except RuntimeFault as fault:
            assert fault.name == "NOT_FINITE"
        assert np.isfinite(np.frombuffer(bytes(session.state()), np.float32)).all()
    assert np.isfinite(session.step(np.ones((BATCH, 64), np.float32), labels))


def test_an_image_says_what_it_promises():
    """The largest rate that its rule takes: 0 if moments outgrow each other, or the image starts at a higher one."""
    promises = {name: read_image(image_of(rule)).largest_rate for name, rule in RULES.items()}
    assert promises["momentum"] == promises["sgd"] == 2.0**14
    assert 1.3 < promises["decay"] < 1.32  # (1 - 0.9)^2 / (2 (1 + 0.9) 0.002)
    assert promises["odd_moments"] == promises["fast"] == promises["no_epsilon"] == 0
