"""A maker that two paths reach was listed twice: its buffer was written again while it held another one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support.oracle import make_model, node, train, values

WIDTH = 12
BATCHES = [(values(k, 4, WIDTH), values(90 + k, 4, 2)) for k in range(3)]


def diamonds(count: int, side: str) -> bytes:
    """y = y p + side(y) q, `count` times, between two products. A slice takes two parts of y, each one shorter."""
    nodes, weights, width = (
        [node("MatMul", "x w", "y0")],
        {"w": values(1, WIDTH, WIDTH) / 4, "axis": np.array([1])},
        WIDTH,
    )
    for level, (y, after) in enumerate(pairwise(f"y{k}" for k in range(count + 1))):
        left, right = y, f"right{level}"
        if side == "Slice":
            width -= 1
            weights |= {"zero": np.array([0]), "one": np.array([1]), f"end{level}": np.array([width]),
                        f"beyond{level}": np.array([width + 1])}  # fmt: skip
            left = f"left{level}"
            nodes += [
                node("Slice", f"{y} zero end{level} axis", left),
                node("Slice", f"{y} one beyond{level} axis", right),
            ]
        else:
            nodes.append(node(side, y, right))
        weights |= {f"p{level}": values(10 + level, width) / 2, f"q{level}": values(50 + level, width) / 2}
        nodes += [node("Mul", f"{left} p{level}", f"a{level}"), node("Mul", f"{right} q{level}", f"b{level}")]
        nodes.append(node("Add", f"a{level} b{level}", after))
    nodes.append(node("MatMul", f"y{count} v", "y"))
    return make_model(nodes, weights | {"v": values(2, width, 2)}, {"x": ("N", WIDTH)}).SerializeToString()


def compiled(count, side, **options):
    made = build_artifacts(diamonds(count, side), None, losses.mse(), optimizers.sgd(0.001))
    return compile_image(made, Options(batch=4, **options))


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("side", ["Relu", "Abs", "Slice"])
@pytest.mark.parametrize("count", [2, 4, 6])
def test_recomputation_does_not_change_a_bit(count, side, accumulate):
    both = [compiled(count, side, accumulate=accumulate, recompute=again) for again in (True, False)]
    runs = [train(result.image, BATCHES, accumulate=accumulate) for result in both]
    assert runs[0][0] == runs[1][0]
    assert bytes(runs[0][1].state()) == bytes(runs[1][1].state())


def test_at_most_as_many_instructions_are_added_as_there_are():
    """Each level was made again as often as paths lead to it."""
    once, again = (compiled(16, "Relu", recompute=on).compiled.programs for on in (False, True))
    for program, longer in zip(once, again, strict=True):
        assert len(longer.instructions) <= 2 * len(program.instructions)
