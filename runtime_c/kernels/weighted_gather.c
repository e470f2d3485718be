/*
 * WEIGHTED_GATHER: y[o,i,n] = sum over ascending t of weights[i,t] x[o, indices[i,t], n];
 *   indices as in GATHER.
 * WEIGHTED_SCATTER_ADD: dx[o, indices[i,t], n] += weights[i,t] dy[o,i,n], o, i, t, n ascending;
 *   indices as in GATHER.
 */
#include "../generated/instructions/weighted_gather.h"
#include "../generated/instructions/weighted_scatter_add.h"
#include "../src/numerics.h"
#include "gather.h"

#if GM_WITH_WEIGHTED_GATHER

/* y[n] = MAC(y[n], weight, x[n]); for the first tap, the product alone. */
static void add_weighted_row(const float *x, float *y, float weight, uint32_t n, int first)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] = first ? weight * x[i] : GM_MAC(y[i], weight, x[i]);
    }
}

int gm_kernel_weighted_gather(const struct gm_session *session, const void *instruction)
{
    const gm_insn_weighted_gather *insn = instruction;
    const int32_t *indices = gm_i32(session, insn->indices);
    const float *weights = gm_f32(session, insn->weights);
    float *y = gm_f32_out(session, insn->y);
    if (!gm_are_elements(indices, insn->count * insn->taps, insn->size)) {
        return GM_ERR_INDEX_OUT_OF_RANGE;
    }
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->count; i++) {
            for (uint32_t t = 0; t < insn->taps; t++) {
                uint32_t at = gm_element(indices[i * insn->taps + t], insn->size);
                const float *x = gm_f32(session, insn->x) + (o * insn->size + at) * insn->inner;
                add_weighted_row(x, y, weights[i * insn->taps + t], insn->inner, t == 0);
            }
            y += insn->inner;
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_WEIGHTED_SCATTER_ADD

int gm_kernel_weighted_scatter_add(const struct gm_session *session, const void *instruction)
{
    const gm_insn_weighted_scatter_add *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const int32_t *indices = gm_i32(session, insn->indices);
    const float *weights = gm_f32(session, insn->weights);
    if (!gm_are_elements(indices, insn->count * insn->taps, insn->size)) {
        return GM_ERR_INDEX_OUT_OF_RANGE;
    }
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->count; i++) {
            for (uint32_t t = 0; t < insn->taps; t++) {
                uint32_t at = gm_element(indices[i * insn->taps + t], insn->size);
                float *dx = gm_f32_out(session, insn->dx) + (o * insn->size + at) * insn->inner;
                float weight = weights[i * insn->taps + t];
                for (uint32_t n = 0; n < insn->inner; n++) {
                    dx[n] = GM_MAC(dx[n], weight, dy[n]);
                }
            }
            dy += insn->inner;
        }
    }
    return GM_OK;
}

#endif
