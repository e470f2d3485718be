"""Outputs whose elements share bytes with each other, or with another operand, were accepted: kernels with vectors then
gave other bits than plain C. An output may only take the place of an operand with exactly the same layout."""

import pytest

from gradmote import Session
from gradmote.errors import RuntimeFault
from support.program_image import SCRATCH, instruction, program_image

FAR = SCRATCH + 4096


def opens(opcode, places, **params):
    """Return whether an image of one such instruction opens; `places` are in bytes from the scratch on."""
    operands = {name: SCRATCH + place for name, place in places.items()}
    try:
        Session(program_image([instruction(opcode, operands, params)], FAR)).close()
    except RuntimeFault as fault:
        assert "BAD_OPERAND" in str(fault)
        return False
    return True


@pytest.mark.parametrize("strides", [(0, 1), (1, 0), (1, 1), (2, 1), (1, 2), (4, 2), (3, 3)])
def test_elements_of_a_copy_overlap(strides):
    """(1, 2) and (4, 2) of 3 x 4 elements: index (2, 0) is at the place of (0, 1)."""
    assert not opens("COPY", {"x": 0, "y": 1024}, d0=3, d1=4, t0=strides[0], t1=strides[1])


@pytest.mark.parametrize("strides", [(4, 1), (1, 3), (5, 1), (2, 6), (200, 1)])
def test_elements_of_a_copy_lie_apart(strides):
    d0 = 1 if strides[0] > 100 else 3
    assert opens("COPY", {"x": 0, "y": 1024}, d0=d0, d1=4, t0=strides[0], t1=strides[1])


def test_channels_of_a_convolution_overlap():
    given = {"places": {"x": 0, "w": 1024, "y": 2048}, "out_channels": 8, "out_w": 4, "in_w": 4,
             "w_out_channel": 1, "x_w": 1, "y_w": 8}  # fmt: skip
    assert opens("CONV", **given, y_channel=1)
    assert not opens("CONV", **given, y_channel=0)
    assert not opens("CONV", **(given | {"y_w": 7}), y_channel=1)


@pytest.mark.parametrize("at", [-28, -4, 4, 28])
def test_an_output_that_lies_over_a_part_of_its_input(at):
    assert not opens("RELU", {"x": 256, "y": 256 + at}, n=8)
    assert opens("RELU", {"x": 256, "y": 256 + 8 * at}, n=8)


def test_an_output_in_place():
    assert opens("RELU", {"x": 0, "y": 0}, n=8)
    assert opens("STANDARDIZE", {"x": 0, "y": 0}, k0=2, ks0=4, r0=4, rs0=1)


def test_an_output_in_place_of_what_lies_in_another_order():
    given = {"places": {"a": 0, "b": 1024, "y": 0}, "d2": 3, "d3": 4, "b3": 1}
    assert opens("ADD", **given, a2=4, a3=1)
    assert not opens("ADD", **given, a2=1, a3=3)
    assert not opens("ADD", **given, a2=0, a3=1)
    assert opens("ADD", **(given | {"d2": 1}), a2=77, a3=1)


def test_outputs_of_operators_that_do_not_work_in_place():
    assert not opens("GEMM", {"a": 0, "b": 1024, "y": 0}, m=2, n=2, k=2, a_row=2, a_col=1, b_row=2, b_col=1)
    assert not opens("MOMENTS", {"x": 0, "mean": 1024, "inv_std": 1024}, channels=4)
    assert not opens("MATMUL", {"a": 0, "b": 1024, "y": 1028}, m=2, k=2, a_row=2, a_col=1, b_row=1, y_row=1)


def test_states_of_which_the_last_alone_is_kept():
    places = {"z": 0, "r": 1024, "h": 2048, "sums": 0}
    for step in (0, 6, 7):
        assert opens("RNN_CELLS", places, steps=3, batch=2, hidden=3, h_step=step)
    for step in (1, 5):
        assert not opens("RNN_CELLS", places, steps=3, batch=2, hidden=3, h_step=step)


def test_losses_that_are_summed():
    places = {"x": 0, "labels": 1024, "log_prob": 0, "loss": 2048}
    for outer, inner in ((0, 0), (2, 1), (1, 3), (0, 1)):
        assert opens("SOFTMAX_CROSS_ENTROPY", places, outer=3, inner=2, loss_outer=outer, loss_inner=inner)
    assert not opens("SOFTMAX_CROSS_ENTROPY", places, outer=3, inner=2, loss_outer=1, loss_inner=1)
