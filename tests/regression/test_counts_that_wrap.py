"""If strides are 0, the dims of an input may be any number: the count of their elements did not fit 32 bits, and
kernels with vectors, which count in another way, took others than plain C."""

import pytest

from gradmote import Session
from gradmote.errors import RuntimeFault
from support.program_image import SCRATCH, instruction, program_image

HALF = 2**15
PLACES = {"x": SCRATCH, "dy": SCRATCH + 64, "w": SCRATCH + 128, "y": SCRATCH + 192}
#: Opcode, its operands, and parameters by which it counts 2^30 elements.
COUNTED = [
    ("REDUCE_SUM", "x y", {"r0": HALF, "r3": HALF}),
    ("REDUCE_MAX", "x y", {"r1": HALF, "r2": HALF}),
    ("CONV_GRAD_W", "x dy y", {"in_h": HALF, "in_w": HALF, "out_h": HALF, "out_w": HALF}),
    ("CONV_GRAD_W", "x dy y", {"batch": HALF, "out_h": HALF}),
    ("CONV", "x w y", {"in_channels": HALF, "kernel_w": HALF, "pad_w": HALF - 1}),
]


def opens(opcode, operands, params):
    """Return whether an image of one such instruction opens."""
    places = {name: PLACES[name] for name in operands.split()}
    try:
        Session(program_image([instruction(opcode, places, params)], SCRATCH + 256)).close()
    except RuntimeFault as fault:
        assert "BAD_OPERAND" in str(fault)
        return False
    return True


@pytest.mark.parametrize(("opcode", "operands", "params"), COUNTED)
def test_counts_do_not_wrap(opcode, operands, params):
    assert opens(opcode, operands, params)
    for name in params.keys() - {"pad_w", "in_h", "in_w"}:
        assert not opens(opcode, operands, params | {name: 2 * HALF})
