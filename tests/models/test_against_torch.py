"""Whole networks: the gradients of the first step and the losses of many, against PyTorch in float64."""

import io
import os

import numpy as np
import onnx
import pytest
import torch
from models.networks import NETWORKS, NORMALIZED

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compile import Options, compile_image
from gradmote_runtime import Session

#: 50 in the long form.
STEPS = int(os.environ.get("GRADMOTE_MODEL_STEPS", "5"))
RATE = 0.01


def exported(network, shape, dynamo):
    """ONNX with a dynamic batch, by either of PyTorch's exporters; BatchNorm stays a node of its own."""
    buffer = io.BytesIO()
    settings = {"input_names": ["x"], "output_names": ["y"], "do_constant_folding": False}
    if dynamo:
        settings |= {"dynamo": True, "optimize": False, "dynamic_shapes": ({0: torch.export.Dim("N")},)}
    else:
        settings |= {"dynamo": False, "training": torch.onnx.TrainingMode.PRESERVE, "dynamic_axes": {"x": {0: "N"}}}
    torch.onnx.export(network, (torch.zeros(2, *shape),), buffer, **settings)
    return onnx.load_model_from_string(buffer.getvalue())


def batches(spec):
    rng = np.random.default_rng(3)
    for _ in range(STEPS):
        x = rng.normal(0, 1, (2, *spec.shape)).astype(np.float32)
        yield x, (rng.integers(0, spec.classes, 2) if spec.classes else x)


def torch_curve(spec):
    """Losses before each SGD step, and the gradients of the first, in float64."""
    network = spec.make().double()
    optimizer = torch.optim.SGD(network.parameters(), RATE)
    curve, first = [], {}
    for x, y in batches(spec):
        output, target = network(torch.from_numpy(x).double()), torch.from_numpy(y)
        loss = torch.nn.functional.cross_entropy(output, target) if spec.classes else ((output - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        first = first or {n: p.grad.numpy().copy() for n, p in network.named_parameters()}
        optimizer.step()
        curve.append(loss.item())
    return curve, first


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamo", [False, True])
@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_and_losses(name, dynamo):
    compare(NETWORKS[name], dynamo)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, dynamo", [("normalized", False), ("normalized", True), ("normalized_rms", True)])
def test_normalizations(name, dynamo):
    compare(NORMALIZED[name], dynamo)


def compare(spec, dynamo):
    expected, gradients = torch_curve(spec)
    loss = losses.cross_entropy() if spec.classes else losses.mse()
    made = build_artifacts(exported(spec.make(), spec.shape, dynamo), list(gradients), loss, optimizers.sgd(RATE))
    with Session(compile_image(made, Options(batch=2, accumulate=True)).image) as session:
        session.poison()
        session.train_step(*next(batches(spec)))
        for parameter, gradient in gradients.items():
            error = np.abs(np.array(session.gradient(parameter)) - gradient).max()
            assert error <= 1e-4 * np.abs(gradient).max(), parameter
    with Session(compile_image(made, Options(batch=2)).image) as session:
        curve = [session.step(*batch) for batch in batches(spec)]
    np.testing.assert_allclose(curve, expected, rtol=1e-4)
