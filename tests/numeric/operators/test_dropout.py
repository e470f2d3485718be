"""Dropout: the mask's statistics, its repetition in the backward pass, and its absence outside training."""

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import make_model, node, poisoned, projection, read_gradients, run_ort, values

SIZE = 4000


def dropout_model(ratio, size=SIZE, opset=18, seed=None):
    """y = Dropout(w): with the loss sum(y), the gradient of w is the scaled mask itself."""
    ratio_input = {} if ratio is None else {"ratio": np.array(ratio, np.float32)}
    attributes = {} if seed is None else {"seed": seed}
    drop = node("Dropout", " ".join(["w", *ratio_input]), "y", name="drop", **attributes)
    return make_model([drop], {"w": np.ones(size, np.float32), **ratio_input}, opset=opset)


def open_session(model, profile="strict", seed=0, accumulate=True, **options):
    shape = [d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim]
    artifacts = build_artifacts(model, None, projection(np.ones(shape, np.float32)), optimizers.sgd(0.0))
    return Session(compile_image(artifacts, Options(accumulate=accumulate, seed=seed, **options)).image, profile)


def mask_of(session):
    """Return the gradient of w in one more step: 1 / (1 - ratio) if kept, 0 if dropped."""
    session.lazy_reset_grad()
    loss = poisoned(session, session.train_step)
    mask = read_gradients(session)["w"]
    np.testing.assert_allclose(loss, mask.sum(), rtol=1e-4)  # w is 1, so forward and backward drew the same mask
    return mask


@pytest.mark.parametrize("ratio", [None, 0.0, 0.1, 0.5, 0.9])
def test_share_of_dropped_elements(ratio, profile):
    session = open_session(dropout_model(ratio), profile)
    probability = float(np.float32(0.5 if ratio is None else ratio))
    draws = np.concatenate([mask_of(session) for _ in range(5)])
    kept = np.float32(1 / (1 - probability))
    assert set(np.unique(draws)) <= {np.float32(0), kept}
    deviation = np.sqrt(probability * (1 - probability) / draws.size)
    assert abs((draws == 0).mean() - probability) <= 4 * deviation


def test_neighbours_are_independent():
    """Correlation of the mask with itself moved by 1, 2, 3, 4 and 64 elements stays within 4 sigma of 0."""
    mask = (mask_of(open_session(dropout_model(0.5))) > 0) - 0.5
    for lag in (1, 2, 3, 4, 64):
        assert abs((mask[lag:] * mask[:-lag]).mean() / 0.25) <= 4 / np.sqrt(SIZE - lag)


def test_each_step_draws_a_new_mask(profile):
    session = open_session(dropout_model(0.5), profile)
    masks = [mask_of(session) for _ in range(4)]
    for i in range(4):
        for j in range(i):
            agreement = (masks[i] == masks[j]).mean()
            assert abs(agreement - 0.5) <= 4 * 0.5 / np.sqrt(SIZE)


def test_same_seed_same_masks_other_seed_others():
    first, second, other = (open_session(dropout_model(0.5), seed=s) for s in (7, 7, 8))
    for _ in range(3):
        mask = mask_of(first)
        np.testing.assert_array_equal(mask, mask_of(second))
        assert (mask != mask_of(other)).mean() > 0.4


def test_set_seed_restarts_the_sequence():
    session = open_session(dropout_model(0.5), seed=3)
    masks = [mask_of(session) for _ in range(3)]
    session.set_seed(3)
    for mask in masks:
        np.testing.assert_array_equal(mask, mask_of(session))


def test_both_profiles_draw_the_same_mask():
    fused, strict = (open_session(dropout_model(0.3), p) for p in ("fused", "strict"))
    np.testing.assert_array_equal(mask_of(fused), mask_of(strict))


def test_nothing_is_dropped_outside_training(profile):
    session = open_session(dropout_model(0.5), profile)
    poisoned(session, session.train_step)
    np.testing.assert_array_equal(np.array(poisoned(session, session.infer)[0]), np.ones(SIZE))
    assert poisoned(session, session.eval_step) == SIZE


@pytest.mark.parametrize("names", [("first", "second"), ("same", "same"), ("", "")])
def test_two_dropouts_draw_apart(names):
    """Names make no difference: ONNX does not ask names of nodes to be unique."""
    ratio = np.array(0.5, np.float32)
    nodes = [
        node("Dropout", "a ratio", "p", name=names[0]),
        node("Dropout", "b ratio", "q", name=names[1]),
        node("Add", "p q", "y"),
    ]
    ones = np.ones(SIZE, np.float32)
    session = open_session(make_model(nodes, {"a": ones, "b": ones, "ratio": ratio}))
    poisoned(session, session.train_step)
    masks = read_gradients(session)
    assert abs((masks["a"] == masks["b"]).mean() - 0.5) <= 4 * 0.5 / np.sqrt(SIZE)


def test_gradient_of_a_layer_behind_dropout(profile):
    """dL/dw of sum(dropout(x) w) is dropout(x)^T 1; the mask shows in the gradient of x: the mask times 1 w^T."""
    x, w = np.ones((3, 50), np.float32), values(1, 50, 4)
    nodes = [node("Dropout", "x ratio", "d", name="drop"), node("MatMul", "d w", "y")]
    model = make_model(nodes, {"x": x, "w": w, "ratio": np.array(0.4, np.float32)})
    session = open_session(model, profile)
    poisoned(session, session.train_step)
    gradients = read_gradients(session)
    mask = gradients["x"] / w.sum(axis=1)
    assert 0 < (mask == 0).sum() < mask.size
    np.testing.assert_allclose(gradients["w"], np.repeat(mask.sum(axis=0)[:, None], 4, axis=1), rtol=1e-5)


def test_training_model_runs_under_onnxruntime_with_dropout():
    """onnxruntime has its own random numbers, but one mask for both directions."""
    artifacts = build_artifacts(dropout_model(0.25), None, projection(np.ones(SIZE, np.float32)))
    outputs = run_ort(artifacts.training, {})
    np.testing.assert_allclose(outputs["loss"], outputs["w_grad"].sum(), rtol=1e-5)
    assert abs((outputs["w_grad"] == 0).mean() - 0.25) <= 4 * np.sqrt(0.25 * 0.75 / SIZE)


@pytest.mark.parametrize("ratio", [1.0, -0.1, 1.5])
def test_ratio_out_of_range_is_refused(ratio):
    with pytest.raises(UnsupportedOperator, match="ratio"):
        open_session(dropout_model(ratio))


def test_computed_ratio_is_refused():
    nodes = [node("ReduceMean", "x", "ratio", keepdims=0), node("Dropout", "w ratio", "d"), node("Add", "d x", "y")]
    model = make_model(nodes, {"w": values(0, 1, 3)}, {"x": ("N", 3)})
    with pytest.raises(UnsupportedOperator, match="make the ratio constant"):
        compile_image(build_artifacts(model, None, losses.mse(), optimizers.sgd()))
