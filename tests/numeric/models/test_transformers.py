"""Transformers, as PyTorch's exporters write them: first gradients and the losses of 20 steps, against PyTorch.

GRADMOTE_MODEL_STEPS=50 is the long form, in which the newer exporter writes each of them.
"""

import io

import numpy as np
import onnx
import pytest
import torch
from numeric.models.transformers import TOKENS, TRANSFORMERS

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.sampling import draws

STEPS, BATCH, RATE = 20, 2, 0.05
LONG = draws("model_steps") >= 50
#: What the newer exporter writes in any case; it takes ten times as long as all that is tested of it.
BY_DYNAMO = ("scaled_dot_product", "multi_head", "encoder_norm_first", "vision")


def batches(spec):
    rng = np.random.default_rng(3)
    for _ in range(STEPS):
        tokens = rng.integers(0, TOKENS, (BATCH, *spec.shape))
        image = rng.normal(0, 1, (BATCH, *spec.shape)).astype(np.float32)
        yield tokens if len(spec.shape) == 1 else image, rng.integers(0, TOKENS, (BATCH, *spec.labels))


def exported(spec, dynamo, optimize=False):
    """Export by either exporter of PyTorch. optimize: its default, which transposes and renames products' weights."""
    buffer = io.BytesIO()
    x = torch.from_numpy(next(batches(spec))[0])
    settings = {"input_names": ["x"], "output_names": ["y"]}
    if dynamo:
        settings |= {"dynamo": True, "optimize": optimize, "dynamic_shapes": ({0: torch.export.Dim("N")},)}
    else:
        settings |= {"dynamo": False, "training": torch.onnx.TrainingMode.PRESERVE, "dynamic_axes": {"x": {0: "N"}}}
        settings |= {"do_constant_folding": False}  # which would make new tensors of weights
    torch.onnx.export(spec.make(), (x,), buffer, **settings)
    return onnx.load_model_from_string(buffer.getvalue())


def torch_curve(spec):
    """Losses before each SGD step, and the gradients of the first, in float64."""
    network = spec.make().double()
    optimizer = torch.optim.SGD(network.parameters(), RATE)
    curve, first = [], {}
    for x, y in batches(spec):
        data = torch.from_numpy(x)
        loss = torch.nn.functional.cross_entropy(
            network(data.double() if data.is_floating_point() else data), torch.from_numpy(y)
        )
        optimizer.zero_grad()
        loss.backward()
        first = first or {n: p.grad.numpy().copy() for n, p in network.named_parameters()}
        optimizer.step()
        curve.append(loss.item())
    return curve, first


def by_exported_name(model, spec, gradients):
    """Return gradients by the names in the exported model: of a tied weight's several names, an exporter keeps one."""
    tied = {}
    for name, parameter in spec.make().named_parameters(remove_duplicate=False):
        tied.setdefault(id(parameter), []).append(name)
    kept = {t.name for t in model.graph.initializer}
    aliases = {names[0]: next(n for n in names if n in kept) for names in tied.values()}
    return {aliases[name]: gradient for name, gradient in gradients.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamo", [False, True])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_gradients_and_losses(name, dynamo):
    if dynamo and not LONG and name not in BY_DYNAMO:
        pytest.skip("exporting takes longer than training: in the long form alone")
    spec = TRANSFORMERS[name]
    expected, gradients = torch_curve(spec)
    model = exported(spec, dynamo)
    gradients = by_exported_name(model, spec, gradients)
    made = build_artifacts(model, list(gradients), losses.cross_entropy(), optimizers.sgd(RATE))
    with Session(compile_image(made, Options(batch=BATCH, accumulate=True)).image) as session:
        session.poison()
        session.train_step(*next(batches(spec)))
        for parameter, gradient in gradients.items():
            error = np.linalg.norm(np.array(session.gradient(parameter)) - gradient)
            assert error <= 1e-4 * np.linalg.norm(gradient), parameter
    with Session(compile_image(made, Options(batch=BATCH)).image) as session:
        curve = [session.step(*batch) for batch in batches(spec)]
    np.testing.assert_allclose(curve, expected, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["scaled_dot_product_with_mask", "encoder_norm_last", "vision"])
def test_losses_of_a_model_exported_by_default(name):
    """All weights are trained; masks and scales among the constants are not."""
    spec = TRANSFORMERS[name]
    made = build_artifacts(exported(spec, True, True), None, losses.cross_entropy(), optimizers.sgd(RATE))
    assert sum(a.size for a in made.parameters.values()) == sum(p.numel() for p in spec.make().parameters())
    with Session(compile_image(made, Options(batch=BATCH)).image) as session:
        curve = [session.step(*batch) for batch in batches(spec)]
    np.testing.assert_allclose(curve, torch_curve(spec)[0], rtol=1e-4)
