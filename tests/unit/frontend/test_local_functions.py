"""Model-local functions are inlined, and Shape and Cast subgraphs folded, before anything is differentiated."""

import onnx
import onnx.inliner
import onnx.parser

from gradmote.artifacts import build_artifacts
from support.oracle import Case, DoubleModel, check_case, values

MODEL = """
<ir_version: 10, opset_import: ["": 18, "local": 1]>
graph (float[N, 3] x, float[3, 3] w, float[3] b, float[3, 2] v) => (float[N, M] y) {
  first = local.Layer <slope = 0.2> (x, w, b)
  second = local.Layer <slope = 0.7> (first, w, b)
  y = MatMul (second, v)
}
<domain: "local", opset_import: ["": 18]>
Affine (x, w, b) => (y) {
  product = MatMul (x, w)
  y = Add (product, b)
}
<domain: "local", opset_import: ["": 18, "local": 1]>
Layer <slope> (x, w, b) => (y) {
  sum = local.Affine (x, w, b)
  y = LeakyRelu <alpha: float = @slope> (sum)
}
"""

FLATTEN = """
<ir_version: 10, opset_import: ["": 18]>
graph (float[N, 2, 3] x, float[6, 2] w) => (float[N, M] y) {
  shape = Shape (x)
  first = Constant <value_ints = [0]> ()
  one = Constant <value_ints = [1]> ()
  two = Constant <value_ints = [2]> ()
  batch = Gather (shape, first)
  rows = Gather (shape, one)
  columns = Gather (shape, two)
  rows_f = Cast <to = 1> (rows)
  columns_f = Cast <to = 1> (columns)
  features_f = Mul (rows_f, columns_f)
  features = Cast <to = 7> (features_f)
  sizes = Concat <axis = 0> (batch, features)
  flat = Reshape (x, sizes)
  scaled = Div (flat, features_f)
  y = MatMul (scaled, w)
}
"""


def parsed(text, **weights):
    """The model, with the named inputs as initializers."""
    model = onnx.parser.parse_model(text)
    inputs = [i for i in model.graph.input if i.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(a, n) for n, a in weights.items())
    onnx.checker.check_model(model)
    return model


def test_nested_functions_with_attributes_called_twice():
    """The weights of both calls are the same: their gradients add up."""
    model = parsed(MODEL, w=values(1, 3, 3), b=values(2, 3), v=values(3, 3, 2))
    case = Case(model, {"x": values(4, 2, 3)}, batch=2)
    case.double = DoubleModel(onnx.inliner.inline_local_functions(model))  # the reference lacks attributes of functions
    check_case(case)
    assert not {n.domain for n in case.artifacts.inference.graph.node} - {""}
    assert list(case.artifacts.parameters) == ["w", "b", "v"]


def test_shape_and_cast_subgraphs_vanish():
    case = Case(parsed(FLATTEN, w=values(1, 6, 2)), {"x": values(2, 3, 2, 3)}, batch=3)
    check_case(case)
    fixed = parsed(FLATTEN.replace("[N, 2, 3] x", "[4, 2, 3] x"), w=values(1, 6, 2))
    assert {n.op_type for n in build_artifacts(fixed).inference.graph.node} <= {"Reshape", "Div", "Gemm", "MatMul"}
