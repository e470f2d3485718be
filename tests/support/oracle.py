"""Independent oracles for Gradmote's results: float64 finite differences, onnxruntime, onnx.reference.

A `Case` is a small model, its data and a loss. `check_case` compares everything that Gradmote computes for it:

    float64 finite differences  ~  onnxruntime on our training model  ~  the C runtime, in both numerics profiles
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import onnx
import onnx.reference
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx.reference.ops import op_erf

from gradmote import optimizers
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.losses import Loss, label
from gradmote.optimizers import Optimizer
from gradmote_runtime import Session
from gradmote_runtime.library import PROFILES, cpu_has_fma
from support.naive_normalizations import NAIVE as NORMALIZATIONS
from support.naive_places import NAIVE as PLACES
from support.naive_recurrent import NAIVE as RECURRENT
from support.naive_windows import NAIVE as WINDOWS
from support.sampling import at_most

#: Half the distance of a central difference; in float64 its error is about 1e-10.
STEP = 1e-5
#: Largest error against float64, relative to the largest element: the error of float32 arithmetic.
DOUBLE_TOLERANCE = 1e-4
#: The same between two float32 implementations of one formula.
SINGLE_TOLERANCE = 2e-5

Arrays = dict[str, np.ndarray]


# ---- Models ----------------------------------------------------------------------------------------------------


def node(op_type: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """Return a node; names are separated by spaces, and `-` means an absent input."""
    given = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(op_type, given, outputs.split(), **attributes)


def make_model(
    nodes: Sequence[onnx.NodeProto],
    weights: Mapping[str, Any],
    inputs: Mapping[str, Sequence[int | str]] | None = None,
    outputs: Sequence[str] = ("y",),
    opset: int = 18,
) -> onnx.ModelProto:
    """Return a model with float32 (or int64) initializers `weights`, float32 inputs by shape, and float32 outputs."""
    graph = helper.make_graph(
        list(nodes),
        "case",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)) for name, shape in (inputs or {}).items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model, data_prop=True)  # a valid model's outputs have a shape


def projection(weights: np.ndarray) -> Loss:
    """Return the loss sum(y weights): its gradient with respect to y is `weights`, so every element of y counts. If
    the shape of y is symbolic, the weights are a label, which the caller feeds."""

    def loss(builder, y):
        fixed = y.shape is not None and y.shape.is_static()
        factors = builder.constant(weights, "projection") if fixed else label(builder, "projection", like=y)
        return builder.op("ReduceSum", builder.op("Mul", y, factors, name="projected"), name="loss", keepdims=0)

    return loss


# ---- float64 ---------------------------------------------------------------------------------------------------


def erf_in_its_own_precision(_: op_erf.Erf, x: np.ndarray) -> tuple[np.ndarray]:
    """Return erf in the precision of x; onnx's reference rounds every erf to float32."""
    return (np.vectorize(math.erf, otypes=[x.dtype])(x),)


op_erf.Erf._run = erf_in_its_own_precision


class DoubleModel:
    """A float64 copy of a model with its initializers as inputs, run by onnx.reference."""

    def __init__(self, model: onnx.ModelProto) -> None:
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        graph = copy.graph
        self.weights = {t.name: widen(numpy_helper.to_array(t)) for t in graph.initializer}
        del graph.initializer[:], graph.value_info[:]
        named = {i.name for i in graph.input}
        graph.input.extend(
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in self.weights.items()
            if n not in named
        )
        for constant in graph.node:
            widen_constant(constant)
        naive = [*NORMALIZATIONS, *PLACES, *RECURRENT, *WINDOWS]
        self.evaluator = onnx.reference.ReferenceEvaluator(copy, new_ops=naive)

    def __call__(self, data: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Return the outputs, for inputs and any weights that differ from the model's own."""
        return self.evaluator.run(None, {**self.weights, **{n: widen(a) for n, a in data.items()}})


def widen(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype == np.float32 else array


VALUES = ("value", "value_float", "value_floats")


def widen_constant(constant: onnx.NodeProto) -> None:
    """Change a float32 Constant, in any form, or a Cast to float32, to float64."""
    for attribute in list(constant.attribute):
        if constant.op_type == "Cast" and attribute.i == TensorProto.FLOAT:
            attribute.i = TensorProto.DOUBLE
        elif constant.op_type in ("Constant", "ConstantOfShape") and attribute.name in VALUES:
            value = attribute.t if attribute.name == "value" else attribute.f or list(attribute.floats)
            array = numpy_helper.to_array(value) if attribute.name == "value" else np.array(value, np.float32)
            tensor = numpy_helper.from_array(widen(array))
            attribute.CopyFrom(helper.make_attribute("value", tensor))


def finite_differences(
    function: Callable[[Arrays], float], parameters: Mapping[str, np.ndarray], step: float = STEP
) -> Arrays:
    """Return (f(p + h) - f(p - h)) / 2h for each element of each parameter, in float64. step: h."""
    point = {name: array.astype(np.float64) for name, array in parameters.items()}
    gradients = {}
    for name, array in point.items():
        gradients[name] = np.zeros(array.shape)
        for index in np.ndindex(array.shape):
            centre = array[index]
            array[index] = centre + step
            above = function(point)
            array[index] = centre - step
            gradients[name][index] = (above - function(point)) / (2 * step)
            array[index] = centre
    return gradients


# ---- Other runtimes ----------------------------------------------------------------------------------------------


def run_ort(model: onnx.ModelProto, feeds: Mapping[str, Any], optimized: bool = True) -> Arrays:
    """Return a model's outputs by name, from onnxruntime."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, dict(feeds))))


def run_ort_plainly(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Arrays:
    """Return a model's outputs by name, from onnxruntime without optimizations, which are wrong for some QDQ models."""
    return run_ort(model, feeds, optimized=False)


def run_reference(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Arrays:
    """Return a model's outputs by name, from onnx's own reference implementation."""
    evaluator = onnx.reference.ReferenceEvaluator(model)
    return dict(zip(evaluator.output_names, evaluator.run(None, dict(feeds))))


def gradients_of(outputs: Mapping[str, np.ndarray], names: Sequence[str]) -> Arrays:
    """Return the outputs `<name>_grad` of a training model, by parameter."""
    return {name: np.asarray(outputs[f"{name}_grad"]) for name in names}


# ---- The C runtime -----------------------------------------------------------------------------------------------


def host_profiles() -> list[str]:
    """Return the numerics profiles that this CPU can run."""
    return [p for p in PROFILES if p == "strict" or cpu_has_fma()]


def compile_twice(artifacts: Artifacts, **options: Any) -> tuple[bytes, bytes]:
    """Return images with the programs train + optimizer, and with the fused program step."""
    return tuple(compile_image(artifacts, Options(accumulate=kept, **options)).image for kept in (True, False))  # type: ignore[return-value]


def poisoned(session: Session, call: Callable[..., Any], *data: Any) -> Any:
    """Return the result of `call` on an arena full of NaN, which shows any read of unwritten memory."""
    session.poison()
    return call(*data)


def read_gradients(session: Session) -> Arrays:
    return {name: np.array(session.gradient(name)) for name in session.parameter_names()}


def read_parameters(session: Session) -> Arrays:
    return {name: np.array(session.parameter(name)) for name in session.parameter_names()}


# ---- Comparing -----------------------------------------------------------------------------------------------------

#: The largest error seen by each comparison, for reports.
WORST: dict[str, float] = {}


def assert_close(actual: Any, expected: Any, tolerance: float, what: str, floor: float = 1e-2) -> None:
    """Assert |actual - expected| <= tolerance * max(|expected|, floor) for the largest element; shapes must be equal.

    floor: below this magnitude errors are absolute; sums of numbers near 1 may cancel to nothing.
    """
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    assert np.isfinite(actual).all(), f"{what}: {actual} is not finite"
    error = np.abs(actual - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), floor)
    family = what.split(":")[0]
    WORST[family] = max(WORST.get(family, 0.0), error)
    assert error <= tolerance, f"{what}: error {error:.2e}\n{actual}\nexpected\n{expected}"


def assert_all_close(actual: Arrays, expected: Arrays, tolerance: float, what: str) -> None:
    assert actual.keys() == expected.keys()
    for name in expected:
        assert_close(actual[name], expected[name], tolerance, f"{what}: {name}")


# ---- A case and its check ------------------------------------------------------------------------------------------


@dataclass
class Case:
    """A model with one output `y`, and data for its inputs; its loss is `projection`."""

    model: onnx.ModelProto
    data: Arrays = field(default_factory=dict)
    train: Sequence[str] | None = None
    seed: int = 0
    batch: int = 1
    reference: bool = True  # whether onnx.reference has our gradients' operators right

    @cached_property
    def double(self) -> DoubleModel:
        return DoubleModel(self.model)

    @cached_property
    def weights(self) -> np.ndarray:
        """Return the weights for projecting y, in its shape: magnitudes in 0.5 .. 1.5, either sign."""
        rng = np.random.default_rng(self.seed)
        shape = self.double(self.data)[0].shape
        return np.asarray(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape), np.float32)

    @cached_property
    def artifacts(self) -> Artifacts:
        return build_artifacts(self.model, self.train, projection(self.weights), optimizers.sgd(0.05))

    @cached_property
    def feeds(self) -> Arrays:
        """Return the data, and the label if there is one."""
        given = {**self.data, "projection": self.weights}
        return {i.name: given[i.name] for i in self.artifacts.training.graph.input if i.name in given}

    def loss(self, parameters: Mapping[str, np.ndarray]) -> float:
        """Return the loss in float64."""
        return float((self.double({**self.data, **parameters})[0] * self.weights).sum())

    def numeric_gradients(self) -> Arrays:
        return finite_differences(self.loss, self.artifacts.parameters)


def check_case(case: Case) -> None:
    """Compare loss, gradients, update and inference of a case with every oracle."""
    names = list(case.artifacts.parameters)
    numeric = case.numeric_gradients()
    outputs = run_ort(case.artifacts.training, case.feeds)
    assert_close(outputs["loss"], case.loss(case.artifacts.parameters), DOUBLE_TOLERANCE, "onnxruntime: loss", 1.0)
    assert_all_close(gradients_of(outputs, names), numeric, DOUBLE_TOLERANCE, "onnxruntime against float64")
    if case.reference:
        reference = run_reference(case.artifacts.training, case.feeds)
        assert_all_close(gradients_of(reference, names), numeric, DOUBLE_TOLERANCE, "onnx.reference against float64")
    kept, fused = compile_twice(case.artifacts, batch=case.batch)
    for profile in host_profiles():
        with Session(kept, profile) as session:
            check_gradients(case, session, outputs, numeric)
            check_update(case, session, fused, profile)


def check_gradients(case: Case, session: Session, outputs: Arrays, numeric: Arrays) -> None:
    """Check one train step of the C runtime."""
    loss = poisoned(session, session.train_step, *case.feeds.values())
    gradients = read_gradients(session)
    assert_close(loss, outputs["loss"], SINGLE_TOLERANCE, "C runtime: loss", 1.0)
    assert_all_close(gradients, gradients_of(outputs, list(numeric)), SINGLE_TOLERANCE, "C runtime against onnxruntime")
    assert_all_close(gradients, numeric, DOUBLE_TOLERANCE, "C runtime against float64")


def check_update(case: Case, session: Session, fused_image: bytes, profile: str) -> None:
    """Check the update p - 0.05 g; the fused program gives the same bits, and inference uses the new parameters."""
    gradients = read_gradients(session)
    poisoned(session, session.optimizer_step)
    expected = {n: p - 0.05 * gradients[n] for n, p in case.artifacts.parameters.items()}
    assert_all_close(read_parameters(session), expected, 1e-6, "C runtime: updated parameters")
    with Session(fused_image, profile) as fused:
        poisoned(fused, fused.step, *case.feeds.values())
        assert parameter_bytes(fused) == parameter_bytes(session), "the fused step differs from train + optimizer"
        inferred = np.array(poisoned(fused, fused.infer, *case.data.values())[0])
        wanted = case.double({**case.data, **read_parameters(fused)})[0]
        assert_close(inferred, wanted, DOUBLE_TOLERANCE, "C runtime: inference after the update")


def check_against_differences(
    model: onnx.ModelProto, data: Arrays, factors: np.ndarray, names: Sequence[str], loss: Callable[[Arrays], float]
) -> None:
    """Compare the C runtime's gradients of the sum of y times `factors` with finite differences of that sum, which
    `loss` computes in float64: for models that onnx.reference does not compute as ONNX specifies."""
    made = build_artifacts(model, names, projection(factors), optimizers.sgd(0.1))
    expected = finite_differences(loss, made.parameters)
    with Session(compile_image(made, Options(batch=None, accumulate=True)).image) as session:
        poisoned(session, session.train_step, *data.values())
        assert_all_close(read_gradients(session), expected, DOUBLE_TOLERANCE, "C runtime against float64")


def parameter_bytes(session: Session) -> bytes:
    return bytes(session.parameters())


def train(
    image: bytes, batches: Sequence[Sequence[Any]], profile: str = "fused", accumulate: bool = False
) -> tuple[list[float], Session]:
    """Run one step per batch on a poisoned arena; return the losses before each update, and the session."""
    session = Session(image, profile)
    losses = []
    for batch in batches:
        losses.append(poisoned(session, session.train_step if accumulate else session.step, *batch))
        if accumulate:
            poisoned(session, session.optimizer_step)
            session.lazy_reset_grad()
    return losses, session


def compiled(model: onnx.ModelProto, loss: Loss, optimizer: Optimizer | None, **options: Any) -> bytes:
    """Return an image of a model with every weight trained."""
    return compile_image(build_artifacts(model, None, loss, optimizer), Options(**options)).image


# ---- Drawing -------------------------------------------------------------------------------------------------------

seeds = st.integers(0, 2**16)
sizes = st.integers(1, 4)


def examples(count: int) -> settings:
    """Return settings for `count` examples of Hypothesis in a whole run, fewer in a plain one, without a deadline."""
    return settings(
        max_examples=at_most(count),
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def shapes(low: int = 1, high: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """Return shapes of rank low .. high with small dimensions, including 1."""
    return st.lists(st.integers(1, 3 if high > 3 else 4), min_size=low, max_size=high).map(tuple)


@st.composite
def broadcast_pairs(draw: st.DrawFn, high: int = 4) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two shapes of rank 1 .. high that broadcast together: each may lack leading dimensions or have 1s."""
    full = draw(shapes(1, high))
    return draw(shrunk(full)), draw(shrunk(full))


@st.composite
def shrunk(draw: st.DrawFn, full: tuple[int, ...]) -> tuple[int, ...]:
    """Return `full` without some leading dimensions (at least one stays), and with some others 1."""
    kept = full[draw(st.integers(0, len(full) - 1)) :]
    return tuple(1 if draw(st.booleans()) else dim for dim in kept)


def values(seed: int, *shape: int) -> np.ndarray:
    """Return float32 with magnitudes in 0.3 .. 1.8 and either sign: away from kinks at 0 and from small divisors."""
    rng = np.random.default_rng([seed, *shape])
    return (rng.uniform(0.3, 1.8, shape) * rng.choice([-1.0, 1.0], shape)).astype(np.float32)
