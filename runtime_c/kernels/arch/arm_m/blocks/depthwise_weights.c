/* Gradients of depthwise_weights.h. */
#include "depthwise_weights.h"

#if GM_ARCH_CONV_GRAD_W_S16

/* The gradients of one of four channels. sums: its own. */
static void store_gradients(const gm_insn_conv_grad_w_s16 *insn, const int64_t *sums, float unit, float factor, float *y)
{
    for (uint32_t taps = insn->kernel_h * insn->kernel_w; taps > 0; taps--, sums += 4, y++) {
        float value = (float)*sums * unit * factor;
        *y = insn->accumulate ? *y + value : value;
    }
}

void gm_store_depthwise_weights(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                const gm_weight_gradients *made, const int64_t *sums, uint32_t first, uint32_t channels)
{
    const float *factor = gm_f32(session, insn->factor);
    float unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent);
    uint32_t taps = insn->kernel_h * insn->kernel_w;
    for (uint32_t channel = first; channel < first + channels; channel++, sums++) {
        if (made->update == NULL) {
            store_gradients(insn, sums, unit, factor[channel], made->y + channel * taps);
        } else {
            store_gradients(insn, sums, unit, factor[channel], made->y);
            gm_update_stored(made->update, made->y, 1.0f, made->units[channel], channel * taps, taps);
        }
    }
}

#endif
