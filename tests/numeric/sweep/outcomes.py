"""A drawn node, by us and by others: equal to onnxruntime's result, refused, or different."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
import onnx.version_converter
from numeric.sweep.draws import Draw
from onnx import TensorProto, numpy_helper

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError
from gradmote.onnx_backend import runtime_array
from gradmote_runtime import Session
from support.oracle import (
    DOUBLE_TOLERANCE,
    STEP,
    Arrays,
    DoubleModel,
    finite_differences,
    poisoned,
    projection,
    read_gradients,
    run_ort_plainly,
    run_reference,
)

#: The oldest opset whose operators onnxruntime has all.
ORT_OPSET = 7
#: The opset to convert to, for those older than it.
CONVERTED = 13


@dataclass(frozen=True)
class Outcome:
    """kind: one of KINDS. said: the refusal, or how results differ."""

    kind: str
    said: str = ""


#: What may become of a draw, and whether it needs an explanation.
KINDS = {
    "equal": False,  # inference and gradients
    "inference": False,  # inference; nothing of it has a gradient, or float64 cannot run it
    "no gradient": False,  # inference; training is refused
    "refused": False,  # by us
    "invalid": False,  # by the others, and by us
    "definition": True,  # equal to ONNX's definition, and other than onnxruntime or its reference
    "alone": True,  # taken by us alone
    "different": True,
    "gradient": True,
    "crash": True,
}


def outcome(draw: Draw) -> Outcome:
    """Run one draw everywhere."""
    wanted = {name: found for name, run in ORACLES.items() if (found := result(draw, run)) is not None}
    draw.result = next((array.shape for array in wanted.values()), None)
    try:
        ours = inferred(draw)
    except GradmoteError as refusal:
        return Outcome("refused" if wanted else "invalid", str(refusal))
    except Exception as error:  # what a user must never see
        return Outcome("crash", f"{type(error).__name__}: {error}")
    if not wanted:
        return Outcome("alone", f"{ours.shape}")
    said = {name: difference(ours, array) for name, array in wanted.items()}
    first = next(iter(said))
    if said[first] is not None:
        kind = "definition" if said.get("definition", "") is None else "different"
        return Outcome(kind, f"from {first}, {said[first]}")
    return trained(draw, wanted[first])


def result(draw: Draw, run: Callable[[Draw], np.ndarray]) -> np.ndarray | None:
    """Return another's result; None if it refuses the model."""
    try:
        return np.asarray(run(draw), np.float32)
    except Exception:  # each has exceptions of its own
        return None


def converted(draw: Draw) -> np.ndarray:
    """Return onnxruntime's result of an operator that it has in newer opsets alone."""
    if draw.opset >= ORT_OPSET:
        raise ValueError("onnxruntime has this opset")
    model = onnx.version_converter.convert_version(draw.model(fixed=False), CONVERTED)
    return run_ort_plainly(model, {**draw.floats, **draw.others})["y"]


def broadcast(draw: Draw) -> np.ndarray:
    """Return the result of an operator whose second operand broadcasts at an axis, as before opset 7."""
    if draw.opset >= ORT_OPSET or draw.op_type not in BROADCAST:
        raise ValueError("operands broadcast as in NumPy")
    x, b = draw.floats.values()
    axis = draw.attributes.get("axis", 1 if draw.op_type == "PRelu" else x.ndim - b.ndim)
    return BROADCAST[draw.op_type](x, b.reshape(*b.shape, *(1,) * (x.ndim - b.ndim - axis)))


#: Operators whose operands broadcast -> their formula.
BROADCAST: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "Add": np.add,
    "Div": np.divide,
    "Mul": np.multiply,
    "PRelu": lambda x, slope: np.where(x < 0, slope * x, x),
    "Pow": np.power,
    "Sub": np.subtract,
}
#: Others, in the order in which they are believed. `definition` has what tests/support defines tap by tap.
ORACLES: dict[str, Callable[[Draw], np.ndarray]] = {
    "onnxruntime": lambda draw: run_ort_plainly(draw.model(fixed=False), {**draw.floats, **draw.others})["y"],
    "converted": converted,
    "reference": lambda draw: run_reference(draw.model(fixed=False), {**draw.floats, **draw.others})["y"],
    "definition": lambda draw: DoubleModel(draw.model(fixed=True))(draw.others)[0],
    "broadcast": broadcast,
}


def difference(ours: np.ndarray, wanted: np.ndarray) -> str | None:
    """Return how two results differ; None if they do not."""
    if ours.shape != wanted.shape:
        return f"shape {ours.shape}, wanted {wanted.shape}"
    finite = np.isfinite(wanted)
    if not np.array_equal(np.where(finite, 0, ours), np.where(finite, 0, wanted), equal_nan=True):
        return f"{ours[~finite]}, wanted {wanted[~finite]}"
    largest = max(np.abs(wanted[finite]).max(initial=0.0), 1e-2)
    error = np.abs(ours[finite] - wanted[finite]).max(initial=0.0) / largest
    return None if error <= DOUBLE_TOLERANCE else f"error {error:.1e}: {ours.ravel()[:6]}, wanted {wanted.ravel()[:6]}"


def inferred(draw: Draw) -> np.ndarray:
    """Return our result. Raises GradmoteError."""
    made = build_artifacts(draw.model(fixed=False))
    data = (*draw.floats.values(), *draw.others.values())
    with Session(compile_image(made, Options(batch=None)).image) as session:
        return np.array(poisoned(session, session.infer, *map(runtime_array, data))[0], np.float32)


def trained(draw: Draw, wanted: np.ndarray) -> Outcome:
    """Compare gradients with finite differences."""
    model = draw.model(fixed=True)
    double = in_double(draw, model, wanted)
    if not draw.floats or double is None or draw.op_type == "Dropout":  # whose masks are our own
        return Outcome("inference")
    rng = np.random.default_rng(1)
    factors = np.asarray(rng.uniform(0.5, 1.5, wanted.shape), np.float32)
    try:
        made = build_artifacts(model, list(draw.floats), projection(factors), optimizers.sgd(0.1))
        session = Session(compile_image(made, Options(batch=None, accumulate=True)).image)
    except GradmoteError as refusal:
        return Outcome("no gradient", str(refusal))
    except Exception as error:
        return Outcome("crash", f"{type(error).__name__}: {error}")
    with session:
        poisoned(session, session.train_step, *map(runtime_array, draw.others.values()))
        gradients = read_gradients(session)

    def loss(point: Arrays) -> float:
        return float((double(point) * factors).sum())

    expected = finite_differences(loss, draw.floats)
    said = gradients_differ(gradients, expected)
    if said is not None and gradients_differ(finite_differences(loss, draw.floats, STEP / 8), expected) is not None:
        return Outcome("inference", "the result bends within the differences' step, or is not in float64 inside")
    return Outcome("equal") if said is None else Outcome("gradient", said)


def gradients_differ(found: Arrays, expected: Arrays) -> str | None:
    """Return how the first gradient differs; None if none does."""
    for name, gradient in found.items():
        if name in expected and (said := difference(gradient.astype(np.float64), expected[name])) is not None:
            return f"{name}: {said}"
    return None


def in_double(draw: Draw, model: onnx.ModelProto, wanted: np.ndarray) -> Callable[[Arrays], np.ndarray] | None:
    """Return a function of the floats in float64, by onnxruntime or onnx's reference; None if neither has it."""
    for make in (by_onnxruntime, by_reference):
        try:
            made = make(draw, model)
            ways = {n: np.random.default_rng(2).normal(0, STEP, a.shape) for n, a in draw.floats.items()}
            near = [made({n: a.astype(np.float64) + k * ways[n] for n, a in draw.floats.items()}) for k in range(3)]
            bend = np.abs(near[2] - 2 * near[1] + near[0]).max(initial=0.0)  # of float32 inside, some 1e-7
            is_double = bend <= 1e-8 * max(np.abs(near[0]).max(initial=0.0), 1.0) and is_finer_than_float32(near[1])
            if is_double and difference(near[0], wanted.astype(np.float64)) is None:
                return made
        except Exception:  # an operator without a kernel for doubles
            continue
    return None


def is_finer_than_float32(array: np.ndarray) -> bool:
    """Return whether an element is not a float32: a normalization of two elements bends for neither type."""
    return bool((array != array.astype(np.float32)).any())


def by_onnxruntime(draw: Draw, model: onnx.ModelProto) -> Callable[[Arrays], np.ndarray]:
    import onnxruntime

    wide = draw.model(fixed=False)
    del wide.graph.value_info[:]
    for held in wide.graph.initializer:
        array = numpy_helper.to_array(held)
        if array.dtype == np.float32 and held.name != "scales":
            held.CopyFrom(numpy_helper.from_array(array.astype(np.float64), held.name))
    for value in (*wide.graph.input, *wide.graph.output):
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for cast in wide.graph.node:
        if cast.op_type == "Cast" and cast.attribute[0].i == TensorProto.FLOAT:
            cast.attribute[0].i = TensorProto.DOUBLE
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(wide.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def run(point: Arrays) -> np.ndarray:
        widened = {name: np.asarray(array, np.float64) for name, array in point.items()}
        others = {n: a.astype(np.float64) if a.dtype == np.float32 else a for n, a in draw.others.items()}
        return np.asarray(session.run(None, {**widened, **others})[0])

    return run


def by_reference(draw: Draw, model: onnx.ModelProto) -> Callable[[Arrays], np.ndarray]:
    double = DoubleModel(model)
    return lambda point: np.asarray(double({**point, **draw.others})[0])
