"""A micro-batch that was refused for its loss had added a part of its gradients, which the next update then met; and
one that was refused for a running variance had written the running mean."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import RuntimeFault
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support.oracle import make_model, node, values

BATCH = 3
LABELS = np.arange(BATCH, dtype=np.int32)


def perceptron():
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("Gemm", "r v c", "y")]
    weights = {"w": values(1, 6, 8), "b": values(2, 8), "v": values(3, 8, 3), "c": values(4, 3)}
    return make_model(nodes, weights, {"x": ("N", 6)})


def two_heads():
    nodes = [node("MatMul", "x v", "y"), node("MatMul", "x w", "z")]
    return make_model(nodes, {"v": values(1, 6, 30), "w": values(2, 6, 1)}, {"x": ("N", 6)}, outputs=("y", "z"))


def normalized():
    weights = {"w": values(1, 6, 4), "scale": values(2, 4), "bias": values(3, 4), "v": values(4, 4, 3)}
    weights |= {"mean": np.zeros(4, np.float32), "var": np.ones(4, np.float32)}
    nodes = [node("MatMul", "x w", "h"), node("BatchNormalization", "h scale bias mean var", "n")]
    return make_model([*nodes, node("MatMul", "n v", "y")], weights, {"x": ("N", 6)})


def image_of(model, loss, **settings: str) -> bytes:
    made = build_artifacts(model, None, loss, optimizers.sgd(0.1), **settings)  # type: ignore[arg-type]
    return compile_image(made, Options(batch=BATCH, accumulate=True)).image


def gradients(session: Session) -> list[bytes]:
    return [bytes(session.gradient(name)) for name in session.parameter_names()]


def refuse(session: Session, *data: object) -> None:
    with pytest.raises(RuntimeFault) as caught:
        session.train_step(*data)
    assert caught.value.name in ("NOT_FINITE", "LABEL_OUT_OF_RANGE")


@pytest.mark.parametrize("number", [1e25, np.nan, np.inf])
def test_the_others_of_its_update_count_as_if_it_had_not_come(number, profile):
    good, target = values(5, BATCH, 6), values(7, BATCH, 3)
    bad = good.copy()
    bad[1, 2] = number
    image = image_of(perceptron(), losses.mse())
    with Session(image, profile) as session, Session(image, profile) as other:
        for each in (session, other):
            each.train_step(good, target)
        refuse(session, bad, target)
        assert session.control()["accumulated"] == 1
        for each in (session, other):
            each.train_step(good[::-1].copy(), target)
            each.optimizer_step()
        assert bytes(session.parameters()) == bytes(other.parameters())


@pytest.mark.parametrize("label", [-1, 30, 2**31 - 1])
def test_a_label_is_refused_before_another_part_of_the_loss_has_gradients(label, profile):
    def of_both(builder, y, z):
        square = builder.op("ReduceMean", builder.op("Mul", z, z, name="square"), name="mean", keepdims=0)
        return builder.op("Add", square, losses.cross_entropy()(builder, y), name="total")

    with Session(image_of(two_heads(), of_both), profile) as session:
        session.train_step(values(5, BATCH, 6), LABELS)
        before = gradients(session)
        refuse(session, values(6, BATCH, 6), np.array([0, 1, label], np.int32))
        assert gradients(session) == before


def test_a_variance_that_overflows_leaves_the_mean(profile):
    image = image_of(normalized(), losses.cross_entropy(), batch_norm="batch")
    entries = [e for e in read_image(image).state if e["role"] == "statistic"]
    with Session(image, profile) as session:
        session.train_step(values(5, BATCH, 6), LABELS)
        before = [bytes(session.state()[e["offset"] :][: e["size"]]) for e in entries]
        refuse(session, values(6, BATCH, 6) * np.float32(1e25), LABELS)
        assert [bytes(session.state()[e["offset"] :][: e["size"]]) for e in entries] == before
