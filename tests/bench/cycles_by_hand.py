"""Cycles of a turn of each micro-kernel (report/bench/cycles/micro/kernels.S), derived by hand from published figures.

Each figure is the body and then the loop, SUBS and BNE. If each instruction waits for the one before it, the wait after
the body's last instruction overlaps the loop. Kernels for which a core has no published timing have no figure.
"""

from __future__ import annotations

#: Cortex-M4. Loop: SUBS 1, BNE 1 + P with P = 2.
_M4_LOOP = 1 + 3
M4 = {
    "loop": _M4_LOOP,
    "nops": 16 + _M4_LOOP,
    "adds_dependent": 16 + _M4_LOOP,
    "load_run": 2 + 15 * 1 + _M4_LOOP,  # loads after a load take 1
    "load_apart": 8 * (2 + 1) + _M4_LOOP,
    "load_dependent": 16 * 2 + _M4_LOOP,  # the address is what was loaded, so that none is pipelined
    "store_run": 16 + _M4_LOOP,
    "push_pop2": 4 * (1 + 2 + 1 + 2) + _M4_LOOP,
    "push_pop4": 4 * (1 + 4 + 1 + 4) + _M4_LOOP,
    "multiply": 16 + _M4_LOOP,
    "branch_taken": 8 * 3 + _M4_LOOP,
    "branch_not_taken": 8 * (1 + 1) + _M4_LOOP,
    "load_double": 16 * 3 + _M4_LOOP,
    "multiply_add": 16 + _M4_LOOP,
    "multiply_long": 16 + _M4_LOOP,
    "smlad": 16 + _M4_LOOP,
    "vfma_independent": 16 * 3 + _M4_LOOP,
    "vfma_dependent": 16 * 3 + _M4_LOOP,
    "vmla_independent": 16 * 3 + _M4_LOOP,
    "vmla_dependent": 16 * 3 + _M4_LOOP,
    "vadd_independent": 16 + _M4_LOOP,
    "vadd_dependent": 15 * 2 + 1 + _M4_LOOP,
    "vmul_dependent": 15 * 2 + 1 + _M4_LOOP,
    "vmul_vadd_apart": 32 + _M4_LOOP,
    "vmul_vadd_next": 16 * (1 + 1 + 1) + _M4_LOOP,
    "vfma_read": 8 * (3 + 1 + 1) + _M4_LOOP,
    "vfma_adds": 8 * (3 + 1 + 1) + _M4_LOOP,
    "vfma_vldm4": 4 * (3 + 1 + 4) + _M4_LOOP,
    "vldr": 16 * 2 + _M4_LOOP,
    "vldr_apart": 8 * (2 + 1) + _M4_LOOP,
    "vstr": 16 * 2 + _M4_LOOP,
    "vldm2": 8 * (1 + 2) + _M4_LOOP,
    "vldm8": 8 * (1 + 8) + _M4_LOOP,
    "vstm2": 8 * (1 + 2) + _M4_LOOP,
    "vstm8": 8 * (1 + 8) + _M4_LOOP,
    "vdiv": 4 * 14,  # the loop overlaps the last one
    "vdiv_nops": 2 * (1 + 13) + _M4_LOOP,
    "vmov_to_core": 16 + _M4_LOOP,
}

#: Cortex-M3: the same without floats, and with slower products.
M3 = {
    kernel: M4[kernel]
    for kernel in (
        "loop", "nops", "adds_dependent", "load_run", "load_apart", "load_dependent", "store_run", "push_pop2",
        "push_pop4", "multiply", "branch_taken", "branch_not_taken", "load_double",
    )
} | {"multiply_add": 16 * 2 + _M4_LOOP}  # fmt: skip

#: Cortex-M0+. Loop: SUBS 1, BNE 2. Each access to memory takes 2.
_M0P_LOOP = 1 + 2
M0_PLUS = {
    "loop": _M0P_LOOP,
    "nops": 16 + _M0P_LOOP,
    "adds_dependent": 16 + _M0P_LOOP,
    "load_run": 16 * 2 + _M0P_LOOP,
    "load_apart": 8 * (2 + 1) + _M0P_LOOP,
    "load_dependent": 16 * 2 + _M0P_LOOP,
    "store_run": 16 * 2 + _M0P_LOOP,
    "push_pop2": 4 * (1 + 2 + 1 + 2) + _M0P_LOOP,
    "push_pop4": 4 * (1 + 4 + 1 + 4) + _M0P_LOOP,
    "multiply": 16 + _M0P_LOOP,
    "branch_taken": 8 * 2 + _M0P_LOOP,
    "branch_not_taken": 8 * (1 + 1) + _M0P_LOOP,
}

#: Cortex-M0: a branch that is taken takes 3.
M0 = {kernel: figure + 1 for kernel, figure in M0_PLUS.items()} | {"branch_taken": 8 * 3 + 1 + 3}

#: Cortex-M33. Loop: SUBS 1, BNE 2, as it is a 16-bit instruction after a 16-bit one that sets flags.
_M33_LOOP = 1 + 2
M33 = {
    "loop": _M33_LOOP,
    "nops": 16 + _M33_LOOP,
    "adds_dependent": 16 + _M33_LOOP,
    "load_run": 16 + _M33_LOOP,
    "load_apart": 8 * (1 + 1) + _M33_LOOP,
    "load_dependent": 15 * 2 + 1 + _M33_LOOP,
    "store_run": 16 + _M33_LOOP,
    "push_pop2": 4 * (2 + 2) + _M33_LOOP,
    "push_pop4": 4 * (4 + 4) + _M33_LOOP,
    "multiply": 16 * 2 + _M33_LOOP,  # MULS sets flags
    "branch_taken": 8 * 2 + _M33_LOOP,
    "branch_not_taken": 8 * (1 + 0) + _M33_LOOP,  # shares a cycle with the NOP before it
    "load_double": 16 * 2 + _M33_LOOP,
    "multiply_add": 16 + _M33_LOOP,  # sums are chained
    "shifted": 15 * 2 + 1 + _M33_LOOP,
    "smlad": 16 + _M33_LOOP,
    "vfma_independent": 15 * 3 + 1 + _M33_LOOP,
    "vfma_dependent": 15 * 3 + 1 + _M33_LOOP,
    "vmla_independent": 15 * 3 + 1 + _M33_LOOP,
    "vmla_dependent": 15 * 3 + 1 + _M33_LOOP,
    "vadd_independent": 16 + _M33_LOOP,
    "vadd_dependent": 15 * 2 + 1 + _M33_LOOP,
    "vmul_vadd_apart": 32 + _M33_LOOP,
    "vmul_vadd_next": 16 * (1 + 1 + 1) + _M33_LOOP,
    "vfma_read": 8 * (3 + 1) + _M33_LOOP,
    "vfma_adds": 8 * (1 + 1 + 1) + _M33_LOOP,  # integer instructions overlap the wait
    "vfma_vldm4": 4 * (3 + 4) + _M33_LOOP,  # floats do not
    "vldr": 16 + _M33_LOOP,
    "vldr_apart": 8 * (1 + 1) + _M33_LOOP,
    "vstr": 16 + _M33_LOOP,
    "vldm2": 8 * 2 + _M33_LOOP,
    "vldm8": 8 * 8 + _M33_LOOP,
    "vstm2": 8 * 2 + _M33_LOOP,
    "vstm8": 8 * 8 + _M33_LOOP,
    "vdiv": 4 * 14,
    "vdiv_nops": 2 * (1 + 13) + _M33_LOOP,
}

#: Cortex-M7. Loop: SUBS and BNE share a cycle; if SUBS shares that of the body's last instruction, BNE has one more.
_M7_LOOP = 1
M7 = {
    "loop": _M7_LOOP,
    "nops": 16 / 2 + _M7_LOOP,
    "adds_dependent": 16 + _M7_LOOP,
    "load_run": 16 / 2 + _M7_LOOP,
    "load_apart": 8 + _M7_LOOP,
    "store_run": 16 + _M7_LOOP,  # no two stores share a cycle
    "push_pop2": 4 * (1 + 1) + _M7_LOOP,
    "push_pop4": 4 * (2 + 2) + _M7_LOOP,
    "multiply": 16 * 2,  # the loop overlaps the last one
    "branch_taken": 8 + _M7_LOOP,
    "branch_not_taken": 8 + _M7_LOOP,
    "load_double": 16 + _M7_LOOP,
    "multiply_add": 16 + _M7_LOOP,
    "multiply_long": 16 + _M7_LOOP,
    "smlad": 16 + _M7_LOOP,
    "vfma_independent": 16 + _M7_LOOP,  # four sums: each needs three cycles
    "vfma_dependent": 16 * 3,
    "vmla_independent": 16 + _M7_LOOP,
    "vmla_dependent": 16 * 3,
    "vadd_independent": 16 + _M7_LOOP,
    "vadd_dependent": 16 * 3,
    "vmul_dependent": 16 * 3,
    "vmul_vadd_apart": 8 * (2 + 1 + 2) + _M7_LOOP,  # the first sum waits a cycle for its product
    "vmul_vadd_next": 16 * (3 + 1) + _M7_LOOP,
    "vfma_read": 8 * (5 + 1) + _M7_LOOP,
    "vfma_adds": 24 / 2 + _M7_LOOP,
    "vfma_vldm4": 4 * (4 + 2) + _M7_LOOP,  # VLDM waits four cycles after a multiply-accumulate
    "vldr": 16 / 2 + _M7_LOOP,
    "vldr_apart": 8 + _M7_LOOP,
    "vstr": 16 + _M7_LOOP,
    "vldm2": 8 + _M7_LOOP,
    "vldm8": 8 * 4 + _M7_LOOP,
    "vstm2": 8 + _M7_LOOP,
    "vstm8": 8 * 4 + _M7_LOOP,
    "vdiv": 4 * 16 + _M7_LOOP,
}

#: Cortex-M55. Loop: as the Cortex-M33. A vector takes its unit for two cycles, while another unit goes on.
_M55_LOOP = 1 + 2
M55 = {
    "loop": _M55_LOOP,
    "nops": 16 + _M55_LOOP,
    "adds_dependent": 16 + _M55_LOOP,
    "load_dependent": 15 * 2 + 1 + _M55_LOOP,
    "load_double": 16 + _M55_LOOP,
    "smlad": 16 + _M55_LOOP,
    "vfma_independent": 16 + _M55_LOOP,
    "vfma_dependent": 15 * 2 + 1 + _M55_LOOP,
    "vmla_independent": 16 + _M55_LOOP,
    "vmla_dependent": 15 * 4 + 1 + _M55_LOOP,
    "vadd_independent": 16 + _M55_LOOP,
    "vadd_dependent": 15 * 2 + 1 + _M55_LOOP,
    "vmul_vadd_apart": 32 + _M55_LOOP,
    "vmul_vadd_next": 16 * (2 + 1) + _M55_LOOP,
    "vfma_read": 8 * (2 + 1) + _M55_LOOP,
    "vfma_adds": 24 + _M55_LOOP,
    "vector_load": 15 * 2 + 1 + _M55_LOOP,
    "vector_fused_independent": 15 * 2 + 1 + _M55_LOOP,
    "vector_fused_dependent": 15 * 2 + 1 + _M55_LOOP,
    "vector_load_fused": 8 * (1 + 1) + _M55_LOOP,
    "vector_add_dependent": 15 * 2 + 1 + _M55_LOOP,
    "low_overhead_loop": 16,
}

#: The core's table -> the board whose code it can run, and the figures.
BY_HAND = {
    "cortex-m0": ("microbit", M0),
    "cortex-m0plus": ("microbit", M0_PLUS),
    "cortex-m3": ("mps2-an385", M3),
    "cortex-m4": ("mps2-an386", M4),
    "cortex-m33": ("mps2-an505", M33),
    "cortex-m7": ("mps2-an500", M7),
    "cortex-m55": ("mps3-an547", M55),
}
