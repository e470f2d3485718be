"""Any node of ONNX on any values, sensible or not: what cannot be compiled is refused in Gradmote's own words, and no
other error comes through. Constant inputs go through constant folding, the others through the rules."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError
from support.oracle import examples
from support.sampling import draws

COUNT = draws("nodes")
OPSET = 18
FLOAT = TensorProto.FLOAT
SCHEMAS = sorted(
    (
        onnx.defs.get_schema(s.name, OPSET)
        for s in {s.name: s for s in onnx.defs.get_all_schemas() if not s.domain and s.since_version <= OPSET}.values()
        if s.name not in ("If", "Loop", "Scan", "SequenceMap", "Constant")
    ),
    key=lambda schema: schema.name,
)
KINDS = onnx.defs.OpSchema.AttrType


TYPES = {"float": np.float32, "int64": np.int64, "bool": np.bool_}
SHAPES = st.lists(st.integers(0, 3), max_size=4)


@st.composite
def arrays(draw, schema, index, shape):
    """A small array of a type that the input takes, mostly of the shape given: also of rank 0, or without elements."""
    types = schema.inputs[min(index, len(schema.inputs) - 1)].types
    fitting = [dtype for name, dtype in TYPES.items() if f"tensor({name})" in types]
    dtype = draw(st.sampled_from(fitting[:2] or [np.float32]))
    shape = draw(st.sampled_from([shape, shape, shape, shape[1:], [len(shape)], [], draw(SHAPES)]))
    count = int(np.prod(shape))
    return np.array(draw(st.lists(st.integers(-3, 4), min_size=count, max_size=count)), dtype).reshape(shape)


def attributes(draw, schema):
    """Some of the node's attributes, with values that need not make sense."""
    small = st.integers(-2, 3)
    drawn = {
        KINDS.INT: small,
        KINDS.INTS: st.lists(small, max_size=4),
        KINDS.FLOAT: st.sampled_from([0.0, 0.5, -1.0]),
        KINDS.FLOATS: st.lists(st.sampled_from([0.0, 0.5, 2.0]), max_size=4),
        KINDS.STRING: st.sampled_from(["", "linear", "SAME_UPPER", "reflect", "ij->ji", "mean"]),
    }
    for name, attribute in schema.attributes.items():
        if attribute.type in drawn and (attribute.required or draw(st.booleans())):
            yield helper.make_attribute(name, draw(drawn[attribute.type]), attr_type=attribute.type.value)


@st.composite
def models(draw):
    schema = draw(st.sampled_from(SCHEMAS))
    count = draw(st.integers(schema.min_input, min(schema.max_input, max(schema.min_input, 4))))
    shape = draw(SHAPES)
    given_arrays = [draw(arrays(schema, k, shape)) for k in range(count)]
    names = [f"i{k}" for k in range(count)]
    is_data = [draw(st.booleans()) for _ in names]
    outputs = [f"o{k}" for k in range(max(1, min(schema.min_output, 3)))]
    made = helper.make_node(schema.name, names, outputs)
    made.attribute.extend(attributes(draw, schema))
    graph = helper.make_graph(
        [made, helper.make_node("Cast", ["o0"], ["f"], to=FLOAT), helper.make_node("Mul", ["f", "w"], ["y"])],
        "any",
        [value_info(n, a) for n, a, data in zip(names, given_arrays, is_data) if data],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a, data in zip(names, given_arrays, is_data) if not data]
        + [numpy_helper.from_array(np.array([2.0], np.float32), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    return with_output_shape(model)


def with_output_shape(model):
    """A valid model's outputs have a shape: what onnx infers, or a number's."""
    with contextlib.suppress(Exception):  # InferenceError, and what else onnx meets in nodes that make no sense
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    if not model.graph.output[0].type.tensor_type.HasField("shape"):
        model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", FLOAT, []))
    return model


def value_info(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


@settings(examples(COUNT), max_examples=COUNT)
@given(model=models(), trains=st.booleans())
def test_it_compiles_or_is_refused(model, trains):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            loss = losses.mse() if trains else None
            made = build_artifacts(model, None, loss, optimizers.sgd(0.1) if trains else None)
            compile_image(made, Options(batch=None))
        except GradmoteError:
            pass
