"""Whole networks: the gradients of the first step and the losses of many, against PyTorch in float64."""

import functools
import io

import numpy as np
import onnx
import pytest
import torch
from numeric.models.networks import NETWORKS, NORMALIZED
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.sampling import draws

#: LONG in the long form; -s then shows the errors.
STEPS = draws("model_steps")
LONG = 50


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


SOURCES = {
    "torchscript": lambda network, shape: exported(network, shape, dynamo=False),
    "dynamo": lambda network, shape: exported(network, shape, dynamo=True),
    "helper": onnx_network,
}


def batches(spec):
    rng = np.random.default_rng(spec.data_seed)
    for _ in range(STEPS):
        x = rng.normal(0, 1, (2, *spec.shape)).astype(np.float32)
        yield x, (rng.integers(0, spec.classes, 2) if spec.classes else x)


@functools.cache
def torch_curve(spec):
    """Losses before each SGD step, and the gradients of the first, in float64."""
    network = spec.make().double()
    optimizer = torch.optim.SGD(network.parameters(), spec.rate)
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


def relative(found, expected):
    """The largest difference over the largest magnitude of a tensor."""
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_and_losses(name, source):
    if name == "mobilenet_v2" and source != "helper" and STEPS < LONG:
        pytest.skip("exporting takes longer than training: in the long form alone")
    compare(NETWORKS[name], source)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name, source", [("normalized", "torchscript"), ("normalized", "dynamo"), ("normalized_rms", "dynamo")]
)
def test_normalizations(name, source):
    compare(NORMALIZED[name], source)


def compare(spec, source):
    expected, gradients = torch_curve(spec)
    loss = losses.cross_entropy() if spec.classes else losses.mse()
    made = build_artifacts(SOURCES[source](spec.make(), spec.shape), list(gradients), loss, optimizers.sgd(spec.rate))
    with Session(compile_image(made, Options(batch=2, accumulate=True)).image) as session:
        session.poison()
        session.train_step(*next(batches(spec)))
        errors = {n: relative(np.array(session.gradient(n)), g) for n, g in gradients.items()}
    with Session(compile_image(made, Options(batch=2)).image) as session:
        curve = [session.step(*batch) for batch in batches(spec)]
    worst = max(errors, key=errors.get)
    drift = np.abs(np.divide(curve, expected) - 1).max()
    print(f"{spec.build.__name__} {source}: losses {drift:.1e}, gradient of {worst} {errors[worst]:.1e}")
    assert errors[worst] <= 1e-4, worst
    np.testing.assert_allclose(curve, expected, rtol=1e-4)
