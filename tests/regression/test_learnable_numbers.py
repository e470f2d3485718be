"""A weight without dimensions, such as a learnable scale, trains like others; the numbers of a model's code do not."""

from __future__ import annotations

import io
import warnings

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from gradmote import losses, optimizers, training
from gradmote.artifacts import OptimType, build_artifacts, generate_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import Case, check_case, make_model, node, values

X, Y = values(1, 4, 3), values(2, 4, 2)
NODES = [
    node("MatMul", "x w", "h"),
    node("Mul", "h scale", "s"),
    node("Add", "s shift", "b"),
    node("Div", "b helper.constant.0", "d"),
    node("Clip", "d low high", "y"),
]
WEIGHTS = {
    "w": values(3, 3, 2), "scale": np.float32(1.5), "shift": np.float32(-0.25), "helper.constant.0": np.float32(2),
    "low": np.float32(-9), "high": np.float32(9),
}  # fmt: skip


def model() -> onnx.ModelProto:
    return make_model(NODES, WEIGHTS, {"x": ("N", 3)})


def test_their_gradients():
    check_case(Case(model(), {"x": X[:1]}, None))
    check_case(Case(model(), {"x": X[:1]}, ["scale"]))


def test_numbers_of_the_code_are_trained_by_name_alone():
    made = build_artifacts(model(), None, losses.mse(), optimizers.sgd(0.1))
    assert list(made.parameters) == ["w", "scale", "shift"]
    assert made.left_out == ["helper.constant.0"]
    named = build_artifacts(model(), ["helper.constant.0"], losses.mse(), optimizers.sgd(0.1))
    assert list(named.parameters) == ["helper.constant.0"]


@pytest.mark.parametrize("train", [None, ["power"], ["powers"]])
def test_an_exponent_is_trained_by_name_alone(train):
    """An exponent for each column is also trained by default."""
    nodes = [node("MatMul", "x w", "h"), node("Abs", "h", "a")]
    nodes += [node("Pow", "a power", "p"), node("Pow", "p powers", "y")]
    weights = {"w": values(3, 3, 2), "power": np.float32(1.5), "powers": np.abs(values(4, 2))}
    proto = make_model(nodes, weights, {"x": ("N", 3)})
    made = build_artifacts(proto, train, losses.mse(), optimizers.sgd(0.1))
    assert list(made.parameters) == (train or ["w", "powers"])
    check_case(Case(proto, {"x": X[:1]}, train))


@pytest.mark.parametrize("optimizer", [optimizers.sgd(0.1), optimizers.sgd(0.1, momentum=0.9), optimizers.adamw(0.1)])
@pytest.mark.parametrize("accumulate", [False, True])
def test_they_are_in_checkpoints_and_exports(optimizer, accumulate):
    made = build_artifacts(model(), None, losses.mse(), optimizer)
    image = compile_image(made, Options(batch=4, accumulate=accumulate)).image
    with Session(image) as session, Session(image) as restored:
        for _ in range(3):
            session.train_step(X, Y) if accumulate else session.step(X, Y)
            if accumulate:
                session.optimizer_step()
                session.lazy_reset_grad()
        saved = session.save()
        restored.load(saved)
        assert bytes(restored.parameters()) == bytes(session.parameters())
        learned = float(np.array(session.parameter("scale")))
    better = {t.name: onnx.numpy_helper.to_array(t) for t in trained_model(model(), saved).graph.initializer}
    assert learned != 1.5 and better["scale"] == np.float32(learned) and better["scale"].shape == ()


def test_artifacts_name_them(tmp_path):
    generate_artifacts(model(), ["scale"], loss=losses.mse(), artifact_directory=tmp_path)
    outputs = [o.name for o in onnx.load(tmp_path / "training_model.onnx").graph.output]
    assert outputs == ["loss", "scale_grad.accumulation.out"]


def test_the_api_of_onnxruntime_exports_them_in_their_shape(tmp_path):
    generate_artifacts(model(), ["scale", "w"], ["shift"], losses.mse(), OptimType.AdamW, tmp_path)
    state = training.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = training.Module(tmp_path / "training_model.onnx", state, tmp_path / "eval_model.onnx")
    optimizer = training.Optimizer(tmp_path / "optimizer_model.onnx", module)
    module.train()
    module(X, Y)
    optimizer.step()
    module.export_model_for_inferencing(tmp_path / "better.onnx", ["y"])
    exported = {t.name: t for t in onnx.load(tmp_path / "better.onnx").graph.initializer}
    assert list(exported["scale"].dims) == [] and onnx.numpy_helper.to_array(exported["scale"]) != np.float32(1.5)


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.temperature = nn.Parameter(torch.tensor(0.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.fc(x) * self.scale) / self.temperature / (x.mean(1, keepdim=True) ** 2 + 1e-3)


@pytest.mark.parametrize("dynamo", [True, False])
def test_pytorch_learns_the_same(dynamo):
    torch.manual_seed(0)
    network, file = Scaled(), io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, (torch.tensor(X),), file, dynamo=dynamo, verbose=False)
    made = build_artifacts(file.getvalue(), None, losses.mse(), optimizers.sgd(0.01))
    torch.nn.functional.mse_loss(network(torch.tensor(X)), torch.tensor(Y)).backward()
    expected = {name: p.grad.numpy() for name, p in network.named_parameters()}
    assert set(made.parameters) == set(expected)
    with Session(compile_image(made, Options(batch=4, accumulate=True)).image) as session:
        session.train_step(X, Y)
        for name, gradient in expected.items():
            np.testing.assert_allclose(session.gradient(name), gradient, rtol=2e-4, atol=1e-5)
