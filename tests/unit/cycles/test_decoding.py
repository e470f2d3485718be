"""Machine instructions as objdump writes them."""

from __future__ import annotations

import pytest

from gradmote.report.bench.cycles.decoding import UNKNOWN, decode, registers
from gradmote.report.bench.cycles.disassembly import read_listing


def fields(mnemonic, operands, size=4):
    found = decode(0x100, size, mnemonic, operands)
    return found.kind, found.reads, found.writes


def test_registers_of_floats_are_those_of_32_bits():
    assert registers("s2, d1, q1") == ("s2", "s2", "s3", "s4", "s5", "s6", "s7")
    assert registers("{s4-s7}") == registers("{d2-d3}") == registers("q1") == ("s4", "s5", "s6", "s7")
    assert registers("{r4, r6-r8, sl, fp, ip, lr, pc}") == (
        "r4", "r6", "r7", "r8", "r10", "r11", "r12", "r14", "r15",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mnemonic", "operands", "kind", "reads", "writes"),
    [
        ("adds", "r4, #1", "integer", ("r4",), ("r4",)),
        ("adds", "r4, r5, #1", "integer", ("r5",), ("r4",)),
        ("movs", "r4, #1", "integer", (), ("r4",)),
        ("mov", "r4, r8", "integer", ("r8",), ("r4",)),
        ("movcs.w", "r3, #1", "integer", (), ("r3",)),
        ("cmp", "r4, #0", "integer", ("r4",), ()),
        ("add.w", "r4, r5, r6, lsl #2", "shifted", ("r5", "r6"), ("r4",)),
        ("lsls", "r4, r5, #2", "integer", ("r5",), ("r4",)),
        ("ssub8", "r4, r5, r6", "integer", ("r5", "r6"), ("r4",)),
        ("muls", "r4, r5", "multiply_flags", ("r4", "r5"), ("r4",)),
        ("mul.w", "r4, r5, r6", "multiply", ("r5", "r6"), ("r4",)),
        ("smlad", "r4, r5, r6, r7", "multiply_add", ("r5", "r6"), ("r4",)),
        ("umull", "r4, r5, r6, r7", "multiply_long", ("r6", "r7"), ("r4", "r5")),
        ("smlal", "r4, r5, r6, r7", "multiply_add_long", ("r5", "r6", "r7"), ("r4", "r5")),
        ("udiv", "r4, r5, r6", "divide", ("r5", "r6"), ("r4",)),
        ("ldr", "r4, [pc, #12]\t@ (20 <f+0x20>)", "load", ("r15",), ("r4",)),
        ("ldrsb.w", "r4, [r5, r6]", "load_narrow", ("r5", "r6"), ("r4",)),
        ("ldrd", "r4, r5, [r6, #8]", "load_double", ("r6",), ("r4", "r5")),
        ("pop", "{r4, pc}", "load_many", ("r13",), ("r4", "r15")),
        ("ldmia.w", "r1!, {r4-r6}", "load_many", ("r1",), ("r4", "r5", "r6")),
        ("nop.w", "", "nop", (), ()),
        ("itte", "eq", "it", (), ()),
        ("vfma.f32", "s0, s1, s2", "fp_fused", ("s1", "s2"), ("s0",)),
        ("vfnms.f32", "s0, s1, s2", "fp_fused", ("s1", "s2"), ("s0",)),
        ("vmlagt.f32", "s0, s1, s2", "fp_chained", ("s1", "s2"), ("s0",)),
        ("vsub.f32", "s0, s1, s2", "fp_add", ("s1", "s2"), ("s0",)),
        ("vnmul.f32", "s0, s1, s2", "fp_multiply", ("s1", "s2"), ("s0",)),
        ("vcvt.f32.s32", "s0, s1", "fp_convert", ("s1",), ("s0",)),
        ("vsqrt.f32", "s0, s1", "fp_divide", ("s1",), ("s0",)),
        ("vselgt.f32", "s0, s1, s2", "fp_move", ("s1", "s2"), ("s0",)),
        ("vcmpe.f32", "s0, #0.0", "fp_compare", ("s0",), ()),
        ("vmrs", "APSR_nzcv, fpscr", "fp_status", (), ()),
        ("vmov", "r4, s0", "fp_to_core", ("s0",), ("r4",)),
        ("vmov", "s0, r4", "fp_from_core", ("r4",), ("s0",)),
        ("vmov.f32", "s0, s1", "fp_move", ("s1",), ("s0",)),
        ("vmov.f32", "s0, #112\t@ 0x3f800000  1.0", "fp_move", (), ("s0",)),
        ("vldr", "s0, [r1, #4]", "fp_load", ("r1",), ("s0",)),
        ("vldmia", "r1!, {s0-s3}", "fp_load_many", ("r1",), ("s0", "s1", "s2", "s3")),
        ("vldrw.u32", "q0, [r1], #16", "vector_load", ("r1",), ("s0", "s1", "s2", "s3")),
        ("vldrw.u32", "q0, [r1, q1, uxtw #2]", "vector_gather", ("r1", "s4", "s5", "s6", "s7"), registers("q0")),
        ("vfma.f32", "q0, q1, r4", "vector_fused", (*registers("q1"), "r4"), registers("q0")),
        ("vadd.i32", "q0, q1, r4", "vector_integer", (*registers("q1"), "r4"), registers("q0")),
        ("vadd.f32", "q0, q1, q1", "vector_add", registers("q1, q1"), registers("q0")),
        ("vmov.32", "r4, q0[1]", "vector_to_core", registers("q0"), ("r4",)),
        ("vdup.32", "q0, r4", "vector_from_core", ("r4",), registers("q0")),
        ("vpstt", "", "vector_predicate", (), ()),
        ("bl", "120 <g>", "branch", (), ("r14",)),
        ("bls.n", "120 <g>", "branch", (), ()),
        ("bx", "lr", "branch", ("r14",), ()),
        ("cbz", "r4, 120 <g>", "branch", ("r4",), ()),
        (".word", "0x12345678", UNKNOWN, (), ()),
    ],
)
def test_kinds_and_registers(mnemonic, operands, kind, reads, writes):
    assert fields(mnemonic, operands) == (kind, reads, writes)


def test_what_is_stored_is_told_apart_from_the_address():
    for mnemonic, operands, stores in (
        ("str", "r4, [r1, r2]", ("r4",)),
        ("push", "{r4, lr}", ("r4", "r14")),
        ("vstmdb", "r1!, {s0-s1}", ("s0", "s1")),
        ("vstrw.32", "q0, [r1]", registers("q0")),
    ):
        found = decode(0, 4, mnemonic, operands)
        assert found.stores == stores and found.writes == () and found.base in ("r1", "r13")


@pytest.mark.parametrize(
    ("mnemonic", "operands", "advances"),
    [("ldr", "r4, [r1], #4", True), ("ldr", "r4, [r1, #4]!", True), ("ldr", "r4, [r1, #4]", False),
     ("vldmia", "r1!, {s0}", True), ("vldmia", "r1, {s0}", False), ("pop", "{r4}", True)],
)  # fmt: skip
def test_bases_that_are_advanced(mnemonic, operands, advances):
    assert decode(0, 4, mnemonic, operands).advances_base is advances


def test_branches():
    conditional = decode(0x20, 2, "bne.n", "10 <f+0x10>")
    assert (conditional.target, conditional.reads_flags, conditional.may_pass) == (0x10, True, True)
    always, returns = decode(0x20, 2, "b.n", "10 <f+0x10>"), decode(0x20, 2, "bx", "lr")
    assert (always.target, always.may_pass, returns.target, returns.may_pass) == (0x10, False, None, False)
    assert decode(0x20, 2, "cbnz", "r0, 30 <f+0x30>").may_pass
    assert decode(0x20, 4, "le", "lr, 10 <f+0x10>").target == 0x10
    assert decode(0x20, 2, "pop", "{r4, pc}").writes_pc and decode(0x20, 4, "ldr.w", "pc, [r1]").writes_pc


def test_sums_are_addends():
    assert decode(0, 4, "vfma.f32", "s0, s1, s2").addend == "s0"
    assert decode(0, 4, "mla", "r4, r5, r6, r7").addend == "r7"
    assert decode(0, 4, "vadd.f32", "s0, s1, s2").addend == ""


def test_a_listing():
    text = """
firmware.elf:     file format elf32-littlearm

Disassembly of section .text:

00000100 <f>:
     100:\t3401      \tadds\tr4, #1
     102:\teea0 0a81 \tvfma.f32\ts0, s1, s2
     106:\tbf00      \tnop
     108:\t12345678 \t.word\t0x12345678
"""
    found = read_listing(text)
    assert [(at, each.size, each.kind) for at, each in found.items()] == [
        (0x100, 2, "integer"), (0x102, 4, "fp_fused"), (0x106, 2, "nop"), (0x108, 4, UNKNOWN),
    ]  # fmt: skip
