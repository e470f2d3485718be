/*
 * SUM_S16: y[c] = 2^x_exponent sum of x over outer and inner, divided by divisor[c]; with accumulate,
 *   added to y.
 * DEQUANTIZE_S16: y = 2^x_exponent x.
 */
#include "../generated/instructions/dequantize_s16.h"
#include "../generated/instructions/sum_s16.h"
#include "arch/simd/s8.h"
#include "gradient_s16.h"

#if GM_WITH_SUM_S16

#if GM_ARCH_SIMD_S8
#define SUMS_AT_ONCE GM_SUMS_AT_ONCE
#else
#define SUMS_AT_ONCE 1u
#endif

/* The number of summands whose sum always fits in 32 bits. */
#define SUMMANDS_OF_32_BITS 65535u

/* Returns the exact sum of n values. */
static int64_t sum_of_numbers(const int16_t *x, uint32_t n, uint32_t step)
{
    int64_t sum = 0;
    while (n > 0) {
        uint32_t left = n < SUMMANDS_OF_32_BITS ? n : SUMMANDS_OF_32_BITS;
        int32_t part = 0;
        n -= left;
        for (; left >= 4; left -= 4, x += 4 * step) {
            part += x[0] + x[step] + x[2 * step] + x[3 * step];
        }
        for (; left > 0; left--, x += step) {
            part += *x;
        }
        sum += part;
    }
    return sum;
}

/* Returns the exact sum of one channel. */
static int64_t s16_channel_sum(const gm_insn_sum_s16 *insn, const int16_t *x)
{
    int64_t sum = 0;
    for (uint32_t o = 0; o < insn->outer; o++) {
        sum += sum_of_numbers(x + o * insn->x_outer, insn->inner, insn->x_inner);
    }
    return sum;
}

/* Sums the first of so many channels, or several at once. Returns how many it summed. */
static uint32_t sum_channels(const gm_insn_sum_s16 *insn, const int16_t *x, uint32_t channels, int64_t *sums)
{
#if GM_ARCH_SIMD_S8
    uint32_t summed = gm_simd_sum_channels(insn, x, channels, sums);
    if (summed > 0) {
        return summed;
    }
#endif
    (void)channels;
    sums[0] = s16_channel_sum(insn, x);
    return 1;
}

int gm_kernel_sum_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sum_s16 *insn = instruction;
    const int16_t *x = gm_i16(session, insn->x);
    const float *divisor = gm_f32_optional(session, insn->divisor);
    float unit = gm_power_of_two(gm_exponent_of(session, insn->x_exponent).exponent);
    float *y = gm_f32_out(session, insn->y);
    int64_t sums[SUMS_AT_ONCE];
    for (uint32_t c = 0, summed; c < insn->channels; c += summed) {
        summed = sum_channels(insn, x + c * insn->x_channel, insn->channels - c, sums);
        for (uint32_t k = 0; k < summed; k++) {
            float value = (float)sums[k] * unit;
            value = divisor != NULL ? value / divisor[c + k] : value;
            y[c + k] = insn->accumulate ? y[c + k] + value : value;
        }
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
