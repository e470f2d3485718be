"""A convolution with one column of outputs may have any stride. The gradient of its weights stepped on by the stride
times the distance of two columns all the same; that address wrapped on 32-bit processors, which C leaves undefined."""

import pytest

from support.guarded_program import plain_of_32_bits
from support.program_image import SCRATCH, instruction, program_image

WIDE = 2**29 - 4


@pytest.mark.parametrize("in_channels", [1, 4])
def test_no_step_behind_a_single_output(in_channels, tmp_path):
    places = {"x": SCRATCH, "dy": SCRATCH + 256, "y": SCRATCH + 512}
    params = {"in_channels": in_channels, "in_w": 2, "kernel_w": 2, "stride_w": WIDE, "x_w": 1, "x_channel": 2}
    image = program_image([instruction("CONV_GRAD_W", places, params)], SCRATCH + 768)
    plain_of_32_bits(tmp_path, ["CONV_GRAD_W"]).run(image)
