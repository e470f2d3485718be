/*
 * QUANTIZE_GRAD_S16: y 2^exponent = scale[c] dy if low < q < high and the bit of mask is 1, else 0,
 *   rounded; the exponent is the least that keeps the largest value within the limit.
 */
#include "../generated/instructions/quantize_grad_s16.h"
#include "gradient_s16.h"

#if GM_WITH_QUANTIZE_GRAD_S16

typedef struct masked_gradient {
    const float *dy, *scale;
    gm_clamp_mask mask;
} masked_gradient;

static float masked_gradient_at(const masked_gradient *m, uint32_t i, uint32_t channel)
{
    if (!gm_passes(&m->mask, i)) {
        return 0.0f;
    }
    return m->scale != NULL ? m->dy[i] * m->scale[channel] : m->dy[i];
}

/* Scans all values, and writes them to y unless it is NULL. */
static void make_quantized(const gm_insn_quantize_grad_s16 *insn, const masked_gradient *m, gm_gradient_s16 *made,
                           int16_t *y)
{
    uint32_t i = 0;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t c = 0; c < insn->channels; c++) {
            for (uint32_t k = 0; k < insn->inner; k++, i++) {
                gm_make(made, y, i, masked_gradient_at(m, i, c));
            }
        }
    }
}

int gm_kernel_quantize_grad_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_quantize_grad_s16 *insn = instruction;
    const masked_gradient m = {
        .dy = gm_f32(session, insn->dy),
        .scale = gm_f32_optional(session, insn->scale),
        .mask = GM_CLAMP_MASK(session, insn),
    };
    gm_gradient_s16 made = {0};
    make_quantized(insn, &m, &made, NULL);
    if (made.largest >= gm_bits_of(GM_INFINITY)) {
        return GM_ERR_NOT_FINITE;
    }
    int32_t exponent = gm_choose_exponent(&made, gm_magnitude_of(made.largest), 0, insn->limit);
    make_quantized(insn, &m, &made, gm_i16_out(session, insn->y));
    gm_write_exponent(session, insn->exponent, exponent, &made);
    return GM_OK;
}

#endif
