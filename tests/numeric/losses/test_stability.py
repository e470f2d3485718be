"""Losses at the edges of float32, labels without weight, and what is refused."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError, RuntimeFault
from gradmote_runtime import Session
from support.oracle import make_model, node, poisoned, read_gradients, values


def open_loss(loss, scores, profile):
    model = make_model([node("Identity", "w", "y")], {"w": np.asarray(scores, np.float32)})
    artifacts = build_artifacts(model, ["w"], loss, optimizers.sgd(0.1))
    return Session(compile_image(artifacts, Options(batch=len(scores), accumulate=True)).image, profile)


@pytest.mark.parametrize("logit", [200.0, -200.0, 1e30, -1e30, 0.0, -0.0])
@pytest.mark.parametrize("target", [0.0, 0.3, 1.0])
def test_bce_at_large_logits(logit, target, profile):
    with open_loss(losses.bce_with_logits(pos_weight=2.0), [[logit]], profile) as session:
        loss = poisoned(session, session.train_step, np.array([[target]], np.float32))
        gradient = float(read_gradients(session)["w"][0, 0])
    x = torch.tensor([[logit]], dtype=torch.float64, requires_grad=True)
    expected = F.binary_cross_entropy_with_logits(
        x, torch.tensor([[target]], dtype=torch.float64), pos_weight=torch.tensor(2.0).double()
    )
    expected.backward()
    np.testing.assert_allclose(loss, expected.item(), rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(gradient, x.grad.item(), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("label", [0, 1, 2])
def test_cross_entropy_at_large_scores(label, profile):
    scores = [[1e4, -1e4, 0.0]]
    with open_loss(losses.cross_entropy(), scores, profile) as session:
        loss = poisoned(session, session.train_step, np.array([label]))
        gradient = read_gradients(session)["w"]
    x = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    expected = F.cross_entropy(x, torch.tensor([label]))
    expected.backward()
    assert loss == expected.item()
    np.testing.assert_array_equal(gradient, x.grad.numpy())


@pytest.mark.parametrize("reduction, weight", [("mean", None), ("sum", None), ("mean", [1.0, 2.0, 3.0])])
def test_all_labels_ignored(reduction, weight, profile):
    """Nothing counts: the loss is 0 and so is the gradient (PyTorch's mean is 0 / 0 there)."""
    loss = losses.cross_entropy(weight=weight, ignore_index=9, reduction=reduction)
    with open_loss(loss, values(1, 2, 3), profile) as session:
        assert poisoned(session, session.train_step, np.array([9, 9])) == 0.0
        np.testing.assert_array_equal(read_gradients(session)["w"], np.zeros((2, 3)))


def test_labels_of_weight_zero(profile):
    with open_loss(losses.cross_entropy(weight=[0.0, 1.0, 1.0]), values(1, 2, 3), profile) as session:
        assert poisoned(session, session.train_step, np.array([0, 0])) == 0.0
        np.testing.assert_array_equal(read_gradients(session)["w"], np.zeros((2, 3)))


@pytest.mark.parametrize("label", [3, -1, 2**31 - 1, -(2**31)])
def test_label_out_of_range_changes_nothing(label, profile):
    with open_loss(losses.cross_entropy(), values(1, 2, 3), profile) as session:
        before = session.state_sha256()
        with pytest.raises(RuntimeFault) as caught:
            poisoned(session, session.train_step, np.array([0, label]))
        assert caught.value.name == "LABEL_OUT_OF_RANGE"
        assert session.state_sha256() == before


@pytest.mark.parametrize("name", ["cross_entropy", "mse", "l1", "bce_with_logits"])
def test_reduction_none_is_refused_for_training(name):
    model = make_model([node("Identity", "w", "y")], {"w": values(0, 2, 3)})
    with pytest.raises(ModelError, match="training needs a scalar: use reduction mean or sum"):
        build_artifacts(model, None, losses.LOSSES[name](reduction="none"))


@pytest.mark.parametrize("name", losses.LOSSES)
def test_unknown_reduction_is_refused(name):
    with pytest.raises(ModelError, match="reduction 'average' - use one of none, sum, mean"):
        losses.LOSSES[name](reduction="average")


def test_number_of_class_weights_is_checked():
    model = make_model([node("Identity", "w", "y")], {"w": values(0, 2, 3)})
    with pytest.raises(ModelError, match="2 class weights for 3 classes"):
        build_artifacts(model, None, losses.cross_entropy(weight=[1.0, 2.0]))


def test_cross_entropy_needs_a_class_dimension():
    model = make_model([node("Identity", "w", "y")], {"w": values(0, 3)})
    with pytest.raises(ModelError, match=r"cross-entropy needs \(N, classes, ...\)"):
        build_artifacts(model, None, losses.cross_entropy())


def test_pos_weight_must_match_the_last_dimension():
    with pytest.raises(ModelError, match="pos_weight of shape"):
        open_loss(losses.bce_with_logits([1.0, 2.0]), values(0, 2, 3), "strict")


def test_loss_without_trained_parameters_is_refused():
    model = make_model([node("Add", "x w", "y")], {"w": values(0, 3)}, {"x": ("N", 3)})

    def of_labels_alone(builder, y):
        return builder.op("ReduceSum", losses.label(builder, "target", like=y), name="loss", keepdims=0)

    with pytest.raises(ModelError, match="does not depend on any trained parameter"):
        build_artifacts(model, None, of_labels_alone)
