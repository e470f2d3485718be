"""Label smoothing, masks and dense labels against PyTorch in float64, and against finite differences."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError, RuntimeFault
from gradmote_runtime import Session
from support.oracle import (
    assert_close,
    examples,
    finite_differences,
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


def artifacts_of(loss, scores, opset=18):
    """Return the model y = w: the gradient of the trained tensor is the loss's own."""
    model = make_model([node("Identity", "w", "y")], {"w": scores}, opset=opset)
    return build_artifacts(model, None, loss, optimizers.sgd())


def image_of(artifacts, scores):
    return compile_image(artifacts, Options(batch=scores.shape[0], accumulate=True)).image


def check(loss, theirs, scores, labels, opset=18):
    """theirs: a scalar of the scores, a float64 tensor. labels: what the loss takes, in its order."""
    x = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    expected = theirs(x)
    expected.backward()
    artifacts = artifacts_of(loss, scores, opset)
    names = [i.name for i in artifacts.training.graph.input if i.name != "w"]
    outputs = run_ort(artifacts.training, dict(zip(names, labels, strict=True)))
    assert_close(outputs[artifacts.training.graph.output[0].name], expected.item(), 1e-5, "onnxruntime: loss", 0.1)
    assert_close(outputs["w_grad"], x.grad.numpy(), 1e-5, "onnxruntime: loss gradient", 1e-3)
    image = image_of(artifacts, scores)
    for profile in host_profiles():
        with Session(image, profile) as session:
            assert_close(poisoned(session, session.eval_step, *labels), expected.item(), 1e-5, "C runtime: loss", 0.1)
            assert_close(poisoned(session, session.train_step, *labels), expected.item(), 1e-5, "C runtime: loss", 0.1)
            assert_close(read_gradients(session)["w"], x.grad.numpy(), 1e-5, "C runtime: loss gradient", 1e-3)


dense = st.sampled_from([(), (3,), (2, 3)])
reductions = pytest.mark.parametrize("reduction", ["mean", "sum"])


def labels_for(seed, scores, ignored=None):
    """Class indices, one of them ignored, and a mask of 0, 1 and a fraction: both keep one position at least."""
    rng = np.random.default_rng(seed)
    shape = (scores.shape[0], *scores.shape[2:])
    labels, mask = rng.integers(0, scores.shape[1], shape), rng.choice(np.float32([0, 1, 0.25]), shape)
    if ignored is not None and labels.size > 1:
        labels.flat[0] = ignored
    mask.flat[-1] = 1
    return labels, mask


@reductions
@examples(14)
@given(
    batch=st.integers(1, 3),
    classes=st.integers(1, 5),
    inner=dense,
    smoothing=st.sampled_from([0.1, 0.5, 1.0]),
    weighted=st.booleans(),
    seed=seeds,
)
def test_label_smoothing(reduction, batch, classes, inner, smoothing, weighted, seed):
    scores = values(seed, batch, classes, *inner) * 3
    labels, _ = labels_for(seed, scores, ignored=-100)
    weight = np.random.default_rng(seed).uniform(0.2, 2.0, classes).astype(np.float32) if weighted else None
    settings = {"label_smoothing": smoothing, "reduction": reduction}
    theirs = {**settings, "weight": torch.tensor(weight).double() if weighted else None}
    check(
        losses.cross_entropy(weight=weight, **settings),
        lambda x: F.cross_entropy(x, torch.tensor(labels), **theirs),
        scores,
        [labels],
    )


@reductions
@examples(14)
@given(batch=st.integers(1, 3), inner=dense, smoothing=st.sampled_from([0.0, 0.2]), weighted=st.booleans(), seed=seeds)
def test_masked_cross_entropy(reduction, batch, inner, smoothing, weighted, seed):
    scores = values(seed, batch, 4, *inner) * 3
    labels, mask = labels_for(seed, scores, ignored=2)
    if labels.flat[-1] == 2:
        labels.flat[-1] = 0
    weight = [0.5, 1.0, 2.0, 1.5] if weighted else [1.0] * 4

    def theirs(x):
        t = torch.tensor(labels)
        each = F.cross_entropy(
            x, t, torch.tensor(weight).double(), ignore_index=2, reduction="none", label_smoothing=smoothing
        )
        total = (torch.tensor(weight).double()[t] * torch.tensor(mask) * (t != 2)).sum()
        return (each * torch.tensor(mask)).sum() / (total if reduction == "mean" else 1)

    loss = losses.cross_entropy(
        weight=weight if weighted else None, ignore_index=2, reduction=reduction, label_smoothing=smoothing, mask=True
    )
    check(loss, theirs, scores, [labels, mask])


ELEMENTWISE = {
    "mse": (losses.mse, lambda x, t: (x - t) ** 2),
    "l1": (losses.l1, lambda x, t: (x - t).abs()),
    "bce_with_logits": (
        lambda **more: losses.bce_with_logits(pos_weight=2.5, **more),
        lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="none", pos_weight=torch.tensor(2.5).double()),
    ),
}


@reductions
@pytest.mark.parametrize("ours, theirs", ELEMENTWISE.values(), ids=ELEMENTWISE)
@examples(7)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_masked_elementwise_losses(ours, theirs, reduction, data, shape, seed):
    """The mask has some of the output's axes; the mean is over the elements that it counts."""
    axes = sorted({0} | data.draw(st.sets(st.integers(0, len(shape) - 1))))
    rng = np.random.default_rng(seed)
    scores, target = values(seed, *shape), rng.uniform(0, 1, shape).astype(np.float32)
    mask = rng.choice(np.float32([0, 1, 0.25]), [shape[a] for a in axes])
    mask.flat[-1] = 1
    spread = torch.tensor(mask.reshape([d if a in axes else 1 for a, d in enumerate(shape)])).double().expand(shape)

    def reduced(x):
        total = (theirs(x, torch.tensor(target).double()) * spread).sum()
        return total / spread.sum() if reduction == "mean" else total

    given_axes = [a - len(shape) for a in axes] if seed % 2 else axes
    check(ours(reduction=reduction, mask=True, mask_axes=given_axes), reduced, scores, [target, mask])


def test_masks_work_in_older_opsets():
    scores, target, mask = values(1, 2, 3), values(2, 2, 3), np.float32([1, 0])
    for opset in (13, 17):
        check(
            losses.mse(mask=True, mask_axes=0),
            lambda x: ((x[0] - torch.tensor(target[0]).double()) ** 2).mean(),
            scores,
            [target, mask],
            opset,
        )


def test_smoothed_gradient_against_finite_differences():
    """Compare with the formula itself, and with PyTorch's."""
    scores, labels = values(7, 2, 3, 4), np.array([[0, 2, 1, -1], [1, 1, 2, 0]])
    weight, mask = np.array([0.5, 2.0, 1.0]), np.float32([[1, 0.5, 0, 1], [1, 1, 0.25, 0]])

    def loss(arrays):
        x = arrays["w"]
        log_prob = x - np.log(np.exp(x).sum(1, keepdims=True))
        kept = mask * (labels >= 0)
        target = 0.7 * np.eye(3)[labels] * weight + 0.1 * weight
        each = -(np.moveaxis(log_prob, 1, -1) * target).sum(-1)
        return (each * kept).sum() / (weight[labels] * kept).sum()

    loss_function = losses.cross_entropy(weight.tolist(), ignore_index=-1, label_smoothing=0.3, mask=True)
    with Session(image_of(artifacts_of(loss_function, scores), scores)) as session:
        found = poisoned(session, session.train_step, labels, mask)
        assert_close(found, loss({"w": scores.astype(np.float64)}), 1e-6, "C runtime: loss")
        assert_close(read_gradients(session)["w"], finite_differences(loss, {"w": scores})["w"], 1e-5, "gradient")


MASKED = {**{n: (make, 0.0) for n, (make, _) in ELEMENTWISE.items()}, "cross_entropy": (losses.cross_entropy, 0)}


@pytest.mark.parametrize("make, target", MASKED.values(), ids=MASKED)
def test_nothing_counts(make, target, profile):
    """The loss of a mask of zeros is 0, and so is the gradient: not 0 / 0."""
    scores = values(3, 2, 3)
    labels = np.full((2,) if isinstance(target, int) else (2, 3), target, np.int64 if target == 0 else np.float32)
    labels = labels if isinstance(target, int) else labels.astype(np.float32)
    with Session(image_of(artifacts_of(make(mask=True), scores), scores), profile) as session:
        assert poisoned(session, session.train_step, labels, np.zeros(labels.shape, np.float32)) == 0.0
        np.testing.assert_array_equal(read_gradients(session)["w"], np.zeros((2, 3)))


@pytest.mark.parametrize("label", [3, -1, -(2**31)])
@pytest.mark.parametrize("settings", [{}, {"label_smoothing": 0.1}, {"mask": True}])
def test_dense_label_out_of_range_changes_nothing(label, settings, profile):
    """The last of many labels, masked or not."""
    scores, labels = values(1, 2, 3, 2, 2), np.zeros((2, 2, 2), np.int64)
    labels[1, 1, 1] = label
    more = [np.zeros((2, 2, 2), np.float32)] if "mask" in settings else []
    with Session(image_of(artifacts_of(losses.cross_entropy(**settings), scores), scores), profile) as session:
        before = session.state_sha256()
        with pytest.raises(RuntimeFault) as caught:
            poisoned(session, session.train_step, labels, *more)
        assert caught.value.name == "LABEL_OUT_OF_RANGE"
        assert session.state_sha256() == before


def test_mask_that_is_not_finite_changes_nothing(profile):
    scores = values(1, 2, 3)
    with Session(image_of(artifacts_of(losses.mse(mask=True), scores), scores), profile) as session:
        with pytest.raises(RuntimeFault) as caught:
            poisoned(session, session.train_step, values(2, 2, 3), np.full((2, 3), np.nan, np.float32))
        assert caught.value.name == "NOT_FINITE"
        np.testing.assert_array_equal(np.array(session.parameter("w")), scores)


@pytest.mark.parametrize("make", MASKED)
def test_unreduced_losses_are_masked_too(make):
    """The reduction is none inside a custom loss: the mask is in every element."""
    scores = values(1, 3, 4)
    labels = np.array([0, 3, 1]) if make == "cross_entropy" else values(2, 3, 4)
    mask = np.random.default_rng(0).uniform(0, 1, labels.shape).astype(np.float32)

    def total(builder, y):
        each = MASKED[make][0](mask=True, reduction="none")(builder, y)
        return builder.op("ReduceSum", builder.op("Mul", each, each, name="squares"), name="total", keepdims=0)

    def theirs(x):
        t = torch.tensor(labels) if make == "cross_entropy" else torch.tensor(labels).double()
        each = F.cross_entropy(x, t, reduction="none") if make == "cross_entropy" else ELEMENTWISE[make][1](x, t)
        return ((each * torch.tensor(mask)) ** 2).sum()

    check(total, theirs, scores, [labels, mask])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: losses.cross_entropy(label_smoothing=1.5), "label_smoothing 1.5 - it must be in 0 .. 1"),
        (lambda: losses.mse(mask_axes=(0,)), "mask_axes without mask"),
    ],
)
def test_settings_that_make_no_sense(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("axes", [(0, 2), (0, -2), (1,), ()])
def test_mask_axes_that_the_output_lacks(axes):
    with pytest.raises(ModelError, match=r"mask_axes .* for output 'y'"):
        artifacts_of(losses.l1(mask=True, mask_axes=axes), values(0, 2, 3))
