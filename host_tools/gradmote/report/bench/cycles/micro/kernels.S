/*
 * The code of the micro-kernels. Each is called with its number of turns in r0, and in r1 with the address of 32 words
 * that hold 1.0, of which the first holds its own address.
 *
 * Loops begin at a multiple of four, and are the body, SUBS and BNE. Registers that floats must preserve are not used.
 */
#include "kernels.h"

    .syntax unified
    .thumb
#if defined(GM_HELIUM) && GM_HELIUM
    .arch_extension mve.fp
#endif

.macro kernel name
    .section .text.\name, "ax", %progbits
    .balign 4
    .global micro_\name
    .type micro_\name, %function
    .thumb_func
micro_\name:
    push {r4-r7, lr}
    movs r4, #1
    movs r5, #1
    movs r6, #1
    movs r7, #1
.endm

.macro float_kernel name
    kernel \name
    vldmia r1, {s0-s15}
.endm

.macro turns
    .balign 4
1:
.endm

.macro end
    subs r0, #1
    bne 1b
2:
    pop {r4-r7, pc}
    .ltorg
.endm

    kernel loop
    turns
    end

    kernel nops
    turns
    .rept 16
    nop
    .endr
    end

    kernel adds_dependent
    turns
    .rept 16
    adds r4, #1
    .endr
    end

    kernel load_run
    turns
    .rept 4
    ldr r4, [r1, #16]
    ldr r5, [r1, #20]
    ldr r6, [r1, #24]
    ldr r7, [r1, #28]
    .endr
    end

    kernel load_apart
    turns
    .rept 8
    ldr r4, [r1, #16]
    adds r5, #1
    .endr
    end

    kernel load_dependent
    mov r4, r1
    turns
    .rept 16
    ldr r4, [r4]
    .endr
    end

    kernel store_run
    turns
    .rept 16
    str r4, [r1, #16]
    .endr
    end

    kernel push_pop2
    turns
    .rept 4
    push {r4, r5}
    pop {r4, r5}
    .endr
    end

    kernel push_pop4
    turns
    .rept 4
    push {r4-r7}
    pop {r4-r7}
    .endr
    end

    kernel multiply
    turns
    .rept 16
    muls r4, r5, r4
    .endr
    end

    kernel branch_taken
    turns
    .rept 8
    b 3f
    nop
3:
    .endr
    end

    /* SUBS has left a number that is not 0. */
    kernel branch_not_taken
    movs r4, #1
    turns
    .rept 8
    nop
    beq 2f
    .endr
    end

#if !defined(__ARM_ARCH_6M__)
    kernel load_double
    turns
    .rept 16
    ldrd r4, r5, [r1, #16]
    .endr
    end

    kernel multiply_add
    turns
    .rept 16
    mla r4, r5, r6, r4
    .endr
    end

    kernel multiply_long
    turns
    .rept 8
    umull r4, r5, r6, r7
    umull r2, r3, r6, r7
    .endr
    end

    kernel divide
    turns
    .rept 4
    udiv r4, r5, r6
    .endr
    end

    kernel shifted
    turns
    .rept 16
    add.w r4, r5, r4, lsl #1
    .endr
    end
#endif

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
    kernel smlad
    turns
    .rept 16
    smlad r4, r5, r6, r4
    .endr
    end
#endif

#if defined(__ARM_FP) && (__ARM_FP & 4)
.macro independent instruction
    .rept 4
    \instruction\().f32 s0, s8, s9
    \instruction\().f32 s1, s8, s9
    \instruction\().f32 s2, s8, s9
    \instruction\().f32 s3, s8, s9
    .endr
.endm

    float_kernel vfma_independent
    turns
    independent vfma
    end

    float_kernel vfma_dependent
    turns
    .rept 16
    vfma.f32 s0, s8, s9
    .endr
    end

    float_kernel vmla_independent
    turns
    independent vmla
    end

    float_kernel vmla_dependent
    turns
    .rept 16
    vmla.f32 s0, s8, s9
    .endr
    end

    float_kernel vadd_independent
    turns
    independent vadd
    end

    float_kernel vadd_dependent
    turns
    .rept 16
    vadd.f32 s0, s0, s9
    .endr
    end

    float_kernel vmul_dependent
    turns
    .rept 16
    vmul.f32 s0, s0, s9
    .endr
    end

    float_kernel vmul_vadd_apart
    turns
    .rept 8
    vmul.f32 s12, s8, s9
    vmul.f32 s13, s8, s10
    vadd.f32 s0, s0, s12
    vadd.f32 s1, s1, s13
    .endr
    end

    float_kernel vmul_vadd_next
    turns
    .rept 16
    vmul.f32 s12, s8, s9
    vadd.f32 s0, s0, s12
    .endr
    end

    float_kernel vfma_read
    turns
    .rept 8
    vfma.f32 s0, s8, s9
    vadd.f32 s1, s0, s10
    .endr
    end

    float_kernel vfma_adds
    turns
    .rept 4
    vfma.f32 s0, s8, s9
    adds r4, #1
    adds r5, #1
    vfma.f32 s1, s8, s9
    adds r6, #1
    adds r7, #1
    .endr
    end

    float_kernel vfma_vldm4
    turns
    .rept 4
    vfma.f32 s0, s8, s9
    vldmia r1, {s4-s7}
    .endr
    end

    float_kernel vldr
    turns
    .rept 4
    vldr s0, [r1, #16]
    vldr s1, [r1, #20]
    vldr s2, [r1, #24]
    vldr s3, [r1, #28]
    .endr
    end

    float_kernel vldr_apart
    turns
    .rept 8
    vldr s0, [r1, #16]
    adds r4, #1
    .endr
    end

    float_kernel vstr
    turns
    .rept 16
    vstr s0, [r1, #16]
    .endr
    end

.macro many name instruction last
    float_kernel \name
    adds r1, #16
    turns
    .rept 8
    \instruction r1, {s0-s\last}
    .endr
    end
.endm
    many vldm2 vldmia 1
    many vldm8 vldmia 7
    many vstm2 vstmia 1
    many vstm8 vstmia 7

    float_kernel vdiv
    turns
    vdiv.f32 s0, s8, s9
    vdiv.f32 s1, s8, s9
    vdiv.f32 s2, s8, s9
    vdiv.f32 s3, s8, s9
    end

    float_kernel vdiv_nops
    turns
    .rept 2
    vdiv.f32 s0, s8, s9
    .rept 13
    nop
    .endr
    .endr
    end

    float_kernel vmov_to_core
    turns
    .rept 16
    vmov r4, s0
    .endr
    end

    float_kernel vmov_from_core
    turns
    .rept 16
    vmov s0, r4
    .endr
    end
#endif

#if defined(GM_HELIUM) && GM_HELIUM
.macro independent_vectors
    .rept 4
    vfma.f32 q0, q2, r4
    vfma.f32 q1, q2, r4
    vfma.f32 q0, q2, r5
    vfma.f32 q1, q2, r5
    .endr
.endm

    float_kernel vector_load
    turns
    .rept 16
    vldrw.u32 q0, [r1]
    .endr
    end

    float_kernel vector_fused_independent
    turns
    independent_vectors
    end

    float_kernel vector_fused_dependent
    turns
    .rept 16
    vfma.f32 q0, q2, r4
    .endr
    end

    float_kernel vector_load_fused
    turns
    .rept 8
    vldrw.u32 q3, [r1]
    vfma.f32 q0, q2, r4
    .endr
    end

    float_kernel vector_add_dependent
    turns
    .rept 16
    vadd.f32 q0, q0, q1
    .endr
    end

    kernel low_overhead_loop
    dls lr, r0
    turns
    .rept 16
    nop
    .endr
    le lr, 1b
    pop {r4-r7, pc}
#endif
