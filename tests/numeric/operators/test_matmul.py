"""MatMul of rank 1 to 5, batches equal or broadcast, and the fusion with a bias that follows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.oracle import Case, check_case, examples, make_model, node, seeds, sizes, values


def matmul_case(a_shape, b_shape, seed=0):
    weights = {"a": values(seed, *a_shape), "b": values(seed + 1, *b_shape)}
    return Case(make_model([node("MatMul", "a b", "y")], weights), seed=seed)


@examples(30)
@given(
    batch=st.lists(sizes, max_size=2),
    m=sizes,
    n=sizes,
    k=sizes,
    side=st.sampled_from(["equal", "a alone", "b alone", "a ones", "b ones"]),
    seed=seeds,
)
def test_batches(batch, m, n, k, side, seed):
    ones = [1] * len(batch)
    a_batch = {"b alone": [], "a ones": ones}.get(side, batch)
    b_batch = {"a alone": [], "b ones": ones}.get(side, batch)
    check_case(matmul_case((*a_batch, m, k), (*b_batch, k, n), seed))


@examples(12)
@given(data=st.data(), batch=st.lists(st.integers(1, 3), min_size=2, max_size=3), m=sizes, n=sizes, k=sizes, seed=seeds)
def test_independent_batch_dimensions(data, batch, m, n, k, seed):
    """Each side has 1 in some of them."""
    a_batch, b_batch = (tuple(data.draw(st.sampled_from([1, d])) for d in batch) for _ in "ab")
    check_case(matmul_case((*a_batch, m, k), (*b_batch, k, n), seed))


@examples(20)
@given(kept=st.lists(st.sampled_from(["both", "a", "b"]), min_size=2, max_size=2), order=st.permutations(range(4)),
       m=sizes, n=sizes, k=sizes, seed=seeds)  # fmt: skip
def test_heads(kept, order, m, n, k, seed):
    """Two batch dimensions, each of both operands or one; operands cut out of one tensor, as heads are, and a result
    that a Transpose reads."""
    batch = (2, 3)
    a_batch, b_batch = ([d if side in (name, "both") else 1 for d, side in zip(batch, kept)] for name in "ab")
    weights = {"a": values(seed, a_batch[0], m, a_batch[1] * k), "b": values(seed + 1, b_batch[0], n, b_batch[1] * k)}
    weights |= {"cut_a": np.array([a_batch[0], m, a_batch[1], k]), "cut_b": np.array([b_batch[0], n, b_batch[1], k])}
    nodes = [
        node("Reshape", "a cut_a", "rows"),
        node("Transpose", "rows", "heads_a", perm=[0, 2, 1, 3]),
        node("Reshape", "b cut_b", "columns"),
        node("Transpose", "columns", "heads_b", perm=[0, 2, 3, 1]),
        node("MatMul", "heads_a heads_b", "product"),
        node("Transpose", "product", "turned", perm=list(order)),
        node("Mul", "turned turned", "y"),
    ]
    check_case(Case(make_model(nodes, weights), seed=seed))


def test_transposed_operands_of_independent_batch_dimensions():
    weights = {"a": values(1, 2, 4, 1, 3), "b": values(2, 1, 2, 3, 4)}
    nodes = [node("Transpose", "a", "at", perm=[0, 2, 3, 1]), node("Transpose", "b", "bt", perm=[0, 1, 3, 2])]
    check_case(Case(make_model([*nodes, node("MatMul", "at bt", "y")], weights)))  # (2, 1, 3, 4) (1, 2, 4, 3)


@examples(12)
@given(batch=st.lists(sizes, max_size=2), m=sizes, k=sizes, side=st.sampled_from(["left", "right", "both"]), seed=seeds)
def test_vectors(batch, m, k, side, seed):
    a_shape = (*batch, m, k) if side == "right" else (k,)
    b_shape = (*batch, k, m) if side == "left" else (k,)
    check_case(matmul_case(a_shape, b_shape, seed))


def test_vector_of_weights_on_data_with_a_symbolic_batch():
    nodes = [node("MatMul", "x w", "product"), node("Add", "product b", "y")]
    model = make_model(nodes, {"w": values(1, 3), "b": values(2, 1)}, {"x": ("N", 3)})
    check_case(Case(model, {"x": values(3, 4, 3)}, batch=4))


@examples(12)
@given(batch=sizes, inner=st.lists(sizes, max_size=2), n=sizes, k=sizes, seed=seeds)
def test_linear_layer_on_data_of_any_rank(batch, inner, n, k, seed):
    """Check the nodes that exporters make of Linear: MatMul and Add of a row, on (N, ..., k)."""
    weights = {"w": values(seed, k, n), "b": values(seed, n)}
    nodes = [node("MatMul", "x w", "product"), node("Add", "product b", "y")]
    model = make_model(nodes, weights, {"x": ("N", *inner, k)})
    check_case(Case(model, {"x": values(seed, batch, *inner, k)}, seed=seed, batch=batch))


@examples(12)
@given(rank=st.integers(2, 4), swap_a=st.booleans(), swap_b=st.booleans(), seed=seeds)
def test_transposed_operands(rank, swap_a, swap_b, seed):
    """Transposes of weights become strides, in both directions."""
    batch, perm = (2, 3)[: rank - 2], [*range(rank - 2), rank - 1, rank - 2]
    a_shape, b_shape = (4, 2) if swap_a else (2, 4), (3, 4) if swap_b else (4, 3)
    weights = {"a": values(seed, *batch, *a_shape), "b": values(seed, *batch, *b_shape)}
    nodes = [
        node("Transpose" if swap else "Identity", name, f"{name}t", **({"perm": perm} if swap else {}))
        for name, swap in (("a", swap_a), ("b", swap_b))
    ]
    check_case(Case(make_model([*nodes, node("MatMul", "at bt", "y")], weights), seed=seed))


def test_gram_matrix():
    """One weight is on both sides, once transposed."""
    model = make_model([node("Transpose", "w", "t"), node("MatMul", "w t", "y")], {"w": values(4, 3, 2)})
    check_case(Case(model))
