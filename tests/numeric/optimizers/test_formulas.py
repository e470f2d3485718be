"""onnxruntime-training's AdamW against its formula, optimizer models under onnxruntime, refused hyper-parameters."""

import numpy as np
import pytest

from gradmote import optimizers
from gradmote.errors import ModelError
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support import digits
from support.oracle import assert_close, host_profiles, poisoned, read_gradients, read_parameters, run_ort

ALL = {
    "sgd": optimizers.sgd(0.1),
    "sgd clipped": optimizers.sgd(0.1, weight_decay=0.1, clip_norm=0.05),
    "momentum": optimizers.sgd(0.1, momentum=0.9, weight_decay=0.1),
    "nesterov": optimizers.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": optimizers.adam(1e-2, weight_decay=0.1),
    "adamw": optimizers.adamw(1e-2),
    "adamw_ort": optimizers.adamw_ort(1e-2),
    "adamw_ort clipped": optimizers.adamw_ort(clip_norm=0.1),
    "sgd clipped by value": optimizers.sgd(0.1, weight_decay=0.1, clip_value=0.01),
    "adamw clipped by value": optimizers.adamw(1e-2, clip_value=0.01),
}


def adamw_ort_step(p, g, m, v, t, lr, beta1, beta2, eps, decay):
    """onnxruntime's AdamWOptimizer with adam_mode 0: eps beside the uncorrected root, decay after the update."""
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    rate = lr * np.sqrt(1 - beta2**t) / (1 - beta1**t)
    p = p - rate * m / (np.sqrt(v) + eps)
    return p - lr * decay * p, m, v


def test_adamw_of_onnxruntime_training(profile):
    hyper = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-6, "weight_decay": 0.05}
    session = Session(digits.image(optimizers.adamw_ort(1e-2, **hyper), 8, accumulate=True), profile)
    expected = {n: p.astype(np.float64) for n, p in read_parameters(session).items()}
    moments = {n: (np.zeros_like(p), np.zeros_like(p)) for n, p in expected.items()}
    for t, batch in enumerate(digits.batches(8, 20), start=1):
        poisoned(session, session.train_step, *batch)
        for name, gradient in read_gradients(session).items():
            expected[name], *moments[name] = adamw_ort_step(
                expected[name], gradient.astype(np.float64), *moments[name], t, 1e-2, 0.9, 0.999, 1e-6, 0.05
            )
        poisoned(session, session.optimizer_step)
        session.lazy_reset_grad()
        for name, value in read_parameters(session).items():
            assert_close(value, expected[name], 2e-6, "adamw_ort against its formula")


def slots_of(session, image):
    """Return moments and bias corrections by name, at the offsets that the image gives."""
    state = bytes(session.state())
    rows = [row for row in read_image(image).state if row["role"] == "slot"]
    return {r["name"]: np.frombuffer(state, np.float32, r["size"] // 4, r["offset"]).reshape(r["shape"]) for r in rows}


@pytest.mark.parametrize("optimizer", ALL.values(), ids=ALL)
def test_optimizer_model_under_onnxruntime(optimizer):
    """Three steps: every output of the ONNX model equals the C runtime's state, moments and corrections included."""
    artifacts = digits.artifacts(optimizer)
    inputs = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in artifacts.optimizer.graph.input}
    image = digits.image(optimizer, 4, accumulate=True)
    for profile in host_profiles():
        session = Session(image, profile)
        state = {n: np.zeros(shape, np.float32) for n, shape in inputs.items()} | read_parameters(session)
        state["learning_rate"], state["gradient_scale"] = (
            np.array(optimizer.learning_rate, np.float32),
            np.array(1, np.float32),
        )
        for batch in digits.batches(4, 3):
            poisoned(session, session.train_step, *batch)
            state |= {f"{n}_grad": g for n, g in read_gradients(session).items()}
            outputs = run_ort(artifacts.optimizer, state)
            poisoned(session, session.optimizer_step)
            session.lazy_reset_grad()
            state |= {n.removesuffix("_new"): value for n, value in outputs.items()}
            for name, value in read_parameters(session).items():
                assert_close(value, state[name], 2e-6, "optimizer model under onnxruntime")
        slots = slots_of(session, image)
        assert set(slots) == {n for n in inputs if "moment" in n or n == "bias_correction"}
        for name, value in slots.items():
            assert_close(value, state[name], 2e-6, "moments under onnxruntime")


@pytest.mark.parametrize(
    "name, hyper",
    [
        ("sgd", {"momentum": 1.0}),
        ("sgd", {"momentum": -0.1}),
        ("sgd", {"weight_decay": -1.0}),
        ("sgd", {"nesterov": True}),
        ("adam", {"beta1": 1.0}),
        ("adamw", {"beta2": -0.5}),
        ("adamw", {"eps": -1e-8}),
        ("adamw_ort", {"weight_decay": float("nan")}),
    ],
    ids=str,
)
def test_hyper_parameters_out_of_range_are_refused(name, hyper):
    with pytest.raises(ModelError, match=next(iter(hyper)).title() if "nesterov" in hyper else next(iter(hyper))):
        optimizers.OPTIMIZERS[name](**hyper)
