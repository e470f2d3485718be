"""onnx's converter gave a Resize of opset 10 the coordinates of newer ones, so that its pictures moved silently; and it
made a row of ones of a vector's Softmax, whose axis did not exist."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

from gradmote import compile_model
from gradmote.errors import ModelError
from gradmote_runtime import Session
from support.oracle import run_ort, values


def model(opset: int, inputs: str, node: str, constants: str = "") -> onnx.ModelProto:
    y = "float[n] y" if inputs == "float[4] x" else "float[n,c,h,w] y"
    text = f'<ir_version: 5, opset_import: ["" : {opset}]> g ({inputs}) => ({y}) {constants} {{ {node} }}'
    return onnx.parser.parse_model(text)


@pytest.mark.parametrize("scales", [(2, 3), (3, 1), (0.6, 0.5), (0.4, 1), (1, 1)])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
@pytest.mark.parametrize("opset", [9, 10])
def test_a_resize_keeps_its_coordinates(opset, mode, scales):
    if opset == 9 and min(scales) < 1:
        pytest.skip("an Upsample grows")
    op_type = "Upsample" if opset == 9 else "Resize"
    constants = f"<float[4] s = {{1, 1, {scales[0]}, {scales[1]}}}>"
    proto = model(opset, "float[1,2,5,6] x", f'y = {op_type}<mode = "{mode}">(x, s)', constants)
    x = values(1, 1, 2, 5, 6)
    with Session(compile_model(proto, batch=1).image) as session:
        ours = np.array(session.infer(x)[0])
    wanted = run_ort(proto, {"x": x})["y"]
    np.testing.assert_allclose(ours.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-6)


def test_one_that_shrinks_and_grows_is_refused():
    constants = "<float[4] s = {1, 1, 0.5, 2}>"
    proto = model(10, "float[1,2,5,6] x", 'y = Resize<mode = "nearest">(x, s)', constants)
    with pytest.raises(ModelError, match="shrinks some axes and widens others"):
        compile_model(proto, batch=1)


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("opset", [9, 11, 12])
def test_the_softmax_of_a_vector_is_refused_as_by_onnxruntime(opset, op_type):
    proto = model(opset, "float[4] x", f"y = {op_type}(x)")
    with pytest.raises(ModelError, match=r"axis 1 does not exist in 'x' of rank 1.*opset 13"):
        compile_model(proto, batch=None)
    with pytest.raises(Exception, match="axis"):
        run_ort(proto, {"x": values(1, 4)})


@pytest.mark.parametrize("axis", [0, -1])
def test_one_along_an_axis_that_exists_is_taken(axis):
    x = values(1, 4)
    proto = model(11, "float[4] x", f"y = Softmax<axis = {axis}>(x)")
    with Session(compile_model(proto, batch=None).image) as session:
        np.testing.assert_allclose(session.infer(x)[0], run_ort(proto, {"x": x})["y"], rtol=1e-5)
