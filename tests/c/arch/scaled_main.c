/* Compares requantization and gradients without FPU with float arithmetic, over drawn sums and multipliers, at halves,
 * and at the ends of int32; prints how many differ, how many were made by floats, and how many were drawn. */
#include <stdio.h>

#include "../../../runtime_c/kernels/arch/arm_m/blocks/scaled.h"

/* Draws whose bits are those of float arithmetic because they were made by it. */
static uint32_t by_floats;

int8_t gm_scaled_by_floats(int32_t sum, const float *multiplier, const float *offset, const gm_output_range *range)
{
    float scaled = (float)sum * *multiplier;
    by_floats++;
    return gm_to_int8(offset ? scaled + *offset : scaled, range);
}

int8_t gm_int8_of_sum(int32_t sum, const float *multiplier, const float *offset, const gm_output_range *range)
{
    return gm_scaled_closely(sum, multiplier, offset, range);
}

static uint64_t state = 88172645463325252u;

static uint32_t draw(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Of any exponent, mostly those of scales. */
static float draw_multiplier(void)
{
    uint32_t exponent = draw() % 8 ? 96 + draw() % 32 : draw() % 255;
    return gm_float_of((draw() % 64 ? 0 : 0x80000000u) | exponent << 23 | (draw() % 4 ? draw() & 0x7fffffu : 0));
}

/* Small, of any size, or such that the product is next to a half. */
static int32_t draw_sum(float multiplier)
{
    static const int32_t ends[] = {INT32_MIN, INT32_MAX, INT32_MIN + 1, 0, 1 << 24, (1 << 24) + 1, -(1 << 24) - 1};
    uint32_t kind = draw() % 8;
    double half = ((double)(int32_t)(draw() % 601) - 300.5) / (double)multiplier;
    if (kind == 0) {
        return ends[draw() % 7];
    }
    if (kind < 5 && half > -2147483000.0 && half < 2147483000.0) {
        return (int32_t)half + (int32_t)(draw() % 5) - 2;
    }
    return (int32_t)draw() >> draw() % 32;
}

int main(void)
{
    uint32_t differ = 0, drawn = 4000000;
    for (uint32_t i = 0; i < drawn; i++) {
        float multiplier = draw_multiplier(), offset = (float)(int32_t)(draw() % 2001 - 1000) * 0.01f;
        int32_t sum = draw_sum(multiplier);
        int whole = draw() % 2, with_offset = draw() % 8 == 0;
        const gm_output_range range =
            gm_range_of((int32_t)(draw() % 256) - 128, whole ? -128 : (int32_t)(draw() % 256) - 128,
                        whole ? 127 : (int32_t)(draw() % 256) - 128);
        float scaled = (float)sum * multiplier;
        int8_t expected = gm_to_int8(with_offset ? scaled + offset : scaled, &range);
        const float *added = with_offset ? &offset : NULL;
        const gm_int8_bounds bounds = gm_int8_bounds_of(&range);
        int32_t factor = gm_int8_factor(&multiplier, added);
        int8_t made = factor > 0 ? gm_scaled_to_int8(sum, factor, &bounds, &multiplier, &range)
                                 : gm_int8_of_sum(sum, &multiplier, added, &range);
        differ += made != expected || gm_scaled_closely(sum, &multiplier, added, &range) != expected;
        differ += gm_bits_of(gm_sum_times(sum, multiplier)) != gm_bits_of(scaled);
    }
    printf("%u %u %u\n", differ, by_floats, drawn);
    return 0;
}
