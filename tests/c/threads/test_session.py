"""Sessions of several threads: the bits of one; and no harm from forks, other threads, errors, or the end of Python."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.passes.test_random_networks import OPTIMIZERS, batches, networks

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError, RuntimeFault
from support.oracle import make_model, node, values

from .cut_everything import cut_everything, digest

BATCH, FEATURES, HIDDEN, CLASSES = 32, 256, 512, 10
SECONDS = 60


@pytest.fixture(scope="module")
def image() -> bytes:
    """A network whose products are worth several threads."""
    weights = {"v": values(1, FEATURES, HIDDEN) / 16, "w": values(2, HIDDEN, CLASSES) / 16}
    nodes = [node("MatMul", "x v", "h"), node("Relu", "h", "r"), node("MatMul", "r w", "y")]
    model = make_model(nodes, weights, {"x": ("N", FEATURES)})
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizers.adamw(0.01))
    return compile_image(artifacts, Options(batch=BATCH)).image


def train(session: Session, steps: int = 5) -> str:
    """SHA-256 of the state after them."""
    rng = np.random.default_rng(3)
    for _ in range(steps):
        session.step(rng.normal(size=(BATCH, FEATURES)).astype(np.float32), rng.integers(0, CLASSES, BATCH))
    return digest(session)


@pytest.fixture(scope="module")
def expected(image: bytes) -> str:
    with Session(image) as session:
        return train(session)


# ---- Bits


def test_same_bits_with_any_number_of_threads(image, profile):
    found = set()
    for threads in (1, 2, 3, 4, 16):
        with Session(image, profile, threads) as session:
            found.add(train(session))
    assert len(found) == 1


@settings(max_examples=8, deadline=None)
@given(model=networks(), optimizer=st.sampled_from(sorted(OPTIMIZERS)), threads=st.integers(2, 4))
def test_drawn_networks_train_to_the_same_bits(model, optimizer, threads):
    artifacts = build_artifacts(model, None, losses.cross_entropy(), OPTIMIZERS[optimizer]())
    image = compile_image(artifacts, Options(batch=2)).image
    for profile in ("fused", "strict"):
        with Session(image, profile) as alone, Session(image, profile, threads) as shared:
            cut_everything(shared)
            for x, labels in batches(model):
                assert alone.step(x, labels) == shared.step(x, labels)
            assert digest(alone) == digest(shared)


def test_a_refused_step_is_refused_and_changes_nothing(image, expected):
    with Session(image, threads=3) as session:
        untouched = digest(session)
        with pytest.raises(RuntimeFault, match="label"):
            session.step(np.zeros((BATCH, FEATURES), np.float32), np.full(BATCH, CLASSES))
        with pytest.raises(RuntimeFault, match="finite|NaN"):
            session.step(np.full((BATCH, FEATURES), np.nan, np.float32), np.zeros(BATCH, np.int64))
        session.reset()
        assert digest(session) == untouched
        assert train(session) == expected


# ---- Lives of threads


def threads_of_process() -> int:
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux shows them")
@pytest.mark.parametrize("close", ["close", "with", "drop"])
def test_threads_start_with_work_and_end_with_the_session(image, close):
    before = threads_of_process()
    session = Session(image, threads=4)
    assert threads_of_process() == before
    train(session, 1)
    assert threads_of_process() == before + 3
    if close == "close":
        session.close()
        session.close()
    elif close == "with":
        with session:
            pass
    del session
    gc.collect()
    assert threads_of_process() == before


@pytest.mark.parametrize("threads", [0, -1, 17])
def test_refuses_other_numbers_of_threads(image, threads):
    with pytest.raises(GradmoteError, match=f"threads is {threads}"):
        Session(image, threads=threads)


def test_two_sessions_train_at_once_from_two_threads(image, expected):
    found = {}

    def run(name: int) -> None:
        with Session(image, threads=2) as session:
            found[name] = train(session)

    runs = [threading.Thread(target=run, args=(name,)) for name in range(2)]
    for one in runs:
        one.start()
    for one in runs:
        one.join(SECONDS)
    assert found == {0: expected, 1: expected}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_goes_on_with_threads_of_its_own(image, expected):
    with Session(image, threads=3) as session:
        train(session, 1)
        session.reset()
        child = os.fork()
        if child == 0:
            os._exit(0 if train(session) == expected and session.close() is None else 1)
        assert train(session) == expected
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "import os; os.kill(os.getpid(), 15)"])
def test_python_ends_with_sessions_open(image, tmp_path, end):
    (tmp_path / "model.mote").write_bytes(image)
    program = f"""
import numpy as np
from gradmote import Session
session = Session(open("model.mote", "rb").read(), threads=4)
session.step(np.zeros(({BATCH}, {FEATURES}), np.float32), np.zeros({BATCH}, np.int64))
{end}
"""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, check=False, timeout=SECONDS)
    assert done.returncode == (-15 if "kill" in end else 0)
