"""`gradmote compile` names the operators of a quantized model that compute in float32, why, and what they cost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.ir.program import InFloat
from gradmote.report.image_reports import describe_in_float, in_float
from support.quantized.qdq import QdqWriter, Scale

SIZE = 6


def model(*, softmax: bool, quantized_sum: bool) -> onnx.ModelProto:
    """Return a sum of two quantized inputs, and perhaps a Softmax after it."""
    w = QdqWriter(np.int8)
    x = w.quantize("x", "x", Scale(0.1, 3))
    made = w.node("Add", [x.real, x.real], "sum")
    made = w.quantize("sum", made, Scale(0.2, 0)).real if quantized_sum else made
    made = w.node("Softmax", [made], "softmax") if softmax else made
    return w.model(onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, SIZE]), made)


def reported(network: onnx.ModelProto) -> list[InFloat]:
    return in_float(compile_image(build_artifacts(network), Options(batch=None)).compiled)


def test_nothing_is_told_where_all_runs_in_int8() -> None:
    assert reported(model(softmax=False, quantized_sum=True)) == []
    assert describe_in_float([]) == []


def test_an_operator_without_a_form_on_int8() -> None:
    (found,) = reported(model(softmax=True, quantized_sum=True))
    assert (found.operator, found.reason) == ("Softmax", "it has no form on int8")
    assert (found.elements, found.bytes) == (SIZE, 4 * SIZE)


def test_an_operator_whose_result_is_not_quantized() -> None:
    (found,) = reported(model(softmax=False, quantized_sum=False))
    assert (found.operator, found.reason) == ("Add", "its result is not quantized")
    assert describe_in_float([found]) == [f"in float32: Add sum, {4 * SIZE} B of results: its result is not quantized"]


def test_a_model_of_floats_is_not_told_of() -> None:
    w = QdqWriter()
    made = w.node("Relu", ["x"], "relu")
    assert reported(w.model(onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, SIZE]), made)) == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from gradmote.cli import main

    onnx.save(model(softmax=True, quantized_sum=True), tmp_path / "m.onnx")
    main(["compile", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "m.mote"), "--json"])
    (found,) = json.loads(capsys.readouterr().out)["in_float"]
    assert found["operator"] == "Softmax"
