"""The limit of a gradient of 16 bits: with it no sum of a reader leaves 32 bits, and the next larger one could."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from gradmote import Session
from gradmote.compiler.passes.limit_gradients import MOST_16, MOST_32, largest_limit, largest_weight, most_terms
from gradmote.errors import UnsupportedOperator
from gradmote.generated.records import CONSTANT_BIT
from gradmote.ir.generated.instructions import ConvGradXS16
from gradmote.ir.instruction import Buffer, Ref
from support.program_image import SCRATCH, instruction, program_image

#: The gradients that are read are in units of 2^-UNIT, so that the exponent of what is made is not cut.
UNIT = 40
AXIS = ("in", "out", "kernel", "stride", "dilation", "pad")

#: A window of one tap on one element.
POINT = (1, 1, 1, 1, 1, 0)


def window(h: tuple[int, ...], w: tuple[int, ...]) -> dict[str, int]:
    """Return the parameters of a window from the numbers of AXIS along rows and columns."""
    along = {"h": zip(AXIS, h, strict=True), "w": zip(AXIS, w, strict=True)}
    return {f"{name}_{axis}": n for axis, numbers in along.items() for name, n in numbers}


def gradient(params: dict[str, int]) -> ConvGradXS16:
    """Return an instruction with these parameters; the others are 1."""
    ref: Any = Ref(Buffer("any", 4, "scratch"))
    operands = dict.fromkeys(("dy", "dy_exponent", "w", "dx", "exponent", "gain"), ref)
    return ConvGradXS16(**operands, **{name: params.get(name, 1) for name in ConvGradXS16.param_names})


def counted(params: dict[str, int]) -> int:
    """Return the products in the largest sum, counted one by one."""
    found: dict[tuple[int, ...], int] = {}
    sizes = [range(params[f"{name}_{axis}"]) for axis in "hw" for name in ("out", "kernel")]
    for o, k, p, tap in product(*sizes):
        row = o * params["stride_h"] + k * params["dilation_h"] - params["pad_h"]
        column = p * params["stride_w"] + tap * params["dilation_w"] - params["pad_w"]
        if 0 <= row < params["in_h"] and 0 <= column < params["in_w"]:
            found[row, column] = found.get((row, column), 0) + params["out_channels"]
    return max(found.values(), default=0)


def test_the_largest_sum_has_as_many_terms_as_are_counted() -> None:
    """Drawn windows, with strides, dilations and padding, also such as leave inputs out."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        sizes = [tuple(int(n) for n in rng.integers((1, 1, 1, 1, 1, 0), (9, 6, 6, 4, 4, 4))) for _ in "hw"]
        params = window(*sizes) | {"out_channels": int(rng.integers(1, 9))}
        expected = counted(params)
        assert most_terms(gradient(params)) == expected or expected == 0


def sum_of(channels: int, q: int, weight: int, zero: int, profile: str) -> tuple[int, int]:
    """Return the sum that a kernel makes of so many products, and the exponent with which it is rounded."""
    dy = np.full(channels + channels % 2, q, np.int16).tobytes()
    w = np.full(channels + -channels % 4, weight, np.int8).tobytes()
    operands = {"dy": CONSTANT_BIT | 8, "dy_exponent": CONSTANT_BIT, "w": CONSTANT_BIT | 8 + len(dy)}
    operands |= {"exponent": SCRATCH, "gain": SCRATCH + 8, "dx": SCRATCH + 12}
    clear = instruction("COPY", {"x": CONSTANT_BIT, "y": SCRATCH + 8}, {})
    made = instruction("CONV_GRAD_X_S16", operands, {
        "out_channels": channels, "y_channel": 1, "w_out_channel": 1, "w_zero": zero & 0xFFFFFFFF, "limit": MOST_16,
    })  # fmt: skip
    start = np.array([-UNIT, 14 - UNIT], np.int32).tobytes()
    image = program_image([clear, made], SCRATCH + 16, start + dy + w)
    with Session(image, profile) as session:
        session.run_program("infer")
        memory = bytes(session._memory[SCRATCH : SCRATCH + 16])
    exponent, dx = int(np.frombuffer(memory, np.int32)[0]), int(np.frombuffer(memory, np.int16)[6])
    return dx << exponent + UNIT, exponent + UNIT


@pytest.mark.parametrize(("zero", "extreme"), [(0, -128), (-128, 127), (127, -128), (5, -128)])
@pytest.mark.parametrize("channels", [513, 700, 2048, 9000])
def test_the_worst_case_fits_and_the_next_limit_does_not(zero: int, extreme: int, channels: int, profile: str) -> None:
    """All gradients and weights are as large as they may be, with the sign that makes the products add up."""
    limit = largest_limit(gradient({"out_channels": channels, "w_zero": zero} | window(POINT, POINT)))
    exact = channels * limit * (extreme - zero)
    assert limit < MOST_16
    assert abs(exact) <= MOST_32 < channels * (limit + 1) * largest_weight(zero)
    for sign in (1, -1):
        found, exponent = sum_of(channels, sign * limit, extreme, zero, profile)
        assert abs(found - sign * exact) <= 2**exponent


def test_more_products_than_any_limit_allows_are_refused() -> None:
    params = {"out_channels": 2**24, "w_zero": 0} | window(POINT, POINT)
    with pytest.raises(UnsupportedOperator, match="quantized products"):
        largest_limit(gradient(params))
