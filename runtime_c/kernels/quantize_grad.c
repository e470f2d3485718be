/*
 * QUANTIZE_GRAD: dx = dy scale if low < q < high and the bit of mask is 1, else 0; scale is the
 *   channel's, or 1 if absent.
 */
#include "../generated/instructions/quantize_grad.h"
#include "quantized.h"

#if GM_WITH_QUANTIZE_GRAD

/* A value at a bound was clamped, or may have been, and passes no gradient. */
int gm_kernel_quantize_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_quantize_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy), *scale = gm_f32_optional(session, insn->scale);
    const gm_clamp_mask mask = {
        .q = insn->q == GM_NONE ? NULL : gm_i8(session, insn->q),
        .bits = insn->mask == GM_NONE ? NULL : gm_u8(session, insn->mask),
        .low = insn->low,
        .high = insn->high,
    };
    float *dx = gm_f32_out(session, insn->dx);
    uint32_t at = 0;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t c = 0; c < insn->channels; c++) {
            float factor = scale ? scale[c] : 1.0f;
            for (uint32_t i = 0; i < insn->inner; i++, at++) {
                dx[at] = gm_passes(&mask, at) ? dy[at] * factor : 0.0f;
            }
        }
    }
    return GM_OK;
}

#endif
