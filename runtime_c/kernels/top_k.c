/*
 * TOP_K: the largest, or smallest, of x over c, in that order, and their c; NaN comes first; among
 *   equal ones the lowest c, with last the highest.
 */
#include "../generated/instructions/top_k.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_TOP_K

/* Maps x to an integer in the order of selection: NaN is the highest, and both zeros are equal. */
static uint32_t rank_of(float x, int smallest)
{
    uint32_t bits = gm_bits_of(x + 0.0f);
    if (x != x) {
        return UINT32_MAX;
    }
    uint32_t ascending = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return smallest ? ~ascending : ascending;
}

/* The element of a row that follows the one of `rank` at `step` - 1 in the order of selection.
 * Steps count elements from the end from which ties are taken. */
static uint32_t next_step(const float *x, const gm_insn_top_k *insn, uint32_t *rank, uint32_t step)
{
    uint32_t best = 0, found = step - 1;
    for (uint32_t s = 0; s < insn->size; s++) {
        uint32_t other = rank_of(x[(insn->last ? insn->size - 1 - s : s) * insn->inner], insn->smallest != 0);
        if ((other < *rank || (other == *rank && s >= step)) && other > best) {
            best = other;
            found = s;
        }
    }
    *rank = best;
    return found;
}

static void top_k_row(const float *x, float *values, int32_t *indices, const gm_insn_top_k *insn)
{
    uint32_t rank = UINT32_MAX, step = 0;
    for (uint32_t i = 0; i < insn->count; i++) {
        step = next_step(x, insn, &rank, step) + 1;
        uint32_t at = insn->last ? insn->size - step : step - 1;
        indices[i * insn->inner] = (int32_t)at;
        if (values != NULL) {
            values[i * insn->inner] = x[at * insn->inner];
        }
    }
}

int gm_kernel_top_k(const struct gm_session *session, const void *instruction)
{
    const gm_insn_top_k *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *values = gm_f32_out_optional(session, insn->values);
    int32_t *indices = gm_i32_out(session, insn->indices);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t n = 0; n < insn->inner; n++) {
            uint32_t row = o * insn->count * insn->inner + n;
            top_k_row(x + (o * insn->size * insn->inner + n), values == NULL ? NULL : values + row, indices + row,
                      insn);
        }
    }
    return GM_OK;
}

#endif
