"""Drawn scripts of gradmote.training, against onnxruntime's gradients and updates in numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric.training.conftest import SHAPES
from numeric.training.test_training import batch, opened

from gradmote.artifacts.file_form import BUFFER, RESET, SUM
from gradmote.errors import RuntimeFault
from support.sampling import at_most

RATE = np.float32(0.05)


class Oracle:
    """Parameters and the sum of their gradients; onnxruntime computes both sums and gradients."""

    def __init__(self, files: Path, start: dict[str, np.ndarray]) -> None:
        self._session = onnxruntime.InferenceSession(files / "training_model.onnx")
        self.parameters = dict(start)
        self.sums: dict[str, np.ndarray] = {}

    def call(self, x: np.ndarray, labels: np.ndarray) -> np.ndarray:
        buffers = {f"{n}{BUFFER}": self.sums.get(n, np.full(s, np.nan, np.float32)) for n, s in SHAPES.items()}
        feeds = {"x": x, "labels": labels, **self.parameters, **buffers, RESET: np.array([not self.sums])}
        loss, *found = self._session.run(["loss", *(f"{name}{SUM}" for name in SHAPES)], feeds)
        self.sums = dict(zip(SHAPES, found, strict=True))
        return loss

    def step(self) -> None:
        self.parameters = {name: p - RATE * self.sums[name] for name, p in self.parameters.items()}


calls = st.tuples(st.sampled_from([1, 3, 3, 3, 5]), st.integers(0, 9))
refused = st.sampled_from(["infinite", "label"])
actions = st.one_of(
    st.tuples(st.just("call"), calls),
    st.tuples(st.just("call"), calls),
    st.tuples(st.sampled_from(["step", "step", "reset", "evaluate"]), st.none()),
    st.tuples(st.just("refused"), refused),
)


@settings(max_examples=at_most(40), deadline=None)
@given(drawn=st.lists(actions, min_size=3, max_size=20))
def test_any_order_of_calls_gives_what_onnxruntime_gives(sgd_files, drawn):
    state, module, optimizer = opened(sgd_files)
    optimizer.set_learning_rate(float(RATE))
    oracle = Oracle(sgd_files, {name: p.data for name, p in state.parameters})
    for action, argument in drawn:
        do(action, argument, module, optimizer, oracle)
        for name, parameter in state.parameters:
            expected = oracle.sums.get(name, np.zeros(SHAPES[name], np.float32))
            np.testing.assert_allclose(parameter.grad, expected, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(parameter.data, oracle.parameters[name], rtol=1e-4, atol=1e-5)


def do(action, argument, module, optimizer, oracle: Oracle) -> None:
    """Let both take one action; what one refuses leaves all as it was."""
    if action == "call":
        np.testing.assert_allclose(module(*batch(*argument)), oracle.call(*batch(*argument)), rtol=1e-4, atol=1e-5)
    elif action == "reset":
        module.lazy_reset_grad()
        oracle.sums.clear()
    elif action == "evaluate":
        module.eval()(*batch(3))
        module.train()
    elif action == "refused":
        x, labels = batch(3)
        refuses(lambda: module(x * np.float32(np.inf), labels) if argument == "infinite" else module(x, labels + 3))
    elif oracle.sums:
        optimizer.step()
        oracle.step()
    else:
        refuses(optimizer.step)


def refuses(call) -> None:
    """Assert that the runtime refuses the call."""
    try:
        call()
    except RuntimeFault:
        return
    raise AssertionError("the call was not refused")
