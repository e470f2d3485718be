"""Weights train by their role in a layer, whatever their numbers are; tables, grids and masks do not train."""

from __future__ import annotations

import logging

import numpy as np
import onnx
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.errors import ModelError
from support.oracle import make_model, node

DRAW = np.random.default_rng(0)
ANGLES = DRAW.normal(size=(5, 4))
MIXED = np.empty((5, 4))
MIXED[:, ::2], MIXED[:, 1::2] = np.sin(ANGLES[:, :2]), np.cos(ANGLES[:, :2])


def drawn(*shape: int) -> np.ndarray:
    return DRAW.normal(size=shape)


def trained(nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], shape: tuple[int, ...], **more) -> set[str]:
    """The names of what trains. constants: by name; `w` is the weight of a layer."""
    model = make_model(
        nodes,
        {n: np.asarray(a, np.int64 if n == "axes" else np.float32) for n, a in constants.items()},
        {"x": ("N", *shape)},
    )
    made = compile_model(model, losses.mse(), optimizers.sgd(0.1), batch=2, **more)
    names = set(Session(made.image).parameter_names())
    assert not names & set(made.left_out)
    return names


LAYER = node("MatMul", "x w", "h")
#: Nodes, constants that do not train, and the input's shape; `w` is (4, 4).
BUFFERS = {
    "mean and std": ([node("Sub", "x mean", "a"), node("Div", "a std", "b"), node("MatMul", "b w", "y")],
                     {"mean": [0.4, 0.51, 0.6, 0.2], "std": [0.2, 0.21, 0.3, 0.7]}, (4,)),
    "mean and 1 / std": ([node("Sub", "x mean", "a"), node("Mul", "a inverse", "b"), node("MatMul", "b w", "y")],
                         {"mean": [0.4, 0.51, 0.6, 0.2], "inverse": [3.2, 4.21, 5.3, 2.7]}, (4,)),
    "rotary tables": ([LAYER, node("Mul", "h cos", "a"), node("Mul", "h sin", "b"), node("Add", "a b", "y")],
                      {"cos": np.cos(ANGLES), "sin": np.sin(ANGLES)}, (5, 4)),
    "rotary tables of unlike terms": ([LAYER, node("Mul", "h c", "a"), node("Relu", "a", "r"), node("Neg", "h", "n"),
                                       node("Mul", "n s", "b"), node("Sub", "r b", "y")],
                                      {"c": 1.1 * np.cos(ANGLES), "s": 1.1 * np.sin(ANGLES)}, (5, 4)),
    "positions of sines and cosines": ([LAYER, node("Add", "h table", "y")], {"table": MIXED}, (5, 4)),
    "mask of -100": ([LAYER, node("Add", "h mask", "a"), node("Softmax", "a", "y", axis=-1)],
                     {"mask": np.triu(np.full((4, 4), -100.0), 1)}, (4, 4)),
    "mask of ones": ([LAYER, node("Mul", "h mask", "y")], {"mask": np.tril(np.ones((4, 4)))}, (4, 4)),
    "centres": ([node("Sub", "x grid", "a"), node("Mul", "a a", "b"), node("Neg", "b", "c"), node("Exp", "c", "d"),
                 node("MatMul", "d w", "y")], {"grid": np.linspace(-1, 1, 4)}, (4,)),
    "knots of each input": ([LAYER, node("Sub", "h grid", "a"), node("Relu", "a", "y")],
                            {"grid": np.linspace([-1, -2, 0.3, 5], [1, 2.3, 0.7, 6], 4, axis=1)}, (4, 4)),
    "frequencies": ([LAYER, node("Mul", "h f", "a"), node("Sin", "a", "y")],
                    {"f": np.tile(10.0 ** (-np.arange(4) / 4), (2, 1))}, (2, 4)),
    "whole numbers": ([LAYER, node("Sub", "h anchors", "y")], {"anchors": DRAW.integers(-9, 9, (2, 4))}, (2, 4)),
    "equal numbers that were computed": ([LAYER, node("Mul", "h val_13", "y")],
                                         {"val_13": np.full((2, 4), 0.3)}, (2, 4)),
}  # fmt: skip
NORMALIZED = [
    node("ReduceMean", "h axes", "m"), node("Sub", "h m", "d"), node("Mul", "d d", "q"),
    node("ReduceMean", "q axes", "v"), node("Add", "v eps", "e"), node("Sqrt", "e", "s"), node("Div", "d s", "n"),
    node("Mul", "n scale", "a"), node("Add", "a shift", "y"),
]  # fmt: skip
#: Nodes, and constants that train though they have the form of a buffer.
ROLES = {
    "a convolution of whole numbers": ([node("Conv", "x k b", "y")],
                                       {"k": DRAW.integers(-3, 3, (2, 3, 2, 2)), "b": [0, 1]}, (3, 4, 4)),
    "a product with cosines": ([node("MatMul", "x c", "a"), node("MatMul", "a s", "y")],
                               {"c": np.cos(ANGLES[:4]), "s": np.sin(ANGLES[:4])}, (4,)),
    "a bias of a grid": ([node("MatMul", "x k", "a"), node("Add", "a b", "y")],
                         {"k": drawn(4, 4), "b": np.linspace(-1, 1, 4)}, (4,)),
    "a bias of a convolution": ([node("Conv", "x k", "a"), node("Add", "a b", "y")],
                                {"k": drawn(3, 3, 2, 2), "b": np.arange(3).reshape(3, 1, 1)}, (3, 4, 4)),
    "a Gemm's": ([node("Gemm", "x k b", "y", transB=1)], {"k": np.eye(4), "b": np.arange(4)}, (4,)),
    "a normalization written out": ([LAYER, *NORMALIZED], {"scale": [1, 2, 3, 4], "shift": np.linspace(0, 1, 4)}, (4,)),
    "a normalization's ones and zeros": ([LAYER, *NORMALIZED], {"scale": np.ones(4), "shift": np.zeros(4)}, (4,)),
    "a normalization": ([LAYER, node("LayerNormalization", "h scale shift", "y")],
                        {"scale": np.ones(4), "shift": np.zeros(4)}, (4,)),
    "slopes": ([LAYER, node("PRelu", "h slope", "y")], {"slope": np.linspace(0.1, 0.4, 4)}, (4,)),
    "gains": ([LAYER, node("Mul", "h gain", "y")], {"gain": np.full(4, 1e-5)}, (4,)),
    "an embedding of zeros and ones": ([node("Cast", "x", "i", to=7), node("Gather", "e i", "y")],
                                       {"e": np.eye(6, 4)}, (3,)),
    "the only layer, a scale and an offset": ([node("Sub", "x offset", "a"), node("Mul", "a factor", "y")],
                                              {"offset": drawn(4), "factor": drawn(4)}, (4,)),
}  # fmt: skip


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers_stay(name: str, caplog: pytest.LogCaptureFixture) -> None:
    nodes, constants, shape = BUFFERS[name]
    caplog.set_level(logging.WARNING)
    assert trained(nodes, {**constants, "w": drawn(4, 4)}, shape) == {"w"}
    assert "trained, though" not in caplog.text


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers_train_if_they_are_named(name: str) -> None:
    nodes, constants, shape = BUFFERS[name]
    known = {**constants, "w": drawn(4, 4)}
    wanted = {n for n in constants if not (n == "mask" and np.min(constants[n]) <= -1e9)}
    scheme = "+".join(["full", *(f"named:{n}" for n in constants)])
    assert trained(nodes, known, shape, scheme=scheme) == {"w", *wanted}


@pytest.mark.parametrize("name", ROLES)
def test_roles_count_before_forms(name: str, caplog: pytest.LogCaptureFixture) -> None:
    nodes, constants, shape = ROLES[name]
    has_layer, used = any("w" in n.input for n in nodes), {name for n in nodes for name in n.input}
    more = {n: a for n, a in {"w": drawn(4, 4), "eps": 1e-5, "axes": [-1]}.items() if n in used}
    caplog.set_level(logging.WARNING)
    assert trained(nodes, {**constants, **more}, shape) == {*constants, *({"w"} if has_layer else set())}


def test_what_has_neither_role_nor_form_trains_and_is_named(caplog: pytest.LogCaptureFixture) -> None:
    nodes = [LAYER, node("Add", "h places", "y")]
    caplog.set_level(logging.WARNING)
    assert trained(nodes, {"w": drawn(4, 4), "places": drawn(5, 4)}, (5, 4)) == {"w", "places"}
    assert "places: trained, though no layer uses it" in caplog.text and "--freeze" in caplog.text
    caplog.clear()
    assert trained(nodes, {"w": drawn(4, 4), "places": drawn(5, 4)}, (5, 4), freeze=["places"]) == {"w"}
    assert trained(nodes, {"w": drawn(4, 4), "places": drawn(5, 4)}, (5, 4), train=["*"]) == {"w", "places"}
    assert "places" not in caplog.text


def test_the_only_constants_of_a_model_train_and_are_named(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    assert trained([node("Mul", "x mask", "y")], {"mask": np.tril(np.ones((4, 4)))}, (4, 4)) == {"mask"}
    assert "mask: trained, though no layer uses it" in caplog.text


def test_a_constant_that_no_output_depends_on_is_refused() -> None:
    """It was a KeyError: with a loss, what nothing needs has been removed."""
    nodes = [LAYER, node("OneHot", "n depth values", "o", axis=-1), node("Relu", "h", "y")]
    constants = {"n": np.array([1]), "depth": np.array([4]), "values": np.array([0.0, 1.0], np.float32)}
    known = {"w": drawn(4, 4).astype(np.float32), **constants}
    model = make_model(nodes, known, {"x": ("N", 4)}, outputs=("y", "o"))
    with pytest.raises(ModelError, match="the loss does not depend on values"):
        build_artifacts(model, ["w", "values"], losses.mse(), loss_inputs=["y"])


def test_an_infinite_weight_is_no_mask() -> None:
    """Without an error, it would silently stay as it is."""
    nodes = [LAYER, node("MatMul", "h v", "y")]
    weight = drawn(4, 4)
    weight[1, 2] = -np.inf
    with pytest.raises(ModelError, match="v"):
        trained(nodes, {"w": drawn(4, 4), "v": weight}, (4,))
    masked = [LAYER, node("Add", "h mask", "a"), node("Softmax", "a", "y", axis=-1)]
    assert trained(masked, {"w": drawn(4, 4), "mask": np.triu(np.full((4, 4), -np.inf), 1)}, (4, 4)) == {"w"}
