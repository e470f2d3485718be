/*
 * GATHER: y[o,i,n] = x[o, indices[i], n]; a negative index counts from the end; an index out of
 *   range stops with INDEX_OUT_OF_RANGE.
 * SCATTER_ADD: dx[o, indices[i], n] += dy[o,i,n], o, i, n ascending; indices as in GATHER.
 */
#include "../generated/instructions/gather.h"
#include "../generated/instructions/scatter_add.h"
#include "gather.h"

#if GM_WITH_GATHER

int gm_kernel_gather(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gather *insn = instruction;
    const int32_t *indices = gm_i32(session, insn->indices);
    float *y = gm_f32_out(session, insn->y);
    if (!gm_are_elements(indices, insn->count, insn->size)) {
        return GM_ERR_INDEX_OUT_OF_RANGE;
    }
    GM_FOR_SELECTED(insn, indices, {
        const float *x = gm_f32(session, insn->x) + (o * insn->size + at) * insn->inner;
        for (uint32_t n = 0; n < insn->inner; n++) {
            *y++ = x[n];
        }
    })
    return GM_OK;
}

#endif

#if GM_WITH_SCATTER_ADD

int gm_kernel_scatter_add(const struct gm_session *session, const void *instruction)
{
    const gm_insn_scatter_add *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const int32_t *indices = gm_i32(session, insn->indices);
    if (!gm_are_elements(indices, insn->count, insn->size)) {
        return GM_ERR_INDEX_OUT_OF_RANGE;
    }
    GM_FOR_SELECTED(insn, indices, {
        float *dx = gm_f32_out(session, insn->dx) + (o * insn->size + at) * insn->inner;
        for (uint32_t n = 0; n < insn->inner; n++) {
            dx[n] += *dy++;
        }
    })
    return GM_OK;
}

#endif
