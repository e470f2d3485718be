/*
 * SCATTER: y[o, indices[i], n] = x[o,i,n], or its product with x, or the larger or smaller of both;
 *   o, i, n ascending; indices as in GATHER.
 */
#include "../generated/instructions/scatter.h"
#include "gather.h"

#if GM_WITH_SCATTER

static float combined(float y, float x, int combine)
{
    switch (combine) {
    case GM_COMBINE_MUL: return y * x;
    case GM_COMBINE_MAX: return y > x || y != y ? y : x;
    case GM_COMBINE_MIN: return y < x || y != y ? y : x;
    default: return x;
    }
}

int gm_kernel_scatter(const struct gm_session *session, const void *instruction)
{
    const gm_insn_scatter *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const int32_t *indices = gm_i32(session, insn->indices);
    if (!gm_are_elements(indices, insn->count, insn->size)) {
        return GM_ERR_INDEX_OUT_OF_RANGE;
    }
    GM_FOR_SELECTED(insn, indices, {
        float *y = gm_f32_out(session, insn->y) + (o * insn->size + at) * insn->inner;
        for (uint32_t n = 0; n < insn->inner; n++) {
            y[n] = combined(y[n], *x++, (int)insn->combine);
        }
    })
    return GM_OK;
}

#endif
