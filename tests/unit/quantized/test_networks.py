"""The quantized networks of tests and benchmarks are what their modules say, and run in onnxruntime."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest

from support.quantized import by_onnxruntime, exported, mcunet, reference, tensor_pickle
from support.quantized.by_onnxruntime import FORMS, Form

INT8, UINT8 = onnx.TensorProto.INT8, onnx.TensorProto.UINT8


def scores(model: onnx.ModelProto) -> np.ndarray:
    return reference.infer(model, reference.noise(model, 2))[0]


def weight_types(model: onnx.ModelProto) -> set[int]:
    """Return the types of constants that have more than one dimension."""
    return {tensor.data_type for tensor in model.graph.initializer if len(tensor.dims) > 1}


@pytest.mark.parametrize("name", exported.NAMES)
def test_what_other_tools_wrote(name: str) -> None:
    model = exported.network(name)
    onnx.checker.check_model(model, full_check=True)
    assert INT8 in weight_types(model)
    assert len(np.unique(scores(model))) > 2


def test_a_bias_of_zeros_is_also_a_zero_point() -> None:
    """TensorFlow's converter and tf2onnx share equal constants, so that one initializer is weight and zero point."""
    graph = exported.network("quantized_tflite_residual_float32_per_channel").graph
    assert any(node.op_type == "DequantizeLinear" and node.input[0] == node.input[2] for node in graph.node)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms_of_onnxruntime(form: Form) -> None:
    model = by_onnxruntime.network("ds_cnn", form)
    assert weight_types(model) == {INT8 if form.weights == "int8" else UINT8}
    x = by_onnxruntime.samples("ds_cnn", 4, seed=1)
    found = reference.infer(model, {"x": x})
    expected = reference.infer(by_onnxruntime.float_network("ds_cnn"), {"x": x})
    assert np.abs(found[0] - expected[0]).max() < 0.05 * np.abs(expected[0]).max()


@pytest.mark.parametrize("name", mcunet.NETWORKS)
def test_mcunet(name: str) -> None:
    if not mcunet.folder():
        pytest.skip(mcunet.reason())
    model = mcunet.network(name)
    counts = Counter(node.op_type for node in model.graph.node)
    assert counts["Conv"] == {"mbv2-w0.35": 51, "proxyless-w0.3": 60, "mcunet-5fps": 42}[name]
    assert scores(model).shape == (2, 10)
    assert scores(mcunet.network(name, mcunet.Head(classes=None), INT8)).shape == (2, 1000)


# ---- The pickles of those files ------------------------------------------------------------------------------------


class Hostile:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("made",)


def saved(path: Path, value: object) -> Path:
    """Write a file as torch.save() did it with numpy 1, in protocol 2, in which bytes are calls."""
    data = pickle.dumps(value, protocol=2).replace(b"numpy._core", b"numpy.core")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", data)
    return path


def test_arrays_are_read(tmp_path: Path) -> None:
    weight = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
    given = {"weight": weight, "columns": np.asfortranarray(weight), "scales": np.float32([0.5, 2]), "list": [1, None]}
    found = tensor_pickle.read(saved(tmp_path / "file.pkl", given))
    assert found["list"] == [1, None]
    for name in ("weight", "columns", "scales"):
        assert found[name].dtype == given[name].dtype
        np.testing.assert_array_equal(found[name], given[name])


def test_nothing_else_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match="asks for posix.mkdir"):
        tensor_pickle.read(saved(tmp_path / "file.pkl", {"weight": Hostile()}))
    assert not Path("made").exists()
