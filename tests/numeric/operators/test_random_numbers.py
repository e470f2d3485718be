"""RandomUniform, RandomNormal and the same Like: their distribution, and that each step draws others."""

import numpy as np
import pytest
from scipy import stats

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import make_model, node, projection

SIZE = 4000
DRAWS = {
    "RandomUniform": ({"low": -1.5, "high": 2.0, "shape": [SIZE]}, stats.uniform(-1.5, 3.5)),
    "RandomUniformLike": ({}, stats.uniform(0, 1)),
    "RandomNormal": ({"mean": 1.5, "scale": 0.5, "shape": [SIZE]}, stats.norm(1.5, 0.5)),
    "RandomNormalLike": ({}, stats.norm(0, 1)),
}
each_draw = pytest.mark.parametrize("op_type", DRAWS)


def noisy(op_type, count=1):
    """y = w times what is drawn, and so the gradient of w, with the loss sum(y), is the draw."""
    settings, _ = DRAWS[op_type]
    inputs = "w" if op_type.endswith("Like") else ""
    nodes = [node(op_type, inputs, f"r{i}", **settings) for i in range(count)]
    outputs = [node("Mul", f"w r{i}", f"y{i}") for i in range(count)]
    model = make_model([*nodes, *outputs], {"w": np.ones(SIZE, np.float32)}, outputs=[f"y{i}" for i in range(count)])
    return build_artifacts(model, None, projection(np.ones(SIZE, np.float32)), optimizers.sgd(0.0), loss_inputs=["y0"])


def open_session(op_type, profile, count=1, seed=3):
    return Session(compile_image(noisy(op_type, count), Options(seed=seed, accumulate=True)).image, profile)


def drawn(session):
    session.lazy_reset_grad()
    session.train_step()
    return np.array(session.gradient("w"))


@each_draw
def test_distribution(op_type, profile):
    """The Kolmogorov-Smirnov test would find such numbers in more than one of a thousand draws."""
    with open_session(op_type, profile) as session:
        found = drawn(session)
    assert stats.kstest(found, DRAWS[op_type][1].cdf).pvalue > 1e-3
    assert len(np.unique(found)) > 0.99 * SIZE
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.06


@each_draw
def test_each_step_and_each_seed_draws_others(op_type, profile):
    with open_session(op_type, profile) as session, open_session(op_type, profile, seed=4) as other:
        first, second = drawn(session), drawn(session)
        assert not np.array_equal(first, second)
        assert not np.array_equal(first, drawn(other))
    with open_session(op_type, profile) as again:
        np.testing.assert_array_equal(drawn(again), first)


@each_draw
def test_nodes_draw_apart_and_inference_repeats_itself(op_type, profile):
    with open_session(op_type, profile, count=2) as session:
        first, other = (np.array(y) for y in session.infer())
        again, _ = (np.array(y) for y in session.infer())
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.06
    np.testing.assert_array_equal(first, again)
