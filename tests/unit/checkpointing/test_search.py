"""The search beside all plans that there are, on a problem that is small enough to try them."""

import itertools

import pytest
from unit.passes.test_recompute import artifacts

from gradmote.budget.recompute import machine_instructions_of
from gradmote.compiler import Options, compile_image
from gradmote.compiler.checkpointing import Search, problem_of
from gradmote.compiler.checkpointing.search import STEPS
from gradmote.compiler.checkpointing.walk import NEVER, TooLate, Walk
from gradmote.ir.program import Recomputation

#: Of every plan's numbers, these are tried.
NUMBERS = (None, 0, NEVER)


def problem(**shape):
    """The problem of a small network's step."""
    found, phases = [], []

    def keep(program):
        found.append(problem_of(program, machine_instructions_of))
        phases.extend(i.phase for i in program.instructions)
        return program.instructions

    compile_image(artifacts(**shape), Options(2, recompute=Recomputation(True, False, keep)))
    return found[0], phases


def every_plan(given, phases):
    """Peak and cost of each plan that drops values between their last use in the forward pass and what follows."""
    gaps = []
    for value, maker in enumerate(given.maker):
        uses = given.uses[value]
        forward = sum(phases[k] == "forward" for k in uses)
        if maker and given.sizes[value] > 1000 and forward < len(uses):
            gaps += [(value, k) for k in range(forward, len(uses))]
    order = range(len(given.touched))
    for numbers in itertools.product(NUMBERS, repeat=len(gaps)):
        plan = {gap: number for gap, number in zip(gaps, numbers, strict=True) if number is not None}
        try:
            walk = Walk(given, plan, order)
        except TooLate:
            continue
        yield max(walk.usage()), walk.cost


@pytest.mark.parametrize("shape", [{}, {"activation": "HardSwish"}])
def test_no_plan_of_all_is_smaller_and_faster(shape):
    """Allow for the step by which the search lowers the limit, and a twentieth of the cost.

    It may also move instructions, and so find more than the plans that keep their order.
    """
    given, phases = problem(**shape)
    front = list(Search(given).front())
    for peak, cost in every_plan(given, phases):
        assert any(p.peak * max(STEPS) <= peak and p.cost <= 1.05 * cost for p in front), (peak, cost)


def test_each_point_is_what_its_plan_says():
    given, _ = problem(residual=True)
    front = list(Search(given).front())
    assert len(front) > 3
    for point, lower in itertools.pairwise(front):
        assert lower.peak < point.peak or not lower.plan  # it begins again with another step
    for point in front:
        walk = Walk(given, point.plan, point.order)
        assert (max(walk.usage()), walk.cost) == (point.peak, point.cost)
