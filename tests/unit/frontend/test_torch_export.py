"""Models as both of torch's exporters write them, from opset 13 to the newest."""

from __future__ import annotations

import io
import logging
import warnings

import onnx
import pytest
import torch
from unit.frontend.round_trip import check, classes, noise

from gradmote import losses
from gradmote.artifacts import build_artifacts

BATCH = 6


class Reshaping(torch.nn.Module):
    """Flatten, view with sizes from the input, unsqueeze and squeeze: what leaves shape subgraphs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(12, 10), torch.nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.tanh(self.first(torch.flatten(x, 1)))
        y = y.view(x.size(0), 2, 5)
        y = self.second(y).reshape(y.shape[0], -1)
        return y.unsqueeze(1).squeeze(1)[:, :]


class Scaled(torch.nn.Module):
    """Arithmetic with constants around layers, and a parameter outside of any layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(12, 4)
        self.scale = torch.nn.Parameter(torch.full((4,), 1.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = (x.flatten(1) - 0.1) / 2.0
        return self.layer(x) * self.scale + 0.5


def sequential(*layers: torch.nn.Module) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Flatten(), *layers)


MODELS = {
    "relu": lambda: sequential(torch.nn.Linear(12, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)),
    "leaky_relu": lambda: sequential(torch.nn.Linear(12, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 4)),
    "sigmoid": lambda: sequential(torch.nn.Linear(12, 8, bias=False), torch.nn.Sigmoid(), torch.nn.Linear(8, 4)),
    "tanh": lambda: sequential(torch.nn.Linear(12, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4)),
    "dropout": lambda: sequential(torch.nn.Linear(12, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 4)),
    "softmax": lambda: sequential(torch.nn.Linear(12, 4), torch.nn.Softmax(1)),
    "log_softmax": lambda: sequential(torch.nn.Linear(12, 4), torch.nn.LogSoftmax(-1)),
    "reshaping": Reshaping,
    "scaled": Scaled,
}
NEWEST = onnx.defs.onnx_opset_version()


def export(model: torch.nn.Module, dynamo: bool, dynamic: bool, opset: int | None = None, **options) -> onnx.ModelProto:
    """Return the model that torch.onnx.export writes, without its warnings and log."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    file = io.BytesIO()
    shapes, axes = ({0: torch.export.Dim("N")},), {"x": {0: "N"}, "y": {0: "N"}}
    axes = {"dynamic_shapes": shapes} if dynamo else {"dynamic_axes": axes}
    options |= axes if dynamic else {}
    options |= {"verbose": False} if dynamo else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (torch.zeros(BATCH, 3, 4),),
            file,
            dynamo=dynamo,
            input_names=["x"],
            output_names=["y"],
            opset_version=opset,
            **options,
        )
    return onnx.load_model_from_string(file.getvalue())


def made(name: str) -> torch.nn.Module:
    torch.manual_seed(0)
    return MODELS[name]().eval()


@pytest.mark.parametrize("dynamic", [False, True], ids=["fixed", "dynamic"])
@pytest.mark.parametrize("dynamo", [False, True], ids=["script", "dynamo"])
@pytest.mark.parametrize("name", MODELS)
def test_exporters(name, dynamo, dynamic, tmp_path):
    model, x = export(made(name), dynamo, dynamic), noise(BATCH, 3, 4)
    loss = losses.cross_entropy(through_softmax="softmax" in name)
    session = check(model, loss, x, classes(x, 6 if name == "reshaping" else 4), tmp_path)
    assert len(session.parameter_names()) == len(list(made(name).parameters()))


@pytest.mark.parametrize("opset", range(13, NEWEST + 1))
def test_opsets(opset, tmp_path):
    """torch's script exporter to its newest opset, onnx's own converter beyond."""
    model = export(made("reshaping"), False, True, min(opset, 20))
    if opset > 20:
        model = onnx.version_converter.convert_version(model, opset)
    assert next(o.version for o in model.opset_import if not o.domain) == opset
    x = noise(BATCH, 3, 4)
    check(model, losses.cross_entropy(), x, classes(x, 6), tmp_path)


def test_training_mode_keeps_dropout(tmp_path):
    options = {"training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False}
    model = export(made("dropout").train(), False, True, **options)
    assert [n.op_type for n in model.graph.node].count("Dropout") == 1
    artifacts = build_artifacts(model, loss=losses.cross_entropy())
    assert "Dropout" in [n.op_type for n in artifacts.training.graph.node]
    assert "Dropout" not in [n.op_type for n in artifacts.inference.graph.node]
    evaluated, x = export(made("dropout"), False, True), noise(BATCH, 3, 4)
    check(evaluated, losses.cross_entropy(), x, classes(x, 4), tmp_path)
