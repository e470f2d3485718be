/* Gradients of depthwise_weights.h. */
#include "../../../../generated/instructions/conv_grad_w_s16.h"
#include "depthwise_weights.h"

#include "../sum_steps.h"

#if GM_ARCH_CONV_GRAD_W_S16

/* The gradients of one of four channels. sums: its own. */
static void store_gradients(const gm_insn_conv_grad_w_s16 *insn, const int64_t *sums, float unit, float factor, float *y)
{
    for (uint32_t taps = insn->kernel_h * insn->kernel_w; taps > 0; taps--, sums += 4, y++) {
        float value = (float)*sums * unit * factor;
        *y = insn->accumulate ? *y + value : value;
    }
}

#if GM_ARCH_SUM_STEPS

/* Updates the weights of a channel, if its sums are all that the steps need. Otherwise returns 0,
 * and does nothing. joint: unit times factor. */
static int update_by_channel_sums(const gm_weight_gradients *made, const int64_t *sums, float joint, uint32_t channel,
                                  uint32_t taps)
{
    int32_t *to = (int32_t *)(void *)made->y;
    int is_exact = (gm_bits_of(joint) >> 23 & 0xffu) - 1u < 254u;
    for (uint32_t i = 0; i < taps; i++) {
        to[i] = (int32_t)sums[4 * i];
        is_exact &= to[i] == sums[4 * i];
    }
    if (is_exact) {
        gm_update_by_sums(made->update, to, joint, made->units[channel], channel * taps, taps);
    }
    return is_exact;
}

#define SUMS_SUIT(update) gm_suits_sum_steps(update)
#else
#define SUMS_SUIT(update) 0
#define update_by_channel_sums(made, sums, joint, channel, taps) 0
#endif

void gm_store_depthwise_weights(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                const gm_weight_gradients *made, const int64_t *sums, uint32_t first, uint32_t channels)
{
    const float *factor = gm_f32(session, insn->factor);
    float unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent);
    uint32_t taps = insn->kernel_h * insn->kernel_w;
    int by_sums = made->update != NULL && SUMS_SUIT(made->update);
    for (uint32_t channel = first; channel < first + channels; channel++, sums++) {
        if (made->update == NULL) {
            store_gradients(insn, sums, unit, factor[channel], made->y + channel * taps);
        } else if (!by_sums || !update_by_channel_sums(made, sums, unit * factor[channel], channel, taps)) {
            store_gradients(insn, sums, unit, factor[channel], made->y);
            gm_update_stored(made->update, made->y, 1.0f, made->units[channel], channel * taps, taps);
        }
    }
}

#endif
