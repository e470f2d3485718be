"""gradmote.quantize_model and `gradmote compile --quantize`: a float model becomes QDQ, and its names stay."""

from __future__ import annotations

import builtins
from pathlib import Path

import numpy as np
import onnx
import pytest

import gradmote
from gradmote import cli, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.errors import DataError, ModelError
from gradmote.formats.image import read_image
from support.oracle import make_model, node
from support.quantized import by_onnxruntime, reference


def small() -> onnx.ModelProto:
    """A convolution with a BatchNormalization, a Relu and a dense layer."""
    rng = np.random.default_rng(0)
    weights = {
        "conv.w": rng.normal(0, 0.4, (4, 2, 3, 3)), "scale": rng.uniform(0.5, 1.5, 4), "shift": rng.normal(0, 0.2, 4),
        "mean": rng.normal(0, 0.2, 4), "var": rng.uniform(0.5, 1.5, 4), "head.w": rng.normal(0, 0.4, (3, 4)),
        "head.b": rng.normal(0, 0.1, 3),
    }  # fmt: skip
    nodes = [
        node("Conv", "x conv.w", "c", pads=[1, 1, 1, 1]), node("BatchNormalization", "c scale shift mean var", "n"),
        node("Relu", "n", "r"), node("GlobalAveragePool", "r", "p"), node("Flatten", "p", "f"),
        node("Gemm", "f head.w head.b", "y", transB=1),
    ]  # fmt: skip
    return make_model(nodes, {n: a.astype(np.float32) for n, a in weights.items()}, {"x": ("N", 2, 5, 5)}, opset=17)


def samples(count: int = 32) -> np.ndarray:
    return np.random.default_rng(1).normal(0, 1, (count, 2, 5, 5)).astype(np.float32)


@pytest.mark.parametrize("activations", ["int8", "uint8"])
def test_names_are_those_of_the_float_model(activations: str) -> None:
    model = gradmote.quantize_model(small(), samples(), activations=activations)
    onnx.checker.check_model(model, full_check=True)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd())
    types = {name: array.dtype.name for name, array in made.parameters.items()}
    assert types == {"conv.w": "int8", "shift": "int32", "head.w": "int8", "head.b": "int32"}
    scores, expected = (reference.infer(m, {"x": samples(8)})[0] for m in (model, small()))
    assert np.abs(scores - expected).max() < 0.05 * np.abs(expected).max()


def test_a_real_network() -> None:
    x = by_onnxruntime.samples("ds_cnn", 8)
    model = gradmote.quantize_model(by_onnxruntime.float_network("ds_cnn"), x)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd())
    assert sum(array.dtype == np.int8 for array in made.parameters.values()) == 10
    assert np.array_equal(reference.infer(made.inference, {"x": x})[0], reference.infer(model, {"x": x})[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (samples()[:, :1], r"calibration samples for 'x' are float32 \[32, 1, 5, 5\]"),
        (samples().astype(np.float64), r"float64 \[32, 2, 5, 5\]"),
        (np.full((1, 2, 5, 5), np.nan, np.float32), "not all finite"),
        ({"z": samples()}, "calibration samples for z"),
        (samples(0), "0 calibration samples"),
    ],
)
def test_samples_that_do_not_fit(given: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gradmote.quantize_model(small(), given)


def test_what_cannot_be_quantized() -> None:
    with pytest.raises(ModelError, match="activations are 'int4'"):
        gradmote.quantize_model(small(), samples(), activations="int4")
    with pytest.raises(ModelError, match="quantized already"):
        gradmote.quantize_model(gradmote.quantize_model(small(), samples()), samples())


def test_without_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: object) -> object:
        if name.startswith("onnxruntime"):
            raise ImportError(f"No module named '{name}'")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ModelError, match="onnxruntime, which quantizes models, is missing"):
        gradmote.quantize_model(small(), samples())


# ---- The command line -----------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    onnx.save(small(), tmp_path / "model.onnx")
    np.savez(tmp_path / "samples.npz", x=samples(), y=np.zeros(32, np.int64))
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    return cli.main(["compile", str(folder / "model.onnx"), *arguments])


def test_compile_quantizes(folder: Path) -> None:
    assert run(folder, "--quantize", "--calibrate", str(folder / "samples.npz")) == 0
    written = onnx.load(folder / "model.quantized.onnx")
    assert any(n.op_type == "DequantizeLinear" for n in written.graph.node)
    assert read_image((folder / "model.mote").read_bytes()).programs[0]["kind"] == "infer"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--quantize"], "--quantize without --calibrate"),
        (["--calibrate", "samples.npz"], "--calibrate without --quantize"),
        (["--weights", "int16", "--loss", "cross_entropy"], "no int8 weight trains"),
        (["--float-head", "--loss", "cross_entropy"], "the last layer has no quantized weight"),
    ],
)
def test_options_that_do_not_fit(
    folder: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, *arguments) != 0
    assert said in capsys.readouterr().err
    assert not (folder / "model.mote").exists()
