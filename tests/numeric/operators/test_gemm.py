"""Gemm: y = alpha A' B' + beta C, every attribute and every allowed shape of C."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.oracle import Case, check_case, examples, make_model, node, seeds, sizes, values

#: How C may be broadcast to (m, n).
C_SHAPES = {
    "absent": None,
    "scalar": (),
    "one": (1,),
    "row": ("n",),
    "row matrix": (1, "n"),
    "column": ("m", 1),
    "one matrix": (1, 1),
    "full": ("m", "n"),
}


def gemm_case(m, n, k, trans_a, trans_b, alpha, beta, c_shape, seed):
    weights = {
        "a": values(seed, *((k, m) if trans_a else (m, k))),
        "b": values(seed + 1, *((n, k) if trans_b else (k, n))),
    }
    if c_shape is not None:
        weights["c"] = values(seed + 2, *({"m": m, "n": n}.get(d, d) for d in c_shape))
    gemm = node("Gemm", " ".join(weights), "y", transA=trans_a, transB=trans_b, alpha=alpha, beta=beta)
    return Case(make_model([gemm], weights), seed=seed)


@pytest.mark.parametrize("c_shape", C_SHAPES.values(), ids=C_SHAPES)
@examples(6)
@given(
    m=sizes,
    n=sizes,
    k=sizes,
    trans_a=st.integers(0, 1),
    trans_b=st.integers(0, 1),
    alpha=st.sampled_from([1.0, 0.5, -2.0]),
    beta=st.sampled_from([1.0, -0.5, 0.0, 3.0]),
    seed=seeds,
)
def test_gemm(c_shape, m, n, k, trans_a, trans_b, alpha, beta, seed):
    if c_shape and beta == 0.0:
        beta = 1.0  # without C the loss does not depend on it, which is an error of its own
    check_case(gemm_case(m, n, k, trans_a, trans_b, alpha, beta, c_shape, seed))


@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
def test_sizes_beyond_one_tile(trans_a, trans_b):
    check_case(gemm_case(9, 11, 7, trans_a, trans_b, 1.0, 1.0, ("n",), 5))


@examples(10)
@given(batch=sizes, n=sizes, k=sizes, trans_b=st.integers(0, 1), seed=seeds)
def test_data_with_a_symbolic_batch(batch, n, k, trans_b, seed):
    weights = {"w": values(seed, *((n, k) if trans_b else (k, n))), "b": values(seed, n)}
    model = make_model([node("Gemm", "x w b", "h", transB=trans_b), node("Relu", "h", "y")], weights, {"x": ("N", k)})
    check_case(Case(model, {"x": values(seed + 1, batch, k)}, seed=seed, batch=batch))


def test_weight_used_twice():
    """d(W W) takes the sum of two products."""
    model = make_model([node("Gemm", "w w", "y")], {"w": values(3, 3, 3)})
    check_case(Case(model))


def test_bias_is_not_confused_with_a_column_when_square():
    weights = {"a": values(1, 3, 2), "b": values(2, 2, 3), "c": np.array([[1.0], [2.0], [3.0]], np.float32)}
    check_case(Case(make_model([node("Gemm", "a b c", "y")], weights)))
