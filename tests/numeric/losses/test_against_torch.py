"""Values and gradients of every loss against PyTorch in float64."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import (
    assert_close,
    examples,
    host_profiles,
    make_model,
    node,
    poisoned,
    read_gradients,
    run_ort,
    seeds,
    shapes,
    values,
)


def scores_model(scores):
    """Return the model y = w: the gradient of the trained tensor is the loss's own."""
    return make_model([node("Identity", "w", "y")], {"w": scores})


def torch_loss_and_gradient(function, scores, *rest):
    x = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    loss = function(x, *rest)
    loss.backward()
    return loss.item(), x.grad.numpy()


def check_loss(loss, function, scores, target, torch_target, tolerance=1e-5):
    """Training by onnxruntime and by the C runtime in both profiles, and evaluation, against PyTorch."""
    expected, gradient = torch_loss_and_gradient(function, scores, torch_target)
    artifacts = build_artifacts(scores_model(scores), None, loss, optimizers.sgd())
    outputs = run_ort(artifacts.training, {artifacts.training.graph.input[0].name: target})
    assert_close(next(iter(outputs.values())), expected, tolerance, "onnxruntime: loss", 0.1)
    assert_close(outputs["w_grad"], gradient, tolerance, "onnxruntime: loss gradient", 1e-3)
    image = compile_image(artifacts, Options(batch=scores.shape[0], accumulate=True)).image
    for profile in host_profiles():
        with Session(image, profile) as session:
            assert_close(poisoned(session, session.eval_step, target), expected, tolerance, "C runtime: loss", 0.1)
            assert_close(poisoned(session, session.train_step, target), expected, tolerance, "C runtime: loss", 0.1)
            assert_close(read_gradients(session)["w"], gradient, tolerance, "C runtime: loss gradient", 1e-3)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@examples(18)
@given(
    batch=st.integers(1, 4),
    classes=st.integers(1, 5),
    inner=st.none() | st.lists(st.integers(1, 3), min_size=1, max_size=2),
    weighted=st.booleans(),
    ignored=st.sampled_from([None, -100, 0, 1, 255]),
    seed=seeds,
)
def test_cross_entropy(reduction, batch, classes, inner, weighted, ignored, seed):
    rng = np.random.default_rng(seed)
    scores = values(seed, batch, classes, *(inner or [])) * 3
    labels = rng.integers(0, classes, (batch, *(inner or [])))
    weight = rng.uniform(0.2, 2.0, classes).astype(np.float32) if weighted else None
    index = -100 if ignored is None else ignored
    if ignored is not None:
        labels.flat[0] = ignored
        labels.flat[-1] = 1 % classes if ignored == 0 else 0  # one label at least counts
        if (labels == ignored).all():
            return  # the mean over nothing: test_stability.py
    loss = losses.cross_entropy(weight=weight, ignore_index=index, reduction=reduction)
    torch_weight = None if weight is None else torch.tensor(weight, dtype=torch.float64)
    check_loss(
        loss,
        lambda x, t: F.cross_entropy(x, t, weight=torch_weight, ignore_index=index, reduction=reduction),
        scores,
        labels.astype(np.int64),
        torch.tensor(labels),
    )


ELEMENTWISE = {"mse": (losses.mse, F.mse_loss), "l1": (losses.l1, F.l1_loss)}


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("ours, theirs", ELEMENTWISE.values(), ids=ELEMENTWISE)
@examples(10)
@given(shape=shapes(1, 4), seed=seeds)
def test_regression_losses(ours, theirs, reduction, shape, seed):
    scores, target = values(seed, *shape), values(seed + 1, *shape)
    check_loss(
        ours(reduction), lambda x, t: theirs(x, t, reduction=reduction), scores, target, torch.tensor(target).double()
    )


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@examples(14)
@given(shape=shapes(1, 4), form=st.sampled_from(["default", "scalar", "one each class"]), seed=seeds)
def test_bce_with_logits(reduction, shape, form, seed):
    rng = np.random.default_rng(seed)
    scores, target = values(seed, *shape) * 3, rng.uniform(0, 1, shape).astype(np.float32)
    target.flat[0] = float(seed % 2)
    classes = rng.uniform(0.5, 3, shape[-1]).astype(np.float32).tolist()
    pos_weight = {"default": 1.0, "scalar": 2.5, "one each class": classes}[form]
    given = {} if form == "default" else {"pos_weight": pos_weight}
    loss = losses.bce_with_logits(reduction=reduction, **given)
    weight = torch.tensor(pos_weight, dtype=torch.float64)
    check_loss(
        loss,
        lambda x, t: F.binary_cross_entropy_with_logits(x, t, pos_weight=weight, reduction=reduction),
        scores,
        target,
        torch.tensor(target).double(),
    )


UNREDUCED = {
    "cross_entropy": (losses.cross_entropy, lambda x, t: F.cross_entropy(x, t, reduction="none")),
    "mse": (losses.mse, lambda x, t: F.mse_loss(x, t, reduction="none")),
    "l1": (losses.l1, lambda x, t: F.l1_loss(x, t, reduction="none")),
    "bce_with_logits": (
        losses.bce_with_logits,
        lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="none"),
    ),
}


def target_for(name, scores, seed=0):
    rng = np.random.default_rng(seed)
    if name == "cross_entropy":
        return rng.integers(0, scores.shape[1], (scores.shape[0], *scores.shape[2:]))
    return rng.uniform(0, 1, scores.shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 2)])
@pytest.mark.parametrize("name", UNREDUCED)
def test_one_loss_a_sample_inside_a_custom_loss(name, shape):
    """The reduction is none, weighted sample by sample: its gradient takes another weight for each."""
    ours, theirs = UNREDUCED[name]
    scores, target = values(1, *shape), target_for(name, values(1, *shape))
    torch_target = torch.tensor(target if name == "cross_entropy" else target.astype(np.float64))
    each_shape = theirs(torch.tensor(scores).double(), torch_target).shape
    sample_weights = np.random.default_rng(2).uniform(0.1, 2.0, each_shape).astype(np.float32)

    def weighted(builder, y):
        product = builder.op(
            "Mul", ours(reduction="none")(builder, y), builder.constant(sample_weights, "each"), name="part"
        )
        return builder.op("ReduceSum", product, name="total", keepdims=0)

    check_loss(
        weighted,
        lambda x, t: (theirs(x, t) * torch.tensor(sample_weights).double()).sum(),
        scores,
        target,
        torch_target,
    )


def test_ignored_and_weighted_labels_inside_a_custom_loss():
    """Combine the reduction none, weights and ignore_index."""
    scores, labels = values(4, 5, 3), np.array([0, 2, -1, 1, -1])
    weight, each = [0.5, 2.0, 1.5], np.array([1.0, 3.0, 5.0, 0.5, 2.0], np.float32)

    def custom(builder, y):
        loss = losses.cross_entropy(weight=weight, ignore_index=-1, reduction="none")(builder, y)
        product = builder.op("Mul", loss, builder.constant(each, "each"), name="part")
        return builder.op("ReduceMean", product, name="total", keepdims=0)

    def theirs(x, t):
        loss = F.cross_entropy(x, t, weight=torch.tensor(weight).double(), ignore_index=-1, reduction="none")
        return (loss * torch.tensor(each).double()).mean()

    check_loss(custom, theirs, scores, labels, torch.tensor(labels))


def test_custom_loss_of_the_documentation():
    """weighted_mse as gradmote.losses' docstring writes it."""
    code = losses.__doc__.split("the same way:")[1]
    scope = {"label": losses.label}
    exec("\n".join(line.removeprefix("    ") for line in code.splitlines()), scope)
    scores, target, weights = values(1, 4, 3), values(2, 4, 3), torch.tensor([0.1, 1.0, 3.0]).double()
    check_loss(
        scope["weighted_mse"],
        lambda x, t: (weights * (x - t) ** 2).mean(),
        scores,
        target,
        torch.tensor(target).double(),
    )


@pytest.mark.parametrize("through_softmax", ["Softmax", "LogSoftmax"])
def test_cross_entropy_on_a_model_that_ends_in_softmax(through_softmax):
    """through_softmax takes the scores before it."""
    scores, labels = values(5, 4, 3), np.array([0, 2, 1, 1])
    model = make_model([node(through_softmax, "w", "y", axis=1)], {"w": scores})
    artifacts = build_artifacts(model, None, losses.cross_entropy(through_softmax=True), optimizers.sgd())
    expected, gradient = torch_loss_and_gradient(F.cross_entropy, scores, torch.tensor(labels))
    with Session(compile_image(artifacts, Options(batch=4, accumulate=True)).image, "strict") as session:
        assert_close(poisoned(session, session.train_step, labels), expected, 1e-5, "C runtime: loss")
        assert_close(read_gradients(session)["w"], gradient, 1e-5, "C runtime: loss gradient")
        probability = torch.softmax(torch.tensor(scores), 1).numpy()
        shown = np.array(session.infer()[0])
        np.testing.assert_allclose(
            shown, probability if through_softmax == "Softmax" else np.log(probability), rtol=1e-5
        )
