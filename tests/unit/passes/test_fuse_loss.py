"""Cross entropy and its gradient in one instruction: when they are, the same losses to the bit, and gradients as close
as two ways of rounding are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import fuse_loss, pipeline
from support.oracle import assert_all_close, examples, host_profiles, make_model, node, read_parameters, train, values

ONE, LOSS, GRADIENT = "SOFTMAX_CROSS_ENTROPY_WITH_GRAD", "SOFTMAX_CROSS_ENTROPY", "SOFTMAX_CROSS_ENTROPY_GRAD"
CLASSES = 4


def network(length):
    """Return a network with scores (N, CLASSES, length), or (N, CLASSES) if length is 1."""
    nodes = [node("Conv", "x w", "s"), *([node("Flatten", "s", "y")] if length == 1 else [])]
    weights = {"w": 3 * values(1, CLASSES, 3, 1)}
    return make_model(nodes, weights, {"x": ("N", 3, length)}, outputs=["y" if length == 1 else "s"])


def compiled(length=1, batch=3, accumulate=False, **loss):
    made = build_artifacts(network(length), None, losses.cross_entropy(**loss), optimizers.sgd(0.1))
    return compile_image(made, Options(batch=batch, accumulate=accumulate))


def without_pass(monkeypatch, *choice, **loss):
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "PROGRAMS", [p for p in pipeline.PROGRAMS if p is not fuse_loss.run])
        return compiled(*choice, **loss)


def opcodes(result, kind):
    """Return the opcodes of the loss alone, in the program of this kind."""
    program = next(p for p in result.compiled.programs if p.kind == kind)
    return [i.opcode for i in program.instructions if i.opcode.startswith(LOSS)]


def batches(length, batch, labels, mask=False, scale=1.0):
    x = scale * values(2, 2, batch, 3, length)
    chosen = np.random.default_rng(3).choice(labels, (2, batch, length)).astype(np.int32)
    chosen = chosen[:, :, 0] if length == 1 else chosen
    more = [np.abs(values(4, *chosen.shape))] if mask else []
    return [tuple(a[k] for a in (x, chosen, *more)) for k in range(2)]


@pytest.mark.parametrize("accumulate", [False, True])
def test_one_where_a_program_has_both(accumulate):
    result = compiled(accumulate=accumulate)
    assert opcodes(result, "train" if accumulate else "step") == [ONE]
    assert opcodes(result, "eval") == [LOSS]


def test_smoothing_stays_in_two():
    assert opcodes(compiled(label_smoothing=0.1), "step") == [LOSS, GRADIENT]


@given(
    length=st.integers(1, 3), batch=st.integers(1, 4), reduction=st.sampled_from(["mean", "sum"]), mask=st.booleans(),
    weight=st.sampled_from([None, [1.0, 0.5, 0.0, 2.0]]), ignored=st.sampled_from([None, [2], [0, 1, 2, 3]]),
)  # fmt: skip
@examples(12)
def test_same_losses_and_close_gradients(length, batch, reduction, mask, weight, ignored):
    with pytest.MonkeyPatch.context() as monkeypatch:
        loss = {"weight": weight, "reduction": reduction, "mask": mask, "ignore_index": -7 if ignored else -100}
        pair = compiled(length, batch, **loss), without_pass(monkeypatch, length, batch, **loss)
    assert opcodes(pair[0], "step") == [ONE]
    data = batches(length, batch, [-7 if label in (ignored or []) else label for label in range(CLASSES)], mask)
    for profile in host_profiles():
        (one, session), (two, other) = [train(result.image, data[:1], profile) for result in pair]
        assert one == two
        assert_all_close(read_parameters(session), read_parameters(other), 2e-6, "parameters")


def test_scores_far_apart():
    for profile in host_profiles():
        found, session = train(compiled().image, batches(1, 3, range(CLASSES), scale=1e4), profile)
        assert np.all(np.isfinite(found))
        assert all(np.all(np.isfinite(array)) for array in read_parameters(session).values())
