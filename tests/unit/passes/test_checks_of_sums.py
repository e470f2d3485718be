"""A fused update of the weights checks what a bias's gradient sums, so the sum needs no check of its own."""

import math

import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support.oracle import make_model, node, values


def step_of(batch, optimizer):
    nodes = [node("Gemm", "x w1 b1", "h"), node("Relu", "h", "a"), node("Gemm", "a w2 b2", "y")]
    weights = {"w1": values(1, 5, 4), "b1": values(2, 4), "w2": values(3, 4, 3), "b2": values(4, 3)}
    model = make_model(nodes, weights, {"x": ("N", 5)})
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizer)
    return next(p for p in compile_image(artifacts, Options(batch=batch)).compiled.programs if p.kind == "step")


def checked_limit(program, place, before):
    """The limit of the last check of those bytes in front of an instruction."""
    checks = [i for i in program.instructions[:before] if i.opcode == "CHECK_BOUND" and i.operands["x"] == place]
    return checks[-1].params["limit"] if checks else math.inf


@pytest.mark.parametrize("batch", [1, 2, 3, 8, 33])
@pytest.mark.parametrize("optimizer", [optimizers.sgd(0.1), optimizers.adamw(0.1)], ids=["sgd", "adamw"])
def test_terms_are_checked_in_place_of_the_sum(batch, optimizer):
    program = step_of(batch, optimizer)
    sums = [k for k, i in enumerate(program.instructions) if i.opcode == "REDUCE_SUM"]
    made = {program.instructions[k].operands["y"].buffer for k in sums}
    assert len(sums) == 2
    assert not any(i.opcode.startswith("CHECK_") and i.operands["x"].buffer in made for i in program.instructions)
    for k in sums:
        terms = checked_limit(program, program.instructions[k].operands["x"], k)
        assert terms * batch <= 2.0**63


def test_a_sum_that_is_clipped_is_checked_itself():
    program = step_of(4, optimizers.sgd(0.1, clip_value=1.0))
    checked = [i.operands["x"].buffer for i in program.instructions if i.opcode.startswith("CHECK_")]
    sums = [i.operands["y"].buffer for i in program.instructions if i.opcode == "REDUCE_SUM"]
    assert len(sums) == 2
    assert all(any(buffer is known for known in checked) for buffer in sums)
