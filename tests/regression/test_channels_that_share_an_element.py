"""Channels may have a stride of 0: all are one element. Kernels for Cortex-M treated them as adjacent if they were
less than four, or if columns were adjacent, and read other elements, and past the arena."""

import numpy as np
import pytest

from support.guarded_program import plain, thumb
from support.program_image import SCRATCH, instruction, program_image


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    return plain(folder, ["CONV"]), thumb(folder, ["CONV"])


@pytest.mark.parametrize("in_channels", [2, 3, 4, 6])
@pytest.mark.parametrize("out_channels", [1, 4, 8])
def test_a_convolution(programs, in_channels, out_channels):
    """x has 16 columns, and is the last thing in the arena."""
    size, weights = 4 * 16 * out_channels, 4 * in_channels * out_channels
    places = {"y": SCRATCH, "w": SCRATCH + size, "x": SCRATCH + size + weights}
    params = {"in_channels": in_channels, "out_channels": out_channels, "in_w": 16, "out_w": 16, "x_w": 1,
              "x_channel": 0, "w_out_channel": in_channels, "w_in_channel": 1,
              "y_w": out_channels, "y_channel": 1}  # fmt: skip
    end = (places["x"] + 4 * 16 + 15) // 16 * 16
    places = {name: at + end - places["x"] - 64 for name, at in places.items()}
    image = program_image([instruction("CONV", places, params)], end)
    expected, found = (program.run(image).view(np.uint32) for program in programs)
    np.testing.assert_array_equal(found, expected)
