/*
 * REDUCE_SUM on Cortex-M with FPU. Machine instructions for each element of a long sum:
 * 1.38 if its elements are adjacent; as "across" in strided_loop.h if adjacent elements
 * belong to different sums.
 */
#include "../../../generated/instructions/reduce_sum.h"
#include "../../../src/gm_internal.h"
#include "../arch.h"
#include "blocks/registers.h"
#include "blocks/strided_loop.h"

#if GM_WITH_REDUCE_SUM && GM_ARCH_ARM_M

void gm_sum_block(const float *x, const gm_insn_reduce_sum *insn, float *sums, uint32_t n);

/*
 * *sum += x[i], i ascending.
 *
 *     s0-s7   8 elements of x        s8      the sum
 */
static void sum_run(const float *x, uint32_t n, float *sum)
{
#define ADD_S(x) LINE("vadd.f32 s8, s8, " #x)
    __asm__ volatile(LINE("vldr s8, [%[sum]]")
                     EIGHT_AT_A_TIME(LOAD(x, "s0-s7")
                                     ADD_S(s0) ADD_S(s1) ADD_S(s2) ADD_S(s3) ADD_S(s4) ADD_S(s5) ADD_S(s6) ADD_S(s7),
                                     LOAD(x, "s0") ADD_S(s0))
                     LINE("vstr s8, [%[sum]]")
                     : [x] "+r"(x), [n] "+r"(n)
                     : [sum] "r"(sum)
                     : CHANGED);
}

/* x over r2 and r3, times 1: MAC(sum, 1, x) is sum + x. */
static void add_plane(const float *x, const gm_insn_reduce_sum *insn, float *sums, uint32_t n)
{
    static const float one = 1.0f;
    const gm_loop loop = insn->r3 > 1 ? (gm_loop){ insn->r2, insn->r3, 0, 0, insn->rs2, insn->rs3 }
                                      : (gm_loop){ 1, insn->r2, 0, 0, 0, insn->rs2 };
    if (insn->ks3 == 1) {
        gm_loop_across(&loop, &one, x, sums, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++, x += insn->ks3) {
        if (insn->rs3 != 1) {
            gm_loop_across(&loop, &one, x, sums + i, 1);
            continue;
        }
        for (uint32_t i2 = 0; i2 < insn->r2; i2++) {
            sum_run(x + i2 * insn->rs2, insn->r3, sums + i);
        }
    }
}

void gm_sum_block(const float *x, const gm_insn_reduce_sum *insn, float *sums, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sums[i] = 0.0f;
    }
    for (uint32_t i0 = 0; i0 < insn->r0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->r1; i1++) {
            add_plane(x + (i0 * insn->rs0 + i1 * insn->rs1), insn, sums, n);
        }
    }
}

#endif
