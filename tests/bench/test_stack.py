"""The table of stacks: for boards whose firmware is built, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import stack
from bench.stack import Row

from gradmote.device.boards import board
from gradmote.device.emulated_firmware import default_firmware
from support.firmware import build_firmware

BOARDS = ["microbit", "mps2-an386", "riscv-virt"]


@pytest.mark.device
@pytest.mark.parametrize("name", BOARDS)
def test_a_board_uses_no_more_than_its_bound(name):
    build_firmware(board=name)
    (row,) = stack.rows([name])
    assert row.used > 300 and not row.wrong, stack.line(row)


@pytest.mark.device
def test_handlers_of_interrupts_are_read_from_the_vectors():
    build_firmware(board="microbit")
    elf = default_firmware("microbit")
    found = stack.handlers("arm-none-eabi-", elf)
    assert found == ["fault_handler", "reset_handler", "timer_interrupt", "uart_interrupt"]


def test_what_is_wrong_is_told():
    known = replace(board("microbit"), stack_bound=700, stack_size=800)
    assert Row(known, 700).wrong == Row(known, None).wrong == ""
    assert Row(known, 701).wrong == "701 bytes are used, 700 is the bound"
    assert Row(replace(known, stack_size=699), 600).wrong == "700 is the bound, 699 are set aside"
    assert Row(known, 600, ("radio",)).wrong == "the bound does not count radio"
