"""close() from another thread while step() computed gave the arena back under the kernels: SIGSEGV."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError
from support.oracle import make_model, node, values

BATCH, FEATURES, CLASSES = 256, 1024, 10

#: Calls that another thread may try while a step is under way.
CALLS: dict[str, Callable[[Session], object]] = {
    "close": Session.close,
    "reset": Session.reset,
    "step": Session.step,
    "infer": Session.infer,
    "save": Session.save,
    "property": lambda session: session.set_property("epoch", 1),
    "rate": lambda session: session.learning_rate,
}


@pytest.fixture(scope="module")
def image() -> bytes:
    """A network with steps of many milliseconds."""
    weights = {"v": values(1, FEATURES, FEATURES) / 32, "w": values(2, FEATURES, CLASSES) / 32}
    nodes = [node("MatMul", "x v", "h"), node("Relu", "h", "r"), node("MatMul", "r w", "y")]
    model = make_model(nodes, weights, {"x": ("N", FEATURES)})
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.01))
    return compile_image(artifacts, Options(batch=BATCH, properties=1)).image


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.normal(size=(BATCH, FEATURES)).astype(np.float32), rng.integers(0, CLASSES, BATCH)


@pytest.fixture(scope="module")
def expected(image) -> float:
    with Session(image) as session:
        return session.step(*data())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_another_thread_is_refused_and_the_step_goes_on(image, expected, name, threads):
    with Session(image, threads=threads) as session:
        found: list[float] = []
        samples = data()
        worker = threading.Thread(target=lambda: found.append(session.step(*samples)))
        worker.start()
        while not session._lib.lock.locked():  # as is while the kernels compute
            time.sleep(0)
        with pytest.raises(GradmoteError, match="another thread"):
            CALLS[name](session)
        worker.join()
        assert found == [expected]


def test_errors_give_the_session_back(image):
    """A call that the runtime refuses, and one with an argument that cffi refuses, leave it usable."""
    with Session(image) as session:
        with pytest.raises(GradmoteError):
            session.get_property("missing")
        with pytest.raises(TypeError):
            session.learning_rate = "fast"  # type: ignore[assignment]
        session.learning_rate = 0.5
