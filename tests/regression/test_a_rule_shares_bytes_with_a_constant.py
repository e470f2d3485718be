"""The largest learning rate was written into an update rule whose bytes other instructions read: indices or biases that
are all zeros, as many as the rule has words, ended in that rate."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options
from gradmote.compiler.compile import flatten
from gradmote.compiler.passes import pipeline
from gradmote.ir.lowering import Shared
from gradmote.ir.program import Buffer
from gradmote.losses import mse
from support.oracle import Case, check_case, make_model, node, values


@pytest.mark.parametrize("count", range(4, 17))
def test_zeros_of_any_count_stay_zeros(count):
    """Check a Gather by zeros, whose gradient selects by the same indices."""
    nodes = [node("Gather", "w zeros", "y")]
    check_case(Case(make_model(nodes, {"w": values(1, 2, 3), "zeros": np.zeros(count, np.int64)}), train=["w"]))


def test_no_buffer_can_be_written_to():
    constant = Shared(Buffer("control", 48, "control"), {}).constant(b"four").buffer
    for name in ("data", "size", "region", "name"):
        with pytest.raises(FrozenInstanceError):
            setattr(constant, name, getattr(constant, name))
    with pytest.raises(TypeError):
        memoryview(constant.data)[0] = 1


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("optimizer", [optimizers.sgd(0.1), optimizers.sgd(0.1, momentum=0.9), optimizers.adamw(0.1)])
def test_no_instruction_reads_a_rule_as_something_else(accumulate, optimizer):
    model = make_model([node("Gather", "w i", "h"), node("Mul", "x h", "y")],
                       {"w": values(1, 2, 3), "i": np.zeros(8, np.int64)}, {"x": (8, 3)})  # fmt: skip
    made = build_artifacts(model, ["w"], mse(), optimizer)
    compiled = flatten(made, Options(batch=None, accumulate=accumulate))
    for change in pipeline.PROGRAMS:
        change(compiled)
    read = [(name, ref) for p in compiled.programs for i in p.instructions for name, ref in i.operands.items() if ref]
    rules = {ref.buffer for name, ref in read if name == "rule"}
    assert rules and not [name for name, ref in read if name != "rule" and ref.buffer in rules]
