"""A call like the last one is not checked again, and no call in between makes a difference."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numeric.training.conftest import SHAPES, write
from numeric.training.test_training import batch, opened

from gradmote.errors import GradmoteError
from gradmote.training import CheckpointState

FROZEN = "b1"


def with_labels_of(dtype: type) -> Callable[[np.ndarray, np.ndarray], tuple]:
    return lambda x, labels: (x, labels.astype(dtype))


#: Name -> the arguments of a call, made from a batch.
FORMS: dict[str, Callable[[np.ndarray, np.ndarray], tuple]] = {
    "plain": lambda x, labels: (x, labels),
    "int32": with_labels_of(np.int32),
    "int8": with_labels_of(np.int8),
    "of unsigned": with_labels_of(np.uint64),
    "not contiguous": lambda x, labels: (np.asfortranarray(x), np.repeat(labels, 2)[::2]),
    "a subclass": lambda x, labels: (x.view(np.matrix), labels),
    "of float64": lambda x, labels: (x.astype(np.float64), labels),
    "byte-swapped": lambda x, labels: (x.astype(">f4"), labels),
    "too few": lambda x, labels: (x,),
    "too wide": lambda x, labels: (np.repeat(x, 2, axis=1), labels),
    "labels of another batch": lambda x, labels: (x, labels[1:]),
    "labels out of range": lambda x, labels: (x, labels + 3),
    "labels of 64 bits": lambda x, labels: (x, labels + 2**40),
    "not finite": lambda x, labels: (x * np.float32(np.inf), labels),
}


@pytest.fixture(scope="module")
def frozen_files(tmp_path_factory):
    trained = [name for name in SHAPES if name != FROZEN]
    folder = tmp_path_factory.mktemp("frozen")
    return write(folder, requires_grad=trained, frozen_params=[FROZEN], additional_output_names=["y"])


class Trained:
    """A module whose calls are remembered, or forgotten before each call."""

    def __init__(self, files, forgets: bool) -> None:
        self.state, self.module, self.optimizer = opened(files)
        self.forgets = forgets

    def do(self, action: str, argument: object) -> object:
        """Return what the action gives, or the type and the words of its error."""
        try:
            return getattr(self, action)(argument)
        except GradmoteError as error:
            return type(error), str(error)

    def call(self, argument: tuple[str, int, int]) -> object:
        form, size, seed = argument
        if self.forgets:
            self.module._known.clear()
        return [np.array(found).tobytes() for found in self.module(*FORMS[form](*batch(size, seed)))]

    def step(self, _: object) -> None:
        self.optimizer.step()

    def reset(self, _: object) -> None:
        self.module.lazy_reset_grad()

    def train(self, argument: bool) -> None:
        self.module.train(argument)

    def rate(self, argument: float) -> None:
        self.optimizer.set_learning_rate(argument)

    def write(self, name: str) -> None:
        self.state.parameters[name].data = self.state.parameters[name].data * np.float32(0.5)

    def read(self, name: str) -> tuple[bytes, bytes | None]:
        parameter = self.state.parameters[name]
        gradient = parameter.grad
        return parameter.data.tobytes(), None if gradient is None else gradient.tobytes()

    def save(self, path) -> bytes:
        CheckpointState.save_checkpoint(self.state, path, include_optimizer_state=True)
        return path.read_bytes()


calls = st.tuples(
    st.sampled_from(["plain", "plain", "plain", *FORMS]), st.sampled_from([3, 3, 3, 5]), st.integers(0, 3)
)
actions = st.one_of(
    st.tuples(st.just("call"), calls),
    st.tuples(st.just("call"), calls),
    st.tuples(st.sampled_from(["step", "reset"]), st.none()),
    st.tuples(st.just("train"), st.booleans()),
    st.tuples(st.just("rate"), st.sampled_from([0.0, 0.01, 0.1, -1.0])),
    st.tuples(st.sampled_from(["read", "write"]), st.sampled_from([*SHAPES])),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.lists(actions, min_size=4, max_size=16))
def test_remembered_calls_give_what_checked_calls_give(frozen_files, tmp_path, drawn):
    remembers, forgets = Trained(frozen_files, False), Trained(frozen_files, True)
    for action, argument in drawn:
        assert remembers.do(action, argument) == forgets.do(action, argument), (action, argument)
    assert remembers.save(tmp_path / "a") == forgets.save(tmp_path / "b")


def test_only_calls_with_arrays_are_remembered(frozen_files):
    _, module, _ = opened(frozen_files)
    x, labels = batch(3)
    module(x.view(np.matrix), labels)
    assert not module._known
    module(x, labels)
    known = module._known[True]
    module(*batch(3, 1))
    assert module._known[True] is known
    module(*batch(5))
    assert module._known[True] is not known


def test_an_update_that_is_refused_leaves_the_gradients(frozen_files):
    """Gradients that overflow: their sum stays readable, and the next update is refused too."""
    state, module, optimizer = opened(frozen_files)
    state.parameters["w2"].data = np.full(SHAPES["w2"], 1e12, np.float32) * np.array([1, -1, 1], np.float32)
    x, labels = batch(3)
    for _ in range(2):
        module(x * np.float32(1e8), labels)
    before = state.parameters["w1"].data, state.parameters["w1"].grad
    for _ in range(2):
        with pytest.raises(GradmoteError):
            optimizer.step()
    assert np.array_equal(before[0], state.parameters["w1"].data)
    assert np.array_equal(before[1], state.parameters["w1"].grad)


def test_a_module_that_refers_to_itself_is_collected(frozen_files):
    """The collector met a memoryview whose bytes a remembered call still pointed to, and ended the process."""
    for _ in range(3):
        state, module, optimizer = opened(frozen_files)
        for _ in range(2):
            module(*batch(3))
        optimizer.step()
        module.known, state.module, module.last = module._known, module, lambda call=module._known[True]: call
        gone = weakref.ref(module)
        del state, module, optimizer
        gc.collect()
        assert gone() is None


def test_calls_while_another_thread_is_in_one_are_refused(frozen_files):
    state, module, optimizer = opened(frozen_files)
    x, labels = batch(3)
    for _ in range(2):
        module(x, labels)
    before = state.parameters["w1"].grad
    with module._twin.current.session._lib.lock:
        for call in (lambda: module(x + 1, labels), optimizer.step, module.lazy_reset_grad):
            with pytest.raises(GradmoteError, match="another thread is in a call of this session"):
                call()
    assert np.array_equal(state.parameters["w1"].grad, before)
    module(x, labels)
    assert not np.array_equal(state.parameters["w1"].grad, before)
