"""Each quantized operator between trained numbers: its gradients in a compiled image are those of the training model.

To each input a parameter is added, so that the gradient of every operand shows in a parameter's. That of the first
layer of a network, whose input needs no gradient, is another case.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradmote import Session, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.artifacts import Artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.options import GRADIENTS
from support.oracle import examples, poisoned, projection, run_ort_plainly
from support.quantized.drawn_operators import OPERATORS, Draw, TrainedInputs, model_of

#: How much of a gradient may be lost, by the norm: float32 rounds each product, int16 each number.
LOST = {"float": 1e-5, "int16": 4e-3}
WEIGHTED = ("Conv", "ConvTranspose", "Gemm", "MatMul with weights", "Transpose, Slice, Reshape")


def trained(name: str, seed: int, kind: type[Draw]) -> tuple[Artifacts, dict[str, np.ndarray]]:
    """Return the artifacts for a loss whose gradient is random, and what to feed them."""
    rng = np.random.default_rng(seed)
    dtype, per_channel = [(np.int8, True), (np.int8, False), (np.uint8, True), (np.uint8, False)][int(rng.integers(4))]
    model, feeds = model_of(name, seed, dtype, per_channel, kind)
    y = run_ort_plainly(model, feeds)[model.graph.output[0].name]
    factors = rng.uniform(0.5, 1.5, y.shape).astype(np.float32)
    return build_artifacts(model, None, projection(factors), optimizers.sgd(0.05)), feeds


def compare(name: str, seed: int, kind: type[Draw]) -> None:
    made, feeds = trained(name, seed, kind)
    assume(len({len(array) for array in feeds.values()}) == 1)
    expected, batch = run_ort_plainly(made.training, feeds), len(feeds["x0"])
    for gradients in GRADIENTS:
        image = compile_image(made, Options(batch=batch, accumulate=True, gradients=gradients)).image
        with Session(image) as session:
            poisoned(session, session.train_step, *feeds.values())
            for parameter in session.parameter_names():
                right, found = expected[f"{parameter}_grad"], np.array(session.gradient(parameter))
                assert found.shape == right.shape
                assert np.linalg.norm(found - right) <= LOST[gradients] * np.linalg.norm(right), (parameter, gradients)


@pytest.mark.parametrize("name", OPERATORS)
@examples(4)
@given(st.integers(0, 2**32 - 1))
def test_gradients_of_operands(name: str, seed: int) -> None:
    compare(name, seed, TrainedInputs)


@pytest.mark.parametrize("name", WEIGHTED)
@examples(4)
@given(st.integers(0, 2**32 - 1))
def test_gradients_of_the_weights_of_a_first_layer(name: str, seed: int) -> None:
    compare(name, seed, Draw)
