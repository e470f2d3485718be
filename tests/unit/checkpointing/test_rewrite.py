"""Programs that make values again, by drawn plans: they train to the bits of the plain program, in the scratch that the
walk counted.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from unit.passes.test_random_networks import BATCH, OPTIMIZERS, batches, networks, outcome, plain

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.budget.recompute import machine_instructions_of
from gradmote.compiler import Options, compile_image
from gradmote.compiler.checkpointing import problem_of, rewritten
from gradmote.compiler.checkpointing.walk import NEVER, TooLate, Walk
from gradmote.ir.program import Recomputation
from support.oracle import examples, host_profiles, make_model, node, train, values


def drawn_plan(problem, choose, share):
    """A plan that drops a share of what can be dropped, and that can run."""
    gaps = [(value, use) for value, maker in enumerate(problem.maker) if maker
            for use, index in enumerate(problem.uses[value], 1) if index >= maker.instructions[-1]]  # fmt: skip
    plan = {}
    for gap in gaps:
        if choose.random() < share:
            number = choose.choice([0, NEVER, int(choose.integers(len(problem.touched)))])
            plan = tried if can_run(problem, tried := {**plan, gap: number}) else plan
    return plan


def can_run(problem, plan):
    try:
        Walk(problem, plan, range(len(problem.touched)))
    except TooLate:
        return False
    return True


class Drawn:
    """A rewrite by a drawn plan, whose findings it keeps."""

    def __init__(self, seed, share):
        self.choose, self.share, self.again, self.peak = np.random.default_rng(seed), share, 0, 0

    def __call__(self, program):
        problem = problem_of(program, machine_instructions_of)
        plan = drawn_plan(problem, self.choose, self.share)
        walk = Walk(problem, plan, range(len(problem.touched)))
        self.again, self.peak = sum(walk.made), max(walk.usage())
        made = rewritten(problem, plan, range(len(problem.touched)))
        assert len(made) == len(program.instructions) + self.again
        return made


@examples(24)
@given(
    model=networks(),
    optimizer=st.sampled_from(list(OPTIMIZERS)),
    trained=st.sampled_from([None, None, ["b*"], ["w*"]]),
    accumulate=st.booleans(),
    overwrite_inputs=st.booleans(),
    fused=st.booleans(),
    masked=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.2, 0.5, 1.0]),
)
def test_the_same_bits(model, optimizer, trained, accumulate, overwrite_inputs, fused, masked, seed, share):
    made = build_artifacts(model, trained, losses.cross_entropy(), OPTIMIZERS[optimizer]())
    drawn = Drawn(seed, share)
    options = Options(
        BATCH, accumulate, overwrite_inputs=overwrite_inputs, recompute=Recomputation(fused, masked, drawn)
    )
    image = compile_image(made, options)
    assume(drawn.again)
    apart = plain(made, Options(BATCH, accumulate))
    kind = "train" if accumulate else "step"
    assert image.layout.placements[kind].bound <= drawn.peak
    for profile in host_profiles():
        data = batches(model)
        assert outcome(image, data, profile, accumulate) == outcome(apart, data, profile, accumulate)


@pytest.mark.parametrize("accumulate", [False, True])
def test_masks_and_running_statistics_stay_the_same(accumulate, profile):
    """Dropout draws the mask of its step again, and BatchNormalization's running statistics are updated once."""
    nodes = [
        node("Conv", "x w", "c", pads=[1, 1, 1, 1]), node("BatchNormalization", "c s b m v", "n", training_mode=0),
        node("Relu", "n", "r"), node("Dropout", "r ratio on", "d"), node("Conv", "d u", "e"), node("Tanh", "e", "t"),
        node("GlobalAveragePool", "t", "p"), node("Flatten", "p", "f"), node("Gemm", "f k", "y"),
    ]  # fmt: skip
    weights = {"w": values(1, 5, 2, 3, 3), "u": values(2, 6, 5, 3, 3), "k": values(3, 6, 4), "ratio": np.float32(0.5),
               "on": np.array(True), **{name: values(k, 5) for k, name in enumerate("sbm", 4)},
               "v": np.abs(values(7, 5))}  # fmt: skip
    model = make_model(nodes, weights, {"x": ("N", 2, 6, 6)})
    trained = [name for name in weights if name in "wuksb"]
    made = build_artifacts(
        model, trained, losses.cross_entropy(), optimizers.sgd(0.1, momentum=0.9), batch_norm="batch"
    )
    data = [(values(k, BATCH, 2, 6, 6), np.array([k % 4, 1], np.int32)) for k in range(4)]
    kept = train(compile_image(made, Options(BATCH, accumulate, recompute=False)).image, data, profile, accumulate)
    for seed in range(8):
        drawn = Drawn(seed, 0.7)
        again = compile_image(made, Options(BATCH, accumulate, recompute=Recomputation(True, False, drawn)))
        assert drawn.again > 3
        losses_seen, session = train(again.image, data, profile, accumulate)
        assert losses_seen == kept[0] and session.state_sha256() == kept[1].state_sha256()
