"""Weights that an exporter took apart train as one again, and copies have the weight's numbers in the trained model."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from gradmote import Session, cli, compile_model, losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.errors import ModelError
from support.oracle import make_model, node

W = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
X = np.random.default_rng(1).normal(size=(2, 4)).astype(np.float32)
FIRST = node("Gemm", "x e.weight", "h", transB=1)
#: The copy, and the nodes that take it to `y` of (N, 4); then those that make it of the weight.
COPIES = {
    "transposed": (W.T, [node("MatMul", "x copy", "g"), node("Add", "g h", "y")],
                   [node("Transpose", "e.weight", "copy")]),
    "equal": (W, [node("MatMul", "h copy", "y")], [node("Identity", "e.weight", "copy")]),
    "reshaped": (W.reshape(4, 6), [node("MatMul", "x copy", "g"), node("Add", "g h", "y")],
                 [node("Reshape", "e.weight shape", "copy")]),
    "transposed and reshaped": (W.T.reshape(6, 4), [node("MatMul", "h copy", "y")],
                                [node("Transpose", "e.weight", "t"), node("Reshape", "t other", "copy")]),
    "a part": (W[1:5], [node("MatMul", "x copy", "g"), node("MatMul", "g copy", "y"), node("Relu", "h", "unused")],
               [node("Slice", "e.weight one five zero", "copy")]),
}  # fmt: skip
SHAPES = {"shape": np.array([4, 6]), "other": np.array([6, 4]), "one": np.array([1]), "five": np.array([5]),
          "zero": np.array([0])}  # fmt: skip


def model(name: str, copy: str = "val_1", weight: str = "e.weight") -> onnx.ModelProto:
    """Return the model as an exporter writes it, with the copy as an initializer."""
    array, nodes, _ = COPIES[name]
    made = make_model(
        renamed([FIRST, *nodes], {"copy": copy, "e.weight": weight}), {weight: W, copy: array}, {"x": ("N", 4)}
    )
    onnx.checker.check_model(made)
    return made


def as_meant(name: str) -> onnx.ModelProto:
    """Return the same model, with the copy as the nodes that make it."""
    _, nodes, making = COPIES[name]
    shapes = {n: a for n, a in SHAPES.items() if any(n in made.input for made in making)}
    return make_model([FIRST, *making, *nodes], {"e.weight": W, **shapes}, {"x": ("N", 4)})


def renamed(nodes: list[onnx.NodeProto], names: dict[str, str]) -> list[onnx.NodeProto]:
    found = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    for made in found:
        made.input[:] = [names.get(n, n) for n in made.input]
    return found


def trained(proto: onnx.ModelProto, **more) -> Session:
    session = Session(compile_model(proto, losses.mse(), optimizers.sgd(0.05), batch=2, **more).image)
    label = np.zeros((2, 6 if "Add" in {n.op_type for n in proto.graph.node} else 4), np.float32)
    for _ in range(3):
        session.step(X, label)
    return session


def weights_of(proto: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {t.name: numpy_helper.to_array(t) for t in proto.graph.initializer}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("copy", ["val_1", "onnx::MatMul_12", "t", "permute_3"])
def test_a_copy_trains_with_its_weight(name: str, copy: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    session = trained(model(name, copy))
    assert session.parameter_names() == ["e.weight"]
    assert f"'{copy}' is a copy of 'e.weight'" in caplog.text and "--untie" in caplog.text
    assert bytes(session.state()) == bytes(trained(as_meant(name)).state())


@pytest.mark.parametrize("name", COPIES)
def test_the_trained_model_has_the_numbers_in_both(name: str) -> None:
    session = trained(model(name))
    made = trained_model(model(name), session.save())
    engine = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(engine.run(None, {"x": X})[0], session.infer(X)[0], rtol=1e-5, atol=1e-6)
    assert not np.array_equal(weights_of(made)["e.weight"], W)


@pytest.mark.parametrize("name", COPIES)
def test_untie_leaves_them_apart(name: str) -> None:
    session = trained(model(name), untie=True)
    assert len(session.parameter_names()) >= 2
    made = trained_model(model(name), session.save())
    engine = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(engine.run(None, {"x": X})[0], session.infer(X)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in COPIES if name != "a part"])
def test_equal_weights_with_names_of_their_own_stay_two(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    session = trained(model(name, "d.weight"))
    assert session.parameter_names() == ["e.weight", "d.weight"]
    assert "the same numbers at the start, and trained apart: e.weight and d.weight" in caplog.text
    assert "copy of" not in caplog.text


@pytest.mark.parametrize("name", COPIES)
def test_a_pair_is_tied_if_it_is_named(name: str) -> None:
    pair = [("e.weight", "d.weight")]
    session = trained(model(name, "d.weight"), tie=pair)
    assert session.parameter_names() == ["e.weight"]
    assert bytes(session.state()) == bytes(trained(as_meant(name)).state())
    made = trained_model(model(name, "d.weight"), session.save(), tie=pair)
    engine = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(engine.run(None, {"x": X})[0], session.infer(X)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("pair", "said"),
    [(("e.weight", "no"), "no weight is called 'no'"), (("e.weight", "other"), "'other' is not a copy of 'e.weight'")],
)
def test_what_cannot_be_tied_is_refused(pair: tuple[str, str], said: str) -> None:
    proto = make_model(
        [FIRST, node("MatMul", "h other", "y")],
        {"e.weight": W, "other": np.arange(24, dtype=np.float32).reshape(6, 4)},
        {"x": ("N", 4)},
    )
    with pytest.raises(ModelError, match=said):
        trained(proto, tie=[pair])
    with pytest.raises(ModelError, match="both untie and tie"):
        trained(proto, tie=[pair], untie=True)


def test_small_and_constant_ones_are_equal_by_chance() -> None:
    proto = make_model(
        [
            FIRST,
            node("Add", "h b", "c"),
            node("Mul", "c val_3", "d"),
            node("MatMul", "d one", "e"),
            node("MatMul", "e val_4", "y"),
        ],
        {
            "e.weight": W,
            "b": W[:, 0],
            "val_3": W[:, 0],
            "one": np.ones((6, 6), np.float32),
            "val_4": np.ones((6, 6), np.float32),
        },
        {"x": ("N", 4)},
    )
    made = compile_model(proto, losses.mse(), optimizers.sgd(0.05), batch=2)
    assert set(Session(made.image).parameter_names()) == {"e.weight", "b", "val_3", "one", "val_4"}


def test_the_command_line_ties(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, image = tmp_path / "model.onnx", tmp_path / "model.mote"
    onnx.save(model("equal", "d.weight"), path)
    given = ["compile", str(path), "--loss", "mse", "--optimizer", "sgd", "-o", str(image)]
    assert cli.main([*given, "--tie", "e.weight,d.weight"]) == 0
    with Session(image.read_bytes()) as session:
        assert session.parameter_names() == ["e.weight"]
        (tmp_path / "trained.gmck").write_bytes(session.save())
    assert (
        cli.main(
            [
                "export",
                str(path),
                str(tmp_path / "trained.gmck"),
                "-o",
                str(tmp_path / "out.onnx"),
                "--tie",
                "e.weight,d.weight",
            ]
        )
        == 0
    )
    assert cli.main([*given, "--tie", "e.weight"]) == 1
    assert "not two names" in capsys.readouterr().err


# ---- As PyTorch's exporters write them -------------------------------------------------------------------------------

#: What a module may do to a weight of 16 x 16, and an exporter computes: a part or another form of its numbers.
VIEWS = {
    "t": lambda w: w.t(),
    "T": lambda w: w.T,
    "transpose": lambda w: w.transpose(0, 1),
    "permute": lambda w: w.permute(1, 0),
    "movedim": lambda w: w.movedim(0, 1),
    "swapaxes": lambda w: w.swapaxes(0, 1),
    "contiguous": lambda w: w.t().contiguous(),
    "reshape": lambda w: w.reshape(4, 64),
    "view": lambda w: w.view(64, 4),
    "flatten": lambda w: w.flatten(),
    "unflatten": lambda w: w.unflatten(0, (4, 4)),
    "slice": lambda w: w[:, 4:12],
    "rows": lambda w: w[3:9],
    "select": lambda w: w[2:3],
    "narrow": lambda w: w.narrow(1, 2, 8),
    "chunk": lambda w: w.chunk(2, 0)[1],
    "split": lambda w: w.split(8, 1)[0],
    "unsqueeze": lambda w: w.unsqueeze(0),
    "another use": lambda w: w,
}


@pytest.mark.parametrize("dynamo", [True, False], ids=["torch.export", "TorchScript"])
def test_each_view_of_a_weight_is_the_weight(dynamo: bool, tmp_path: Path) -> None:
    """Each weight is used twice, once in another form. After two steps all weights are those of PyTorch."""
    import torch

    torch.manual_seed(0)

    class Viewed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = torch.nn.ParameterList([torch.randn(16, 16) / 8 for _ in VIEWS])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            scale, y = x.mean(), x
            for weight, view in zip(self.weights, VIEWS.values(), strict=True):
                y = torch.tanh(y @ weight) + (view(weight) * scale).sum()
            return y

    net, path, x = Viewed(), tmp_path / "viewed.onnx", torch.randn(2, 16)
    torch.onnx.export(net.eval(), (x,), path, input_names=["x"], output_names=["y"], dynamo=dynamo)
    made = compile_model(path, losses.mse(), optimizers.sgd(0.01), batch=2)
    own = dict(net.named_parameters())
    assert {p.name for p in made.compiled.parameters} == set(own)
    optimizer, session = torch.optim.SGD(net.parameters(), 0.01), Session(made.image)
    for _ in range(2):
        optimizer.zero_grad()
        (net(x) ** 2).mean().backward()
        optimizer.step()
        session.step(x.numpy(), np.zeros((2, 16), np.float32))
    for name, weight in own.items():
        np.testing.assert_allclose(session.parameter(name), weight.detach().numpy(), rtol=1e-4, atol=1e-6)
