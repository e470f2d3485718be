"""Drawn QDQ graphs of any shape: forward, gradients, training and export are those of onnxruntime.

GRADMOTE_QDQ_GRAPHS is the number of graphs that each test draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from gradmote import Session, optimizers
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image
from gradmote.compiler.options import GRADIENTS
from gradmote.errors import ModelError
from gradmote.losses import label
from gradmote.optimizers import Optimizer
from support.oracle import host_profiles, poisoned, run_ort_plainly
from support.quantized.comparing import InOnnxruntime, differing, fused
from support.quantized.drawn_graphs import BATCH, drawn_graph
from support.sampling import draws

COUNT = draws("qdq_graphs")
#: The error of sums of float32 that onnxruntime adds in another order, relative to the largest of them, or to 1.
SUM = 2e-6
#: Errors of gradients, relative to the largest of a parameter, and in numbers: gradients of parameters begin as
#: random numbers of about 1 there, and a Sigmoid near 1 has a slope y (1 - y) of few bits.
RELATIVE, ABSOLUTE = {"float": 1e-3, "int16": 1e-2}, {"float": 1e-5, "int16": 1e-4}
SCHEMES = ("full", "last:2", "head", "bias", "sparse:0.5", "bias+sparse:0.3:last:3")
OPTIMIZERS = (optimizers.sgd(0.05), optimizers.sgd(0.01, momentum=0.9), optimizers.adam(0.01), optimizers.adamw(0.01))
STEPS = 4

Arrays = Mapping[str, np.ndarray]


def drawn(seed: int) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """Return a graph of 4 to 14 operators, and data for its inputs."""
    return drawn_graph(seed, 4 + seed % 11)


def is_close(found: np.ndarray, expected: np.ndarray) -> bool:
    """Return whether float32 results are equal except for the order of sums."""
    size = max(float(np.abs(expected.astype(float)).max(initial=0)), 1.0)
    return float(np.abs(found.astype(float) - expected.astype(float)).max(initial=0)) <= SUM * size


def projections(builder, *outputs: ir.Value) -> ir.Value:
    """The loss: the mean of each output, weighted with a label of its own, so that every number of it counts."""
    total = builder.constant(0.0, "zero")
    for index, y in enumerate(outputs):
        each = builder.op("Mul", y, label(builder, f"p{index}", like=y), name=f"each{index}")
        term = builder.op("ReduceMean", each, name=f"mean{index}", keepdims=0)
        total = builder.op("Add", total, term, name=f"total{index}")
    return total


@cache
def factors(seed: int) -> dict[str, np.ndarray]:
    """Return what the outputs are weighted with."""
    model, data = drawn(seed)
    rng = np.random.default_rng(seed)
    return {f"p{i}": rng.normal(0, 1, y.shape).astype(np.float32) for i, y in enumerate(InOnnxruntime(model)(data))}


def artifacts(seed: int, optimizer: Optimizer, scheme: str = "full") -> Artifacts:
    """Return what trains a drawn graph; all of it if it has too few layers for the scheme, or no biases."""
    try:
        return build_artifacts(drawn(seed)[0], None, projections, optimizer, scheme=scheme)
    except ModelError as error:
        assert scheme != "full" and ("nothing to train" in str(error) or "but the model has" in str(error))
        return artifacts(seed, optimizer)


def batch_of(session: Session, data: Arrays) -> list[np.ndarray]:
    """Return the data of inputs and labels, in the session's order."""
    return [data[row["name"]] for row in (*session.inputs(), *session.labels())]


@pytest.mark.parametrize("seed", range(COUNT))
def test_forward(seed: int) -> None:
    model, data = drawn(seed)
    expected, image = InOnnxruntime(model)(data), compile_image(build_artifacts(model), Options(batch=BATCH)).image
    for profile in host_profiles():
        with Session(image, profile) as session:
            found = [np.array(y) for y in poisoned(session, session.infer, *data.values())]
        for y, right in zip(found, expected, strict=True):
            assert y.dtype == right.dtype and y.shape == right.shape
            assert is_close(y, right)


@pytest.mark.parametrize("seed", range(COUNT))
def test_gradients(seed: int) -> None:
    made = artifacts(seed, optimizers.sgd(0.05))
    data = {**drawn(seed)[1], **factors(seed)}
    names = {value.name for value in made.training.graph.input}
    expected = run_ort_plainly(made.training, {name: data[name] for name in data if name in names})
    for kind in GRADIENTS:
        with Session(compile_image(made, Options(batch=BATCH, accumulate=True, gradients=kind)).image) as session:
            loss = poisoned(session, session.train_step, *batch_of(session, data))
            assert loss == pytest.approx(float(expected[made.training.graph.output[0].name]), rel=1e-5, abs=1e-5)
            for name in session.parameter_names():
                found, right = np.array(session.gradient(name)), expected[f"{name}_grad"]
                tolerance = RELATIVE[kind] * np.abs(right).max(initial=0) + ABSOLUTE[kind]
                assert np.abs(found - right).max(initial=0) <= tolerance, (kind, name)


@pytest.mark.parametrize("seed", range(COUNT))
def test_what_was_trained_is_exported(seed: int) -> None:
    """Schemes, optimizers and options are drawn; state and results do not depend on the layout of memory."""
    rng, (model, data) = np.random.default_rng(seed), drawn(seed)
    scheme, optimizer = SCHEMES[rng.integers(len(SCHEMES))], OPTIMIZERS[rng.integers(len(OPTIMIZERS))]
    made = artifacts(seed, optimizer, scheme)
    kinds = {"weights": ("int8", "int16"), "moments": (None, "bf16"), "gradients": GRADIENTS}
    options = {name: of[rng.integers(2)] for name, of in kinds.items()}
    if not any(array.dtype == np.int8 for array in made.parameters.values()):
        options["weights"] = options["moments"] = None
    if optimizer is OPTIMIZERS[0]:
        options["moments"] = None
    states = []
    for layout in layouts(rng):
        image = compile_image(made, Options(batch=BATCH, **options, **layout)).image
        with Session(image) as session:
            batch = batch_of(session, {**data, **factors(seed)})
            for _ in range(STEPS):
                poisoned(session, session.step, *batch)
            states.append(session.save())
            learned = [np.array(y) for y in session.infer(*batch[: len(session.inputs())])]
        assert states[-1] == states[0], (layout, options, scheme)
        for y, right in zip(learned, InOnnxruntime(trained_model(model, states[-1]))(data), strict=True):
            assert is_close(y, right), (layout, options, scheme)


def layouts(rng: np.random.Generator) -> Sequence[dict[str, bool]]:
    """Return options that change only the places of bytes and what is recomputed."""
    drawn_options = {n: bool(rng.integers(2)) for n in ("overwrite_inputs", "stream_rows", "recompute")}
    return [{}, drawn_options]


@pytest.mark.parametrize("seed", range(0, COUNT, 4))
def test_the_fused_operators_have_the_bits_of_their_bodies(seed: int) -> None:
    model, data = drawn(seed)
    assert differing(
        [y for y in InOnnxruntime(fused(model, BATCH))(data) if y.dtype != np.float32],
        [y for y in InOnnxruntime(model)(data) if y.dtype != np.float32],
    ) == 0  # fmt: skip
