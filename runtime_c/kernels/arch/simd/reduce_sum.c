/* REDUCE_SUM with vectors: y[k] (+)= scale sum over r of x[k,r], in the order of r0, r1, r2, r3. */
#include "../../../generated/instructions/reduce_sum.h"
#include "blocks/tile.h"
#include "simd.h"

#if GM_ARCH_SIMD && GM_WITH_REDUCE_SUM

/* Runs BODY with the offset `at` in x of each (r0, r1, r2). */
#define FOR_REDUCED_ROWS(insn, BODY)                                                  \
    for (uint32_t i0 = 0; i0 < (insn)->r0; i0++) {                                    \
        for (uint32_t i1 = 0; i1 < (insn)->r1; i1++) {                                \
            for (uint32_t i2 = 0; i2 < (insn)->r2; i2++) {                            \
                uint32_t at = i0 * (insn)->rs0 + i1 * (insn)->rs1 + i2 * (insn)->rs2; \
                BODY                                                                  \
            }                                                                         \
        }                                                                             \
    }

/* sums[v] of outputs that are adjacent in x. vectors: a constant. */
GM_SIMD_INLINE void sum_across(gm_vec *sums, const float *x, const gm_insn_reduce_sum *insn, uint32_t vectors)
{
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        sums[v] = gm_vec_splat(0.0f);
    }
    FOR_REDUCED_ROWS(
        insn, for (uint32_t i3 = 0; i3 < insn->r3; i3++, at += insn->rs3) {
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sums[v] = gm_vec_add(sums[v], gm_vec_load(x + at + v * GM_LANES));
            }
        })
}

/* One vector of these. */
GM_SIMD_LONG gm_vec sum_of_vectors(const float *x, const gm_insn_reduce_sum *insn)
{
    gm_vec sum;
    sum_across(&sum, x, insn, 1);
    return sum;
}

/* The sums of GM_LANES outputs; the terms of each are contiguous in x. */
GM_SIMD_INLINE gm_vec sum_along(const float *x, const gm_insn_reduce_sum *insn)
{
    gm_vec sum = gm_vec_splat(0.0f);
    FOR_REDUCED_ROWS(
        insn, for (uint32_t i3 = 0; i3 < insn->r3; i3 += GM_LANES) {
            uint32_t left = insn->r3 - i3 < GM_LANES ? insn->r3 - i3 : GM_LANES;
            gm_vec t[GM_LANES];
            GM_UNROLL
            for (uint32_t c = 0; c < GM_LANES; c++) {
                gm_tile_load(&t[c], x + at + i3 + (size_t)c * insn->ks3, left, 1);
            }
            gm_vec_transpose(t);
            GM_UNROLL
            for (uint32_t i = 0; i < GM_LANES; i++) {
                sum = i < left ? gm_vec_add(sum, t[i]) : sum;
            }
        })
    return sum;
}

GM_SIMD_INLINE void store_scaled_sums(float *y, gm_vec sum, const gm_insn_reduce_sum *insn)
{
    gm_vec start = insn->accumulate ? gm_vec_load(y) : gm_vec_splat(GM_EMPTY_SUM);
    gm_vec_store(y, gm_vec_mac(start, gm_vec_splat(insn->scale), sum));
}

/* A row of outputs along k3 that are adjacent in x; returns how many are done. */
static GM_SIMD_TARGET uint32_t reduce_row_across(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    uint32_t k = 0;
    gm_vec sums[GM_TILE_ROWS];
    for (; insn->k3 - k >= GM_TILE_ROWS * GM_LANES; k += GM_TILE_ROWS * GM_LANES) {
        sum_across(sums, x + k, insn, GM_TILE_ROWS);
        for (uint32_t v = 0; v < GM_TILE_ROWS; v++) {
            store_scaled_sums(y + k + v * GM_LANES, sums[v], insn);
        }
    }
    for (; insn->k3 - k >= GM_LANES; k += GM_LANES) {
        store_scaled_sums(y + k, sum_of_vectors(x + k, insn), insn);
    }
    return k;
}

/* A row of outputs along k3; the terms of each are contiguous in x. */
static GM_SIMD_TARGET uint32_t reduce_row_along(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    uint32_t k = 0;
    for (; insn->k3 - k >= GM_LANES; k += GM_LANES) {
        store_scaled_sums(y + k, sum_along(x + (size_t)k * insn->ks3, insn), insn);
    }
    return k;
}

uint32_t gm_simd_reduce_row(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    if (insn->ks3 == 1) {
        return reduce_row_across(x, y, insn);
    }
    return insn->rs3 == 1 && insn->r3 >= GM_LANES ? reduce_row_along(x, y, insn) : 0;
}

/* GM_LANES outputs along k2, which are adjacent in x, by as many along k3. */
GM_SIMD_INLINE void reduce_square(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    gm_vec t[GM_LANES];
    GM_UNROLL
    for (uint32_t j = 0; j < GM_LANES; j++) {
        t[j] = sum_of_vectors(x + (size_t)j * insn->ks3, insn);
    }
    gm_vec_transpose(t);
    GM_UNROLL
    for (uint32_t i = 0; i < GM_LANES; i++) {
        store_scaled_sums(y + (size_t)i * insn->k3, t[i], insn);
    }
}

GM_SIMD_INLINE float sum_one(const float *x, const gm_insn_reduce_sum *insn)
{
    float sum = 0.0f;
    FOR_REDUCED_ROWS(insn, for (uint32_t i3 = 0; i3 < insn->r3; i3++, at += insn->rs3) { sum += x[at]; })
    return sum;
}

/* y[k2,k3] of an x in which outputs along k2 are adjacent. */
GM_SIMD_TARGET static void reduce_plane(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    uint32_t squared = insn->k3 / GM_LANES * GM_LANES;
    for (uint32_t i = 0; i < insn->k2; i += GM_LANES) {
        for (uint32_t j = 0; j < squared; j += GM_LANES) {
            reduce_square(x + i + (size_t)j * insn->ks3, y + (size_t)i * insn->k3 + j, insn);
        }
        for (uint32_t r = i; r < i + GM_LANES; r++) {
            for (uint32_t j = squared; j < insn->k3; j++) {
                float *at = y + (size_t)r * insn->k3 + j, sum = sum_one(x + r + (size_t)j * insn->ks3, insn);
                *at = insn->accumulate ? GM_MAC(*at, insn->scale, sum) : insn->scale * sum;
            }
        }
    }
}

int gm_simd_reduce_plane(const float *x, float *y, const gm_insn_reduce_sum *insn)
{
    if (insn->ks2 != 1 || insn->ks3 == 1 || insn->k2 % GM_LANES != 0 || insn->k3 < GM_LANES) {
        return 0;
    }
    reduce_plane(x, y, insn);
    return 1;
}

#endif
