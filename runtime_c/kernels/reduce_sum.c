/*
 * REDUCE_SUM: y[k0..k3] = scale * sum over r0..r3 (row-major ascending) of x; with accumulate,
 *   added to y after scaling.
 */
#include "../generated/instructions/reduce_sum.h"
#include "../src/gm_internal.h"
#include "../src/image.h"
#include "../src/numerics.h"
#include "arch/arch.h"
#include "arch/simd/simd.h"

#if GM_WITH_REDUCE_SUM

/* Outputs computed at once: adjacent along k3, each with its own accumulator. */
#if GM_ARCH_SUMS
#define BLOCK 16

/* sums[i] = sum over r0..r3 of x[i ks3], i in 0..n. */
void gm_sum_block(const float *x, const gm_insn_reduce_sum *insn, float *sums, uint32_t n);

#else
#define BLOCK 4

static void sum_4(const float *x, const gm_insn_reduce_sum *insn, float *sums)
{
    uint32_t ks = insn->ks3;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    for (uint32_t i0 = 0; i0 < insn->r0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->r1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->r2; i2++) {
                const float *p = x + (i0 * insn->rs0 + i1 * insn->rs1 + i2 * insn->rs2);
                for (uint32_t i3 = 0; i3 < insn->r3; i3++) {
                    s0 += p[0];
                    s1 += p[ks];
                    s2 += p[2 * ks];
                    s3 += p[3 * ks];
                    p += insn->rs3;
                }
            }
        }
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

static float sum_1(const float *x, const gm_insn_reduce_sum *insn)
{
    float sum = 0.0f;
    for (uint32_t i0 = 0; i0 < insn->r0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->r1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->r2; i2++) {
                const float *p = x + (i0 * insn->rs0 + i1 * insn->rs1 + i2 * insn->rs2);
                for (uint32_t i3 = 0; i3 < insn->r3; i3++) {
                    sum += p[i3 * insn->rs3];
                }
            }
        }
    }
    return sum;
}

static void gm_sum_block(const float *x, const gm_insn_reduce_sum *insn, float *sums, uint32_t n)
{
    if (n == BLOCK) {
        sum_4(x, insn, sums);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        sums[i] = sum_1(x + i * insn->ks3, insn);
    }
}

#endif

static void store_scaled_sum(float *y, float sum, const gm_insn_reduce_sum *insn)
{
    *y = insn->accumulate ? GM_MAC(*y, insn->scale, sum) : insn->scale * sum;
}

/* Computes one row of y if each sum has a single element, so that the row is a scaled copy of a row
 * of x with other strides. */
static GM_CALLED void scale_row(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    uint32_t step = insn->ks3, n = insn->k3;
    uint32_t accumulate = insn->accumulate;
    float scale = insn->scale;
    for (uint32_t i = 0; accumulate && i < n; i++, x += step) {
        y[i] = GM_MAC(y[i], scale, 0.0f + *x);
    }
    for (uint32_t i = 0; !accumulate && i < n; i++, x += step) {
        y[i] = scale * (0.0f + *x);
    }
}

/* The k3 outputs of one row of y. */
static GM_CALLED void reduce_row(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    uint32_t k = 0;
#if GM_ARCH_SIMD
    k = gm_simd_runs() ? gm_simd_reduce_row(x, y, insn) : 0;
#endif
    for (uint32_t n; k < insn->k3; k += n) {
        float sums[BLOCK];
        n = insn->k3 - k < BLOCK ? insn->k3 - k : BLOCK;
        gm_sum_block(x + k * insn->ks3, insn, sums, n);
        for (uint32_t i = 0; i < n; i++) {
            store_scaled_sum(y + k + i, sums[i], insn);
        }
    }
}

int gm_kernel_reduce_sum(const struct gm_session *session, const void *instruction)
{
    const gm_insn_reduce_sum *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    int single = insn->r0 == 1 && insn->r1 == 1 && insn->r2 == 1 && insn->r3 == 1;
    for (uint32_t i0 = 0; i0 < insn->k0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->k1; i1++) {
#if GM_ARCH_SIMD
            if (gm_simd_runs() && gm_simd_reduce_plane(x + (i0 * insn->ks0 + i1 * insn->ks1), y, insn)) {
                y += insn->k2 * insn->k3;
                continue;
            }
#endif
            for (uint32_t i2 = 0; i2 < insn->k2; i2++) {
                const float *at = x + (i0 * insn->ks0 + i1 * insn->ks1 + i2 * insn->ks2);
                if (single) {
                    scale_row(at, y, insn);
                } else {
                    reduce_row(at, y, insn);
                }
                y += insn->k3;
            }
        }
    }
    return GM_OK;
}

#endif
