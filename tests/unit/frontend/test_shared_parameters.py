"""Weights that are used twice, or reached through Transpose, Reshape or a weight norm: 20 steps against PyTorch."""

from __future__ import annotations

import io
import logging
import warnings

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import assert_close

STEPS, BATCH, RATE = 20, 4, 0.1


class Twice(nn.Module):
    """One layer, applied twice."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.head = nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.tanh(self.layer(torch.tanh(self.layer(x)))))


class TiedProjection(nn.Module):
    """Tokens (N, T) to scores (N, tokens, T): the embedding is the output projection too."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.mix = nn.Embedding(6, 4), nn.Linear(4, 4)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(self.mix(self.embedding(tokens)))
        return (hidden @ self.embedding.weight.t()).transpose(1, 2)


class Viewed(nn.Module):
    """A weight that is transposed, reshaped and sliced before its use, and used whole elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(3, 10))
        nn.init.normal_(self.weight, std=0.4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        folded = self.weight.t().reshape(5, 6)
        return torch.tanh(x @ folded)[:, :3] + torch.tanh(x @ self.weight[:, :5].permute(1, 0))


def old(layer: nn.Module, **dim: int | None) -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nn.utils.weight_norm(layer, **dim)


new = nn.utils.parametrizations.weight_norm


def normed_net(norm) -> nn.Module:
    convs = [norm(nn.Conv1d(2, 4, 3, padding=1)), nn.Tanh(), norm(nn.ConvTranspose1d(4, 2, 2, stride=2)), nn.Tanh()]
    return nn.Sequential(*convs, nn.Flatten(), norm(nn.Linear(20, 3)))


def dense(*shape: int):
    return lambda rng: rng.normal(0, 1, (BATCH, *shape)).astype(np.float32)


#: How to make it, what it eats, and the shape of a sample's labels.
CASES = {
    "one layer twice": (Twice, dense(5), ()),
    "embedding as projection": (TiedProjection, lambda rng: rng.integers(0, 6, (BATCH, 5)), (5,)),
    "transposed, reshaped, sliced": (Viewed, dense(5), ()),
    "old weight norm": (lambda: normed_net(old), dense(2, 5), ()),
    "old weight norm of columns": (lambda: old(nn.Linear(5, 3), dim=1), dense(5), ()),
    "weight norm": (lambda: normed_net(new), dense(2, 5), ()),
}


def make(name: str) -> nn.Module:
    torch.manual_seed(1)
    return CASES[name][0]()


def export(network: nn.Module, x: np.ndarray, dynamo: bool) -> onnx.ModelProto:
    """Export without constant folding, which would write a weight's transpose as another weight."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    if dynamo:
        options = {"dynamo": True, "optimize": False, "verbose": False, "dynamic_shapes": ({0: torch.export.Dim("N")},)}
    else:
        options = {"dynamo": False, "training": torch.onnx.TrainingMode.PRESERVE, "dynamic_axes": {"x": {0: "N"}}}
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.eval(), (torch.from_numpy(x),), file, input_names=["x"], do_constant_folding=False, **options
        )
    return onnx.load_model_from_string(file.getvalue())


def batches(name: str):
    rng = np.random.default_rng(2)
    _, data, labels = CASES[name]
    for _ in range(STEPS):
        yield data(rng), rng.integers(0, 3, (BATCH, *labels))


def torch_training(name: str):
    """Losses before each SGD step and the parameters after the last, in float64."""
    network = make(name).double()
    optimizer = torch.optim.SGD(network.parameters(), RATE)
    curve = []
    for x, y in batches(name):
        x = torch.from_numpy(x)
        loss = nn.functional.cross_entropy(network(x.double() if x.is_floating_point() else x), torch.from_numpy(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve, {n: p.detach().numpy() for n, p in network.named_parameters()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize("name", CASES)
def test_twenty_steps(name, dynamo):
    curve, parameters = torch_training(name)
    model = export(make(name), next(batches(name))[0], dynamo)
    made = build_artifacts(model, list(parameters), losses.cross_entropy(), optimizers.sgd(RATE))
    with Session(compile_image(made, Options(batch=BATCH)).image) as session:
        session.poison()
        found = [session.step(*batch) for batch in batches(name)]
        np.testing.assert_allclose(found, curve, rtol=1e-5)
        for parameter, expected in parameters.items():
            assert_close(np.array(session.parameter(parameter)), expected, 1e-5, f"trained: {parameter}")
