"""The node tests of ONNX that Gradmote answers for, and the outcome of each.

They are the tests of one operator of ours (not of its function body) that compute with float32. CumSum and Einsum,
which ONNX tests with float64 alone, are narrowed to float32.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from gradmote import losses
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ImageError, ModelError
from gradmote.onnx_backend import GradmoteBackend, GradmoteRep, bound, constant_inputs
from gradmote.operators import OPERATORS

#: Tests that do not pass, with the reason: `refused` by the compiler in these words, or `different` on purpose.
LIST = Path(__file__).with_name("not_passing.json")
REFUSALS = (ModelError, ImageError)
FLOAT32, FLOAT64 = TensorProto.FLOAT, TensorProto.DOUBLE
#: Types beside it: indices, labels, sizes, truth values.
INDICES = {TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL}


def operator_of(case: TestCase) -> str:
    """Return the type of its only node; "" if there are others, or a node of another domain."""
    nodes = case.model.graph.node
    return nodes[0].op_type if len(nodes) == 1 and not nodes[0].domain and "_expanded" not in case.name else ""


def types_of(case: TestCase) -> tuple[list[int], list[int]]:
    """Return element types of inputs and outputs; 0 for what is not a tensor."""
    graph = case.model.graph
    inputs, outputs = ([v.type.tensor_type.elem_type for v in side] for side in (graph.input, graph.output))
    return inputs, outputs


def computes(case: TestCase, float_type: int) -> bool:
    """Return whether its numbers are of this type: some input, and all others except indices and truth values."""
    inputs, outputs = types_of(case)
    return float_type in inputs and {*inputs, *outputs} <= {float_type, *INDICES}


@cache
def load_cases() -> list[TestCase]:
    """The selected tests, by operator and name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the suite divides by 0, and casts what overflows
        ours = [case for case in load_model_tests(kind="node") if ("", operator_of(case)) in OPERATORS]
    cases = [case for case in ours if computes(case, FLOAT32)]
    tested = {operator_of(case) for case in cases}
    doubles = [case for case in ours if operator_of(case) not in tested and computes(case, FLOAT64)]
    for case in doubles:
        narrow(case)
    return sorted([*cases, *doubles], key=lambda case: (operator_of(case), case.name))


def narrow(case: TestCase) -> None:
    """float64 becomes float32, and the opset one that Gradmote reads, in which these operators are the same."""
    for value in (*case.model.graph.input, *case.model.graph.output):
        if value.type.tensor_type.elem_type == FLOAT64:
            value.type.tensor_type.elem_type = FLOAT32
    case.model.opset_import[0].version = max(case.model.opset_import[0].version, 13)
    case.data_sets = [tuple([narrowed(a) for a in side] for side in pair) for pair in case.data_sets]


def narrowed(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float32) if np.asarray(array).dtype == np.float64 else array


# ---- Outcomes of tests -----------------------------------------------------------------------------------------------


def read_list() -> dict[str, dict[str, str]]:
    return json.loads(LIST.read_text()) if LIST.exists() else {"refused": {}, "different": {}}


def refusal(case: TestCase) -> str | None:
    """Return the compiler's words, or None if the test passes. Raise AssertionError if it computes something else."""
    try:
        rep = GradmoteBackend.prepare(case.model)
        for inputs, expected in case.data_sets:
            Runner.assert_similar_outputs(expected, rep.run(list(inputs)), case.rtol, case.atol)
    except REFUSALS as error:
        return str(error)
    return None


# ---- What an operator runs on


#: The opcodes of all training: its loss, the check of the data, and sums of gradients.
OF_ALL_TRAINING = {"ADD", "CHECK_FINITE", "MSE_LOSS", "MSE_LOSS_GRAD"}


@dataclass
class Kernels:
    """Opcodes of the inference program, and those of training alone."""

    forward: set[str] = field(default_factory=set)
    gradient: set[str] = field(default_factory=set)


def kernels_of(cases: Iterable[TestCase]) -> Kernels:
    found = Kernels()
    for case in cases:
        found.forward |= opcodes(case, train=False)
        found.gradient |= opcodes(case, train=True)
    found.gradient -= found.forward | OF_ALL_TRAINING
    return found


def opcodes(case: TestCase, train: bool) -> set[str]:
    """Return the opcodes of the compiled test, or an empty set if the compiler refuses it.

    To train, the test's float32 inputs become weights, and its first output goes to a loss.
    """
    try:
        artifacts = training_artifacts(case) if train else build_artifacts(as_data(case))
        compiled = compile_image(artifacts, Options(batch=None, accumulate=True)).compiled
    except REFUSALS:
        return set()
    kind = "train" if train else "infer"
    return {i.opcode for program in compiled.programs if program.kind == kind for i in program.instructions}


def training_artifacts(case: TestCase) -> Artifacts:
    first = case.model.graph.output[0].name
    return build_artifacts(as_weights(case), None, losses.mse(), loss_inputs=[first])


def arrays_of(case: TestCase) -> dict[str, np.ndarray]:
    names = GradmoteRep(case.model, "strict").inputs
    return dict(zip(names, (np.asarray(a) for a in case.data_sets[0][0]), strict=True))


def as_data(case: TestCase) -> onnx.ModelProto:
    arrays, known = arrays_of(case), set(constant_inputs(case.model))
    return bound(
        case.model, {n: a for n, a in arrays.items() if n in known}, {n: a for n, a in arrays.items() if n not in known}
    )


def as_weights(case: TestCase) -> onnx.ModelProto:
    arrays, known = arrays_of(case), set(constant_inputs(case.model))
    fixed = {n: a for n, a in arrays.items() if n in known or a.dtype == np.float32}
    return bound(case.model, fixed, {n: a for n, a in arrays.items() if n not in fixed})


def totals(cases: Iterable[TestCase], failing: Iterable[str]) -> dict[str, tuple[int, int]]:
    """(passed, all) by operator."""
    cases, failing = list(cases), set(failing)
    passed = Counter(operator_of(case) for case in cases if case.name not in failing)
    return {op: (passed[op], count) for op, count in Counter(map(operator_of, cases)).items()}
