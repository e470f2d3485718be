"""How far a window reaches was a sum of any two products of parameters, which could wrap at 2^32: kernels read outside
of the arena. There is one image for each kernel that did; all are refused."""

import pytest

from gradmote import Session
from gradmote.errors import RuntimeFault
from gradmote.generated.errors import ERRORS
from support.guarded_program import thumb
from support.program_image import SCRATCH, instruction, program_image

LARGEST = 2**31 - 1


def image_of(opcode, operands, **params):
    """Return an image of one instruction whose operands are 256 bytes apart."""
    places = {name: SCRATCH + 256 * i for i, name in enumerate(operands)}
    return program_image([instruction(opcode, places, params)], SCRATCH + 256 * len(places))


IMAGES = {
    # Kernel rows 0 and 3 of 4 are inside, rows 1 and 2 are not: all four were taken, 1.4 billion elements past x.
    "max_pool": image_of("MAX_POOL", "xy", kernel_h=4, dilation_h=0x55555556, in_h=3, x_h=1),
    # The last of three outputs seemed to be at the right edge: the middle one was read 2^31 columns on.
    "three_taps": image_of(
        "CONV_GRAD_W", ("x", "dy", "y"), in_channels=8, kernel_w=3, out_w=3, stride_w=LARGEST, in_w=1, x_channel=1,
        x_w=LARGEST, y_w=1,
    ),
    # Taps inside the input were treated as adjacent.
    "helium": image_of(
        "CONV", ("x", "w", "y"), in_channels=4, out_channels=4, kernel_h=4, dilation_h=0x55555556, in_h=3, x_channel=1,
        x_h=4, w_h=16, w_in_channel=4, w_out_channel=1, y_channel=1,
    ),
    # Offsets of 64 bits did not wrap, but the taps inside the input were found with 32.
    "weight_gradient_taps": image_of(
        "CONV_GRAD_W", ("x", "dy", "y"), out_channels=8, kernel_h=4, dilation_h=0x55555556, in_h=3, x_h=1, y_channel=1
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IMAGES)
def test_windows_do_not_wrap(name):
    with pytest.raises(RuntimeFault, match="BAD_INSTRUCTION"):
        Session(IMAGES[name])


def test_windows_do_not_wrap_in_32_bits(tmp_path):
    """The kernels of Cortex-M refuse the images too; before, one printed what was past the arena, or crashed."""
    program = thumb(tmp_path, ["CONV", "CONV_GRAD_W", "MAX_POOL"])
    found = {name: ERRORS[program.status(image)][0] for name, image in IMAGES.items()}
    assert found == dict.fromkeys(IMAGES, "BAD_INSTRUCTION")


@pytest.mark.parametrize("axis", "hw")
@pytest.mark.parametrize(
    "reach",
    [{"out": 2, "stride": LARGEST - 1}, {"kernel": 2, "dilation": LARGEST - 1}, {"pad": LARGEST - 1},
     {"kernel": 3, "dilation": 2**30 - 1}, {"out": 3, "stride": 2**29, "kernel": 2, "dilation": 2**30 - 3, "pad": 1}],
)  # fmt: skip
def test_the_limit_is_exact(axis, reach):
    """A window may reach to 2^31 - 1 together with the input's length, and no further."""
    params = {f"{name}_{axis}": value for name, value in reach.items()}
    params |= {"y_h": 1, "y_w": 1}
    Session(image_of("MAX_POOL", "xy", **params)).close()
    with pytest.raises(RuntimeFault, match="BAD_INSTRUCTION"):
        Session(image_of("MAX_POOL", "xy", **params, **{f"in_{axis}": 2}))
