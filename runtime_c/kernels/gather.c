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
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->count; i++) {
            uint32_t at = gm_element(indices[i], insn->size);
            const float *x = gm_f32(session, insn->x) + (o * insn->size + at) * insn->inner;
            for (uint32_t n = 0; n < insn->inner; n++) {
                *y++ = x[n];
            }
        }
    }
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
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->count; i++) {
            uint32_t at = gm_element(indices[i], insn->size);
            float *dx = gm_f32_out(session, insn->dx) + (o * insn->size + at) * insn->inner;
            for (uint32_t n = 0; n < insn->inner; n++) {
                dx[n] += *dy++;
            }
        }
    }
    return GM_OK;
}

#endif
