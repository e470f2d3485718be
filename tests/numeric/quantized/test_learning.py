"""Int8 networks learn on real data: at batch 1 and a small rate, because steps are rounded at random."""

from __future__ import annotations

import functools
import io

import numpy as np
import onnx
import pytest
import torch
from sklearn.datasets import load_digits

from gradmote import Session, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.artifacts import Artifacts
from gradmote.compiler.compile import compile_image
from gradmote.compiler.options import Options
from gradmote.formats.image import read_image
from gradmote.losses import cross_entropy
from support.quantized.by_onnxruntime import quantized

RATE = 0.002
STEPS = 3000
SCORED = 400


@functools.cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return images (1797, 1, 8, 8) from 0 to 1, and labels."""
    found = load_digits()
    return (found.images[:, None] / 16).astype(np.float32), found.target.astype(np.int64)


@functools.cache
def pretrained() -> onnx.ModelProto:
    """Return a network of int8 that knows digits as they are written, by PyTorch and onnxruntime's quantizer."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, padding=1, groups=8),
        torch.nn.ReLU(), torch.nn.Conv2d(8, 16, 1), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
        torch.nn.Linear(256, 10),
    )  # fmt: skip
    x, y = (torch.tensor(part[:1000]) for part in digits())
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(60):
        part = torch.randint(0, 1000, (200,))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x[part]), y[part]).backward()
        optimizer.step()
    made = io.BytesIO()
    torch.onnx.export(net.eval(), (x[:1],), made, dynamo=False, input_names=["x"], output_names=["y"])
    upright, turned = digits()[0][:48], shifted()[0][:48]
    return quantized(onnx.load_from_string(made.getvalue()), np.concatenate([upright, turned]))


@functools.cache
def shifted() -> tuple[np.ndarray, np.ndarray]:
    """Return the digits that training has not seen, turned by a quarter and paler."""
    x, y = digits()
    return np.ascontiguousarray(0.7 * np.rot90(x[1000:], 1, (2, 3))), y[1000:]


def artifacts() -> Artifacts:
    """Return what trains all of the network."""
    return build_artifacts(pretrained(), None, cross_entropy(), optimizers.sgd(RATE))


def accuracy(session: Session) -> float:
    """Return the share of the last samples whose class is right."""
    x, y = (part[-300:] for part in shifted())
    return float(np.mean([np.argmax(session.infer(one[None])[0]) == label for one, label in zip(x, y, strict=True)]))


def order() -> np.ndarray:
    """Return the samples to train on, one after the other."""
    return np.random.default_rng(3).integers(0, SCORED, STEPS)


def at_random(weights: str = "int8") -> float:
    """Return the accuracy after training by the instructions."""
    image = compile_image(artifacts(), Options(batch=1, gradients="float", weights=weights)).image
    x, y = shifted()
    with Session(image) as session:
        for i in order():
            session.step(x[i : i + 1], y[i : i + 1].astype(np.int32))
        return accuracy(session)


def to_the_nearest() -> float:
    """Return the accuracy if each step is rounded to the nearest integer; only this test does that."""
    made = artifacts()
    image = compile_image(made, Options(batch=1, gradients="float", accumulate=True)).image
    rows = {row["name"]: row for row in read_image(image).state if row["role"] == "parameter"}
    tensors = {t.name: onnx.numpy_helper.to_array(t) for t in made.optimizer.graph.initializer}
    x, y = shifted()
    with Session(image) as session:
        for i in order():
            session.lazy_reset_grad()
            session.train_step(x[i : i + 1], y[i : i + 1].astype(np.int32))
            for name, array in made.parameters.items():
                start = int(rows[name]["offset"])
                at = slice(start, start + array.nbytes)
                q = np.frombuffer(bytes(session.state()), array.dtype, array.size, start).reshape(array.shape)
                units = tensors.get(f"{name}.units", np.float32(1))
                step = RATE * np.array(session.gradient(name)) / units
                limits = (-127, 127) if array.dtype == np.int8 else (-(2**30), 2**30)
                moved = q - step if array.dtype == np.float32 else np.clip(q - np.rint(step), *limits)
                session._memory[at] = moved.astype(array.dtype).tobytes()
        return accuracy(session)


@pytest.fixture(scope="module")
def before() -> float:
    with Session(compile_image(artifacts(), Options(batch=1)).image) as session:
        return accuracy(session)


def test_rounding_at_random_learns_where_the_nearest_does_not(before: float) -> None:
    random, master, nearest = at_random(), at_random("int16"), to_the_nearest()
    assert random > before + 0.2 and master > before + 0.2
    assert random > nearest + 0.05
