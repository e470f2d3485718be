"""A pool's winners as bytes for its gradient: what the pass does, what it leaves, and that every bit stays."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import index_max_pool, pipeline
from gradmote.plan.lifetimes import aligned
from support.oracle import examples, host_profiles, make_model, node, seeds, train, values


def network(seed=0, activation="Relu", size=(8, 8), **pool):
    """Conv, activation, MaxPool, Conv, classifier. Small integers: elements of a window tie."""
    pool = pool or {"kernel_shape": [2, 2], "strides": [2, 2]}
    weights = {"w1": np.sign(values(seed, 4, 1, 3, 3)), "w2": values(seed, 3, 4, 1, 1), "w3": values(seed, 3, 3)}
    first = [node("Conv", "x w1", "c", pads=[1, 1, 1, 1])]
    if activation is not None:
        first.append(node(activation, "c", "a"))
    last = [node("MaxPool", "a" if activation else "c", "p", **pool), node("Conv", "p w2", "d")]
    last += [node("GlobalAveragePool", "d", "g"), node("Flatten", "g", "f"), node("MatMul", "f w3", "y")]
    return make_model([*first, *last], weights, {"x": ("N", 1, *size)})


def with_and_without(monkeypatch, model, accumulate=False, batch=2, **choice):
    """The images of a model with the pass and without."""
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1, momentum=0.9), **choice)
    options = Options(batch=batch, accumulate=accumulate)
    with_pass = compile_image(made, options)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "PROGRAMS", [p for p in pipeline.PROGRAMS if p is not index_max_pool.run])
        return with_pass, compile_image(made, options)


def opcodes(result, kind):
    return [i.opcode for p in result.compiled.programs if p.kind == kind for i in p.instructions]


def pool_of(result, kind):
    return next(i for p in result.compiled.programs if p.kind == kind for i in p.instructions if i.opcode == "MAX_POOL")


def index_size(result, kind):
    index = pool_of(result, kind).operands["index"]
    return aligned(index.buffer.size) if index else 0


def data(size, count=3, batch=2):
    """Draw small integers: many are zeros and ties."""
    rng = np.random.default_rng(5)
    rows = rng.integers(-2, 3, (count, batch, 1, *size)).astype(np.float32)
    return [(x, rng.integers(0, 3, batch).astype(np.int32)) for x in rows]


def assert_same_bits(pair, batches, accumulate=False):
    for profile in host_profiles():
        runs = [train(result.image, batches, profile, accumulate) for result in pair]
        assert runs[0][0] == runs[1][0]
        assert bytes(runs[0][1].state()) == bytes(runs[1][1].state())


@st.composite
def pools(draw):
    """(input size, attributes of MaxPool): windows that overlap, leave gaps, hang over, are dilated."""
    size = draw(st.tuples(st.integers(4, 8), st.integers(4, 8)))
    pair = st.tuples(st.integers(1, 3), st.integers(1, 3))
    kernel, strides, dilations = draw(pair), draw(pair), draw(st.sampled_from([(1, 1), (2, 1), (1, 2)]))
    pads = [draw(st.integers(0, k - 1)) for k in kernel] * 2
    ceil_mode = draw(st.integers(0, 1))
    for n, k, s, d, p in zip(size, kernel, strides, dilations, pads, strict=False):
        free = n + 2 * p - (k - 1) * d - 1
        assume(free >= 0 and (not ceil_mode or -(-free // s) * s < n + p))
    return size, {
        "kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads, "ceil_mode": ceil_mode
    }  # fmt: skip


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("activation", ["Relu", "Tanh", None])
@examples(8)
@given(drawn=pools(), seed=seeds)
def test_the_same_bits_in_no_more_memory(activation, accumulate, drawn, seed):
    size, attributes = drawn
    with pytest.MonkeyPatch.context() as patch:
        model = network(seed, activation, size, **attributes)
        pair = with_and_without(patch, model, accumulate)
    kind = "train" if accumulate else "step"
    less, more = (result.layout.placements[kind].bound for result in pair)
    assert less <= more + (index_size(pair[0], kind) if activation == "Tanh" else 0)  # whose own gradient keeps x
    assert_same_bits(pair, data(size), accumulate)


def test_the_mask_goes_with_the_winners(monkeypatch):
    packed, plain = with_and_without(monkeypatch, network())
    assert {"MAX_POOL_GRAD", "RELU_GRAD"} <= set(opcodes(plain, "step"))
    assert {"MAX_POOL_GRAD", "RELU_GRAD"}.isdisjoint(opcodes(packed, "step"))
    assert "MAX_POOL_INDEX_GRAD" in opcodes(packed, "step")
    pool = pool_of(packed, "step")
    assert pool.params["relu"] == 1 and pool.operands["index"].buffer.size == 2 * 4 * 4 * 4
    a = 4 * 2 * 4 * 8 * 8
    assert packed.layout.placements["step"].peak <= plain.layout.placements["step"].peak - a // 2


def test_without_relu_there_is_no_mask(monkeypatch):
    packed, _ = with_and_without(monkeypatch, network(activation=None))
    pool = pool_of(packed, "step")
    assert pool.params["relu"] == 0 and pool.operands["index"] is not None


def test_inference_has_no_index(monkeypatch):
    packed, _ = with_and_without(monkeypatch, network())
    for kind in ("infer", "eval"):
        pool = pool_of(packed, kind)
        assert pool.operands["index"] is None and not pool.params["relu"]


def test_more_cells_than_a_byte_numbers(monkeypatch):
    model = network(size=(16, 16), kernel_shape=[16, 16])
    packed, _ = with_and_without(monkeypatch, model)
    assert "MAX_POOL_GRAD" in opcodes(packed, "step") and "MAX_POOL_INDEX_GRAD" not in opcodes(packed, "step")


def test_255_taps(monkeypatch):
    """The last tap has number 254, and 255 still means none."""
    model = network(activation="Relu", size=(17, 15), kernel_shape=[17, 15])
    pair = with_and_without(monkeypatch, model)
    assert "MAX_POOL_INDEX_GRAD" in opcodes(pair[0], "step")
    batches = data((17, 15))
    for x, _ in batches:
        x[:, :, -1, -1] = 9
    assert_same_bits(pair, batches)


def test_an_activation_with_two_readers_keeps_its_mask(monkeypatch):
    """Its gradient is a sum; the pool's part alone does not show for which elements RELU_GRAD lets it through."""
    weights = {"w1": values(1, 4, 1, 3, 3), "w3": values(2, 4, 3)}
    nodes = [
        node("Conv", "x w1", "c", pads=[1, 1, 1, 1]),
        node("Relu", "c", "a"),
        node("MaxPool", "a", "p", kernel_shape=[8, 8]),
        node("GlobalAveragePool", "a", "q"),
        node("Add", "p q", "s"),
        node("Flatten", "s", "f"),
        node("MatMul", "f w3", "y"),
    ]
    pair = with_and_without(monkeypatch, make_model(nodes, weights, {"x": ("N", 1, 8, 8)}))
    assert any(name in opcodes(pair[0], "step") for name in ("RELU_GRAD", "MASK_GRAD"))
    assert_same_bits(pair, data((8, 8)))
