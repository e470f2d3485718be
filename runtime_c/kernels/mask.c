/*
 * MASK: bit i of mask = x is in low .. high or NaN, or with relu x > 0; the rest of
 *   the last byte is 0.
 * MASK_GRAD: dx = bit i of mask ? dy : 0.
 */
#include "../generated/instructions/mask.h"
#include "../generated/instructions/mask_grad.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* 8 bits at a time: bit i % 8 of byte i / 8, lowest first. */

#if GM_WITH_MASK
int gm_kernel_mask(const struct gm_session *session, const void *instruction)
{
    const gm_insn_mask insn = *(const gm_insn_mask *)instruction;
    const float *x = gm_f32(session, insn.x);
    uint8_t *mask = gm_u8_out(session, insn.mask);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < insn.n; i++) {
        int passes = insn.relu ? gm_is_positive(x[i]) : !(x[i] < insn.low || x[i] > insn.high);
        bits |= (uint32_t)passes << i % 8;
        if (i % 8 == 7 || i + 1 == insn.n) {
            mask[i / 8] = (uint8_t)bits;
            bits = 0;
        }
    }
    return GM_OK;
}
#endif

#if GM_WITH_MASK_GRAD
int gm_kernel_mask_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_mask_grad insn = *(const gm_insn_mask_grad *)instruction;
    const float *dy = gm_f32(session, insn.dy);
    const uint8_t *mask = gm_u8(session, insn.mask);
    float *dx = gm_f32_out(session, insn.dx);
    for (uint32_t i = 0; i < insn.n; i++) {
        dx[i] = mask[i / 8] >> i % 8 & 1 ? dy[i] : 0.0f;
    }
    return GM_OK;
}
#endif
