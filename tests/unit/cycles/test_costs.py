"""Cycles of code that was written by hand, against figures by hand; bench/cycles_by_hand.py has more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradmote.errors import DataError, DeviceError
from gradmote.report.bench.cycles.cores import core_called, core_files, read_core
from gradmote.report.bench.cycles.costs import Costs, cycles_of_turn
from gradmote.report.bench.cycles.disassembly import Program, read_listing
from gradmote.report.bench.cycles.executed import Block, read_regions

#: A loop of four multiply-accumulates, with the load of one operand, and the function's end.
CODE = """
     100:\tb510      \tpush\t{r4, lr}
     102:\teda1 0a00 \tvldr\ts0, [r1]
     106:\tecb1 4a04 \tvldmia\tr1!, {s8-s11}
     10a:\teea4 0a24 \tvfma.f32\ts0, s8, s9
     10e:\teee4 0a24 \tvfma.f32\ts1, s8, s9
     112:\teea4 1a24 \tvfma.f32\ts2, s8, s9
     116:\teee4 1a24 \tvfma.f32\ts3, s8, s9
     11a:\t3801      \tsubs\tr0, #1
     11c:\td1f3      \tbne.n\t106 <f+0x6>
     11e:\tbd10      \tpop\t{r4, pc}
"""
LOOP = 0x106


class Written(Program):
    """A program with handwritten code."""

    def __init__(self, listing: str) -> None:
        super().__init__(Path("firmware.elf"), "objdump")
        self.__dict__["code"] = read_listing(listing)


@pytest.mark.parametrize(
    ("core", "turn"),
    [
        ("cortex-m4", 5 + 4 * 3 + 1 + 3),  # VLDM 1 + 4, VFMA 3, SUBS, BNE 1 + P
        ("cortex-m33", 4 + 3 * 3 + 1 + 1 + 2),  # the last VFMA is passed; three are waited for
        ("cortex-m7", 2 + 3 + 4),  # VLDM two a cycle; three VFMA; four cycles from the last one to the next VLDM
    ],
)
def test_a_turn_of_a_loop(core, turn):
    assert cycles_of_turn(read_core(core), Written(CODE).code, LOOP) == turn


def test_a_region_is_its_blocks_as_often_as_each_ran():
    """The function's begin, ten turns of the loop, and its end, on a Cortex-M4."""
    lines = "R\nB 0 100 11e 9\nB 1 106 11e 7\nB 2 11e 120 1\nE 2 0 1\nE 0 1 1\nE 1 1 8\nE 1 2 1\n".splitlines()
    (region,) = read_regions(lines)
    assert region.instructions == 9 + 9 * 7 + 1
    begin, turn, end = (1 + 2) + 2, 5 + 4 * 3 + 1 + 3, 1 + 2 + 2  # PUSH and VLDR; a turn; POP with the jump
    # The last branch is not taken, and takes 1 instead of 3. The begin itself comes after the function's end.
    assert Costs(Written(CODE), read_core("cortex-m4")).cycles(region) == begin + 10 * turn - 2 + end


def test_regions_begin_anew_and_blocks_stay():
    first, second = read_regions("R\nB 0 100 104 2\nB 1 104 106 1\nE 0 1 3\nR\nE 1 0 2\n".splitlines())
    assert first.edges == {(Block(0x100, 0x104, 2), Block(0x104, 0x106, 1)): 3}
    assert second.instructions == 4


@pytest.mark.parametrize("text", ["E 0 1 3\n", "R\nE 0 1 3\n", "R\nB 0 1\n", "R\nB x y z w\n"])
def test_damaged_regions(text):
    with pytest.raises((ValueError, KeyError, IndexError)):
        read_regions(text.splitlines())


def test_a_call_waits_for_what_the_block_before_it_left():
    """A sum that the block before leaves is read a cycle later."""
    code = """
     100:\tee30 0a20 \tvadd.f32\ts0, s1, s2
     104:\te001      \tb.n\t10a <g>
     10a:\tee30 1a20 \tvadd.f32\ts3, s0, s2
     10e:\t4770      \tbx\tlr
"""
    lines = "R\nB 0 100 106 2\nB 1 10a 110 2\nE 0 1 1\n".splitlines()
    (region,) = read_regions(lines)
    for core, cycles in (("cortex-m4", 1 + 3), ("cortex-m33", 1 + 3)):
        assert Costs(Written(code), read_core(core)).cycles(region) == cycles


def test_the_half_of_an_instruction_on_the_next_page_is_in_one_block_only():
    """The emulator ends a block before an instruction that crosses a page, and counts its first half to the block."""
    code = """
     3fa:\t4439      \tadd\tr1, r7
     3fc:\t4402      \tadd\tr2, r0
     3fe:\tee30 0a20 \tvadd.f32\ts0, s1, s2
     402:\t4770      \tbx\tlr
"""
    lines = "R\nB 0 3fa 400 2\nB 1 3fe 404 2\nE 1 0 1\nE 0 1 1\n".splitlines()
    (region,) = read_regions(lines)
    assert Costs(Written(code), read_core("cortex-m4")).cycles(region) == 2 + (1 + 3)


def test_unknown_code_is_told():
    program = Written("     100:\tffff      \t\t<UNDEFINED> instruction: 0xffff\n     102:\tbf00      \tnop\n")
    with pytest.raises(DeviceError, match="does not know the instruction at 0x100"):
        program.instructions(Block(0x100, 0x104, 2))
    with pytest.raises(DeviceError, match="at 0x104: nothing"):
        program.instructions(Block(0x102, 0x106, 2))


def test_floats_on_a_core_without_them():
    with pytest.raises(DataError, match="Cortex-M3 has no timing of fp_load"):
        cycles_of_turn(read_core("cortex-m3"), Written(CODE).code, 0x100)


def test_a_function_without_a_loop():
    with pytest.raises(DataError, match="there is no loop at 0x11e"):
        cycles_of_turn(read_core("cortex-m4"), Written(CODE).code, 0x11E)


def test_every_number_has_a_source_that_the_table_names():
    for name in core_files():
        core = read_core(name)
        used = {timing.source for timing in core.kinds.values()} | {core.branch.source, core.memory.source}
        assert used - {"assumed"} <= core.sources.keys(), name


def test_boards_find_the_timings_of_their_cores():
    assert core_called("Cortex-M4F") is read_core("cortex-m4")
    assert core_called("Cortex-M0+") is read_core("cortex-m0plus")
    assert core_called("Xtensa LX7") is None
    with pytest.raises(DataError, match="no timings of cortex-m99"):
        read_core("cortex-m99")
