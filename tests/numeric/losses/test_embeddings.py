"""Contrastive and triplet loss against PyTorch in float64, through models whose towers share their weights."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError
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
    values,
)


def encoder(count, opset=18):
    """One encoder x W over `count` inputs x0, x1, ...: outputs y0, y1, ... with one weight."""
    nodes = [node("MatMul", f"x{i} w", f"y{i}") for i in range(count)]
    inputs = {f"x{i}": ("N", 3) for i in range(count)}
    return make_model(nodes, {"w": values(1, 3, 2)}, inputs, [f"y{i}" for i in range(count)], opset)


def check(loss, theirs, data, label=(), opset=18):
    """theirs: of the embeddings, float64 tensors."""
    artifacts = build_artifacts(encoder(len(data), opset), None, loss, optimizers.sgd(0.1))
    w = torch.tensor(values(1, 3, 2), dtype=torch.float64, requires_grad=True)
    expected = theirs(*(torch.tensor(x).double() @ w for x in data))
    expected.backward()
    names = [i.name for i in artifacts.training.graph.input if i.name != "w"]
    outputs = run_ort(artifacts.training, dict(zip(names, [*data, *label], strict=True)))
    assert_close(outputs["loss"], expected.item(), 1e-5, "onnxruntime: loss", 0.1)
    assert_close(outputs["w_grad"], w.grad.numpy(), 1e-5, "onnxruntime: loss gradient", 0.1)
    image = compile_image(artifacts, Options(batch=len(data[0]), accumulate=True)).image
    for profile in host_profiles():
        with Session(image, profile) as session:
            loss = poisoned(session, session.train_step, *data, *label)
            assert_close(loss, expected.item(), 1e-5, "C runtime: loss", 0.1)
            assert_close(read_gradients(session)["w"], w.grad.numpy(), 1e-5, "C runtime: loss gradient", 0.1)


def contrastive_in_torch(a, b, same, margin, reduction):
    d = F.pairwise_distance(a, b)
    each = same * d**2 + (1 - same) * (margin - d).clamp(min=0) ** 2
    return getattr(each, reduction)()


margins = st.sampled_from([0.5, 1.0, 4.0])
reductions = pytest.mark.parametrize("reduction", ["mean", "sum"])


@reductions
@examples(10)
@given(batch=st.integers(1, 5), margin=margins, seed=seeds)
def test_contrastive(reduction, batch, margin, seed):
    same = np.random.default_rng(seed).choice(np.float32([0, 1]), batch)
    theirs = lambda a, b: contrastive_in_torch(a, b, torch.tensor(same).double(), margin, reduction)
    check(losses.contrastive(margin, reduction), theirs, [values(seed, batch, 3), values(seed + 1, batch, 3)], [same])


@reductions
@examples(10)
@given(batch=st.integers(1, 5), margin=margins, seed=seeds)
def test_triplet(reduction, batch, margin, seed):
    data = [values(seed + i, batch, 3) for i in range(3)]
    theirs = lambda *e: F.triplet_margin_loss(*e, margin=margin, reduction=reduction)
    check(losses.triplet(margin, reduction), theirs, data)


def test_older_opsets():
    data = [values(i, 2, 3) for i in range(3)]
    check(losses.triplet(), lambda *e: F.triplet_margin_loss(*e), data, opset=13)


def test_equal_embeddings_have_a_finite_gradient():
    """At distance 0 the root has no slope; the small shift keeps it away from there."""
    x = values(3, 4, 3)
    same = np.float32([0, 1, 0, 1])
    check(
        losses.contrastive(),
        lambda a, b: contrastive_in_torch(a, b, torch.tensor(same).double(), 1.0, "mean"),
        [x, x],
        [same],
    )


def test_training_pulls_the_alike_together_and_pushes_others_apart():
    rng = np.random.default_rng(0)
    anchor = rng.normal(size=(8, 3)).astype(np.float32)
    positive, negative = anchor + np.float32([0, 0, 2]), anchor + np.float32([1, 0, 0])
    made = build_artifacts(encoder(3), None, losses.triplet(1.0), optimizers.sgd(0.05))
    with Session(compile_image(made, Options(batch=8)).image) as session:
        first = session.step(anchor, positive, negative)
        for _ in range(200):
            last = session.step(anchor, positive, negative)
        a, p, n = (np.array(y) for y in session.infer(anchor, positive, negative))
    assert first > 1 and last < 0.05
    assert (np.linalg.norm(a - p, axis=1) + 0.8 < np.linalg.norm(a - n, axis=1)).all()


@pytest.mark.parametrize("make, count", [(losses.contrastive, 2), (losses.triplet, 3)])
def test_reduction_none_and_wrong_numbers_of_outputs_are_refused(make, count):
    with pytest.raises(ModelError, match="training needs a scalar: use reduction mean or sum"):
        build_artifacts(encoder(count), None, make(reduction="none"))
    with pytest.raises(ModelError, match="the loss does not take 1 outputs"):
        build_artifacts(encoder(1), None, make())
