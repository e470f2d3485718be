"""OK means a finite state: networks, rules and forms of training, with weights, moments, data and rates of any size."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from oracle import make_model, node

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compile import Options, compile_image
from gradmote.errors import RuntimeFault
from gradmote.image import read_image
from gradmote_runtime import Session

BATCH = 3
DRAWS = 16
RULES = {
    "sgd": optimizers.sgd(0.1),
    "sgd_decay": optimizers.sgd(0.1, weight_decay=0.01),
    "momentum": optimizers.sgd(0.1, momentum=0.9),
    "nesterov_decay": optimizers.sgd(0.1, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "adam": optimizers.adam(0.01),
    "adam_decay": optimizers.adam(0.01, weight_decay=0.01),
    "adamw": optimizers.adamw(0.01),
    "adamw_ort": optimizers.adamw_ort(0.01, weight_decay=0.01),
    "clipped": optimizers.adamw(0.01, clip_norm=1.0),
    "clipped by value": optimizers.sgd(0.1, momentum=0.9, clip_value=1.0),
}


def weights(**shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def perceptron():
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("Gemm", "r v c", "y")]
    return make_model(nodes, weights(w=(6, 8), b=(8,), v=(8, 3), c=(3,)), {"x": ("N", 6)})


def convolutions():
    nodes = [node("Conv", "x w b", "h", pads=[1, 1, 1, 1]), node("Relu", "h", "r"), node("Conv", "r u", "s")]
    nodes += [node("Flatten", "s", "f"), node("Gemm", "f v c", "y")]
    return make_model(nodes, weights(w=(4, 1, 3, 3), b=(4,), u=(4, 4, 3, 3), v=(16, 3), c=(3,)), {"x": ("N", 1, 4, 4)})


def normalized():
    known = weights(w=(4, 1, 3, 3), scale=(4,), bias=(4,), v=(16, 3), c=(3,))
    known |= {"mean": np.zeros(4, np.float32), "var": np.ones(4, np.float32)}
    nodes = [node("Conv", "x w", "h"), node("BatchNormalization", "h scale bias mean var", "n"), node("Relu", "n", "r")]
    nodes += [node("Flatten", "r", "f"), node("Gemm", "f v c", "y")]
    return make_model(nodes, known, {"x": ("N", 1, 4, 4)})


def recurrent():
    nodes = [
        node("Transpose", "x", "t", perm=[1, 0, 2]),
        node("LSTM", "t w r b", "s h", hidden_size=4),
        node("Squeeze", "h axis", "last"),
        node("Gemm", "last v c", "y"),
    ]
    known = weights(w=(1, 16, 2), r=(1, 16, 4), b=(1, 32), v=(4, 3), c=(3,))
    return make_model(nodes, {**known, "axis": np.array([0], np.int64)}, {"x": ("N", 5, 2)})


NETWORKS = {f.__name__: f for f in (perceptron, convolutions, normalized, recurrent)}


@cache
def image_of(network: str, rule: str, accumulate: bool) -> bytes:
    made = build_artifacts(NETWORKS[network](), None, losses.cross_entropy(), RULES[rule], batch_norm="batch")
    return compile_image(made, Options(batch=BATCH, accumulate=accumulate)).image


def magnitudes(rng: np.random.Generator, n: int) -> np.ndarray:
    """Logarithms that are uniform in a part of what float32 has, and now and then one that is no number."""
    low, high = np.sort(rng.uniform(-38, 38, 2))
    found = (10 ** rng.uniform(low, high, n) * rng.choice([-1, 1], n)).astype(np.float32)
    if rng.random() < 0.1:
        found[rng.integers(n)] = rng.choice(np.array([np.inf, -np.inf, np.nan], np.float32))
    return found


def numbers(session: Session, image: bytes) -> dict[str, np.ndarray]:
    """What of the state is float32, in place."""
    state = np.frombuffer(session.state(), np.uint8)
    roles = ("parameter", "slot", "statistic")
    entries = [e for e in read_image(image).state if e["role"] in roles]
    return {f"{e['role']} {e['name']}": state[e["offset"] :][: e["size"]].view(np.float32) for e in entries}


def shake(session: Session, image: bytes, rng: np.random.Generator) -> None:
    """Sometimes other weights, moments and rates; moments often such as training makes."""
    if rng.random() < 0.5:
        for name, array in numbers(session, image).items():
            if rng.random() < 0.3:
                array[:] = np.abs(magnitudes(rng, array.size)) if "statistic" in name else magnitudes(rng, array.size)
    if rng.random() < 0.3:
        session.learning_rate = float(10 ** rng.uniform(-38, 38))


def untouched(session: Session, image: bytes) -> bytes:
    """What a micro-batch that is refused must leave: gradients, and the state but for counters."""
    known = b"".join(array.tobytes() for array in numbers(session, image).values())
    return known + b"".join(bytes(session.gradient(name)) for name in session.parameter_names())


def add_micro_batch(session: Session, image: bytes, *data: object) -> None:
    before = untouched(session, image) if session.control()["accumulated"] else b""
    if not attempt(session.train_step, *data) and before:
        assert untouched(session, image) == before


def attempt(call, *data: object) -> bool:
    try:
        call(*data)
    except RuntimeFault as fault:
        assert fault.name in ("NOT_FINITE", "NO_GRADIENTS")
        return False
    return True


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("network", NETWORKS)
def test_a_step_that_succeeds_leaves_a_finite_state(network, rule, accumulate):
    image = image_of(network, rule, accumulate)
    assert read_image(image).largest_rate > 0
    succeeded = 0
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        session = Session(image, ("fused", "strict")[draw % 2])
        size = {"perceptron": 6, "recurrent": 10}.get(network, 16) * BATCH
        for _ in range(3):
            shake(session, image, rng)
            data = magnitudes(rng, size), np.arange(BATCH, dtype=np.int32)
            if accumulate:
                add_micro_batch(session, image, *data)
                with np.errstate(over="ignore"):
                    louder = data[0] * np.float32(rng.choice([1, 1, 1e12]))
                add_micro_batch(session, image, louder, data[1])
                succeeds = attempt(session.optimizer_step)
            else:
                succeeds = attempt(session.step, *data)
            succeeded += succeeds
            if succeeds:
                assert all(np.isfinite(array).all() for array in numbers(session, image).values()), draw
                assert np.isfinite(session.learning_rate)
    assert succeeded > DRAWS // 8
