/* ADD_S16 with vectors, for contiguous rows. */
#include "../../../generated/instructions/add_s16.h"
#include "../../add_s16.h"
#include "blocks/gradient_lanes.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && GM_WITH_ADD_S16

/* The offsets of a row in a, b and scale, and the index of its first element. */
typedef struct add_s16_row {
    uint32_t a, b, s, first;
} add_s16_row;

/* The sums of GM_LANES adjacent elements, i elements after the row's first. */
GM_SIMD_INLINE gm_float_lanes sum_of_lanes(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, const add_s16_row *row,
                                           uint32_t i)
{
    gm_float_lanes value = gm_lanes_of_s16(x->a + row->a + i) * gm_lanes_splat(x->a_unit);
    if (x->b != NULL) {
        value = value + gm_lanes_of_s16(x->b + row->b + i) * gm_lanes_splat(x->b_unit);
    }
    if (x->scale != NULL) {
        const float *scale = x->scale + row->s;
        value = value * (insn->s3 == 1 ? gm_lanes_load(scale + i) : gm_lanes_splat(*scale));
    }
    return gm_lanes_choose(gm_lanes_that_pass(&x->mask, row->first + i), value, gm_lanes_splat(0.0f));
}

GM_SIMD_INLINE void sum_row_s16(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, const add_s16_row *row,
                                gm_lanes_made *lanes)
{
    uint32_t i = 0;
    for (; insn->d3 - i >= GM_LANES; i += GM_LANES) {
        gm_make_lanes(lanes, sum_of_lanes(insn, x, row, i), row->first + i);
    }
    for (; i < insn->d3; i++) {
        float one = gm_sum_s16_at(x, row->a + i, row->b + i, row->s + i * insn->s3, row->first + i);
        gm_make(lanes->made, lanes->to, row->first + i, one);
    }
}

static GM_SIMD_TARGET void add_rows_s16(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, gm_lanes_made *lanes)
{
    uint32_t first = 0;
    for (uint32_t i0 = 0; i0 < insn->d0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->d1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->d2; i2++, first += insn->d3) {
                const add_s16_row row = {i0 * insn->a0 + i1 * insn->a1 + i2 * insn->a2,
                                         i0 * insn->b0 + i1 * insn->b1 + i2 * insn->b2,
                                         i0 * insn->s0 + i1 * insn->s1 + i2 * insn->s2, first};
                sum_row_s16(insn, x, &row, lanes);
            }
        }
    }
    gm_see_lanes(lanes);
}

int gm_simd_add_s16(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, gm_gradient_s16 *made, int16_t *y)
{
    int suits =
        insn->d3 >= GM_LANES && insn->a3 == 1 && (x->b == NULL || insn->b3 == 1) && (x->scale == NULL || insn->s3 <= 1);
    gm_lanes_made lanes = {.made = made, .to = y};
    if (!suits || !gm_simd_runs()) {
        return 0;
    }
    add_rows_s16(insn, x, &lanes);
    return 1;
}

#endif
