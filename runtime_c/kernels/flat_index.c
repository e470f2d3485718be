/*
 * FLAT_INDEX: y[o,i,n] = (first size + indices[o,i,n]) inner + n; first is o, with accumulate
 *   y[o,i,n]; indices as in GATHER.
 */
#include "../generated/instructions/flat_index.h"
#include "gather.h"

#if GM_WITH_FLAT_INDEX

/* In unsigned arithmetic, which wraps: whoever uses the result checks it. */
int gm_kernel_flat_index(const struct gm_session *session, const void *instruction)
{
    const gm_insn_flat_index *insn = instruction;
    const int32_t *indices = gm_i32(session, insn->indices);
    int32_t *y = gm_i32_out(session, insn->y);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->count; i++) {
            for (uint32_t n = 0; n < insn->inner; n++) {
                uint32_t first = insn->accumulate ? (uint32_t)*y : o;
                int32_t index = indices[o * insn->i_outer + i * insn->i_count + n * insn->i_inner];
                uint32_t at = gm_element(index, insn->size);
                if (at >= insn->size) {
                    return GM_ERR_INDEX_OUT_OF_RANGE;
                }
                *y++ = (int32_t)((first * insn->size + at) * insn->inner + n);
            }
        }
    }
    return GM_OK;
}

#endif
