/*
 * SUM_S16: y[c] = 2^x_exponent sum of x over outer and inner, divided by divisor[c]; with accumulate,
 *   added to y.
 * DEQUANTIZE_S16: y = 2^x_exponent x.
 */
#include "gradient_s16.h"

#if GM_WITH_SUM_S16

/* Returns the exact sum of one channel. */
static int64_t s16_channel_sum(const gm_insn_sum_s16 *insn, const int16_t *x)
{
    int64_t sum = 0;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            sum += x[o * insn->x_outer + i * insn->x_inner];
        }
    }
    return sum;
}

int gm_kernel_sum_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sum_s16 *insn = instruction;
    const int16_t *x = gm_i16(session, insn->x);
    const float *divisor = gm_f32_optional(session, insn->divisor);
    float unit = gm_power_of_two(gm_exponent_of(session, insn->x_exponent).exponent);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t c = 0; c < insn->channels; c++) {
        float value = (float)s16_channel_sum(insn, x + c * insn->x_channel) * unit;
        value = divisor != NULL ? value / divisor[c] : value;
        y[c] = insn->accumulate ? y[c] + value : value;
    }
    return GM_OK;
}

#endif

#if GM_WITH_DEQUANTIZE_S16

int gm_kernel_dequantize_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_dequantize_s16 *insn = instruction;
    const int16_t *x = gm_i16(session, insn->x);
    float unit = gm_power_of_two(gm_exponent_of(session, insn->x_exponent).exponent);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t i = 0; i < insn->n; i++) {
        y[i] = (float)x[i] * unit;
    }
    return GM_OK;
}

#endif
